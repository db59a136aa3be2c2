// SPDX-License-Identifier: Apache-2.0
//! The RTL cycle by cycle: its ports, half a clock cycle of it, and what of its state has names.

use std::ffi::c_void;

use serde::Serialize;

use super::Data;

/// What a slice of an RTL simulation ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has more cycles to go.
    Running,
    /// So has it, but whether a record may pass in the next one is not known yet.
    Waiting,
    /// `done` was seen.
    Done,
    /// An access outside a buffer.
    OutOfBounds,
}

/// One port of the hardware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// As in the Verilog.
    pub name: String,
    /// What the port speaks (docs/verilog.md).
    pub protocol: String,
    /// What the signal is in that.
    pub role: String,
    /// The argument, unless it belongs to the call as a whole.
    pub argument: Option<usize>,
    /// Its width.
    pub bits: u32,
}

impl Signal {
    /// Bytes that its bits take.
    pub fn bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// Bytes of a place for it that any model's port fits.
    pub fn room_bytes(&self) -> usize {
        self.bytes().next_power_of_two().max(16)
    }
}

/// A model of the RTL: its ports, and half a clock cycle of it. What is around it is
/// [`crate::harness::Harness`].
pub trait RtlModel: Send + Sync {
    /// The port map.
    fn signals(&self) -> &[Signal];

    /// Size of the state.
    fn state_bytes(&self) -> u64;

    /// Makes a model in `state`; where each signal is, null for one that nothing in there reads.
    ///
    /// # Safety
    /// `state` is zeroed, 64-byte aligned and of [`RtlModel::state_bytes`]; `data` are the arguments
    /// of a call.
    unsafe fn begin(&self, state: *mut c_void, data: &Data) -> Vec<*mut u8>;

    /// What computes what follows from the inputs as they are, the clock among them.
    fn eval(&self) -> Eval;

    /// What a state has to be given when a call has ended, if anything.
    fn end(&self) -> Option<Eval> {
        None
    }

    /// What of its state has names.
    fn shown(&self) -> &[Shown] {
        &[]
    }

    /// What has toggled since the model was loaded; nothing of one that does not count.
    fn activity(&self) -> Option<Activity> {
        None
    }
}

/// How often bits of hardware were otherwise behind a clock edge than behind the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Cycles between the reset and the end of calls.
    pub cycles: u64,
    /// What they were counted of.
    pub signals: Vec<Toggles>,
}

/// A register or a port of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// As in the Verilog.
    pub name: String,
    /// Where in the C it comes from, such as "file.c:12", or empty.
    pub place: String,
    /// Where waves show it: scopes with a dot between them.
    pub scope: String,
    /// Its width.
    pub bits: u32,
    /// Whether it is a port.
    pub is_port: bool,
    /// Its first byte in the state, the lowest.
    pub offset: u32,
}

/// Toggles of a register or a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Toggles {
    /// As in the Verilog.
    pub name: String,
    /// Where in the C it comes from, such as "file.c:12", or empty.
    pub place: String,
    /// Its width.
    pub bits: u32,
    /// Whether it is a port.
    pub is_port: bool,
    /// Of all of its bits together.
    pub toggles: u64,
}

/// Takes a state that was begun.
pub type Eval = unsafe extern "C" fn(*mut c_void);
