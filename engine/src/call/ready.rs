// SPDX-License-Identifier: Apache-2.0
//! A kernel that is ready to be called, and what a call needs of the session.

use std::sync::Arc;

use crate::call::mode::Mode;
use crate::components::memory::Memory;
use crate::components::transfer::TransferSettings;
use crate::error::{Error, Status};
use crate::model::{CallModel, Function, RtlModel};
use crate::package::Manifest;
use crate::recording::Recording;

/// A kernel ready to be called.
pub struct Kernel {
    /// Its interface.
    pub manifest: Manifest,
    /// Identity of its package.
    pub manifest_sha256: String,
    /// What the compiler knows of a call; not loaded in native mode.
    pub ahead: Option<Box<dyn CallModel>>,
    /// The RTL; loaded in simulate mode only.
    pub rtl: Option<Box<dyn RtlModel>>,
    /// The C function, for programs that have none of their own.
    pub function: Option<Box<dyn Function>>,
}

/// Index of an opened kernel.
pub type KernelIndex = usize;

/// What a call needs of the session.
#[derive(Clone)]
pub struct Ready {
    /// Which kernel.
    pub index: KernelIndex,
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// How kernels run.
    pub mode: Mode,
    /// The pace of each argument's stream.
    pub intervals: Arc<[u32]>,
    /// The device's memory, unless the mode is native.
    pub memory: Option<Memory>,
    /// How bytes come and go.
    pub transfer: TransferSettings,
    /// Whether the streams of a call come and go while the kernel runs, where they can.
    pub is_streamed: bool,
    /// Whether the program calls by itself: it then gives variables of its own, always the same.
    pub has_own_variables: bool,
    /// How often its C function is to be timed beside the call; 0 for not at all.
    pub sample_windows: u32,
    /// Whether the device computes wrongly, as the platform has it.
    pub spoils: bool,
    /// Whether a long simulation tells its progress.
    pub show_progress: bool,
    /// What the hardware does is recorded there, if anywhere.
    pub recording: Option<Arc<Recording>>,
    /// Whether hardware is stepped with the clock.
    pub is_stepped: bool,
    /// Whether the program goes on before the call has ended on the clock.
    pub goes_on: bool,
}

/// A mode wants to run what it has not loaded.
pub fn no_model() -> Error {
    Error::new(Status::Internal, "the kernel's models are not loaded in this mode")
}
