// SPDX-License-Identifier: Apache-2.0
//! Tandem's engine: runs a kernel's models for its values and its cycles, and a deterministic
//! discrete-event simulation of the platform around it for the time that the interface costs.
//!
//! Programs reach it through the C ABI of `include/tandem.h` ([`abi`]). Inside, times are integer
//! picoseconds, sizes are bytes and rates are bytes a second.

pub mod abi;
pub mod breakdown;
pub mod call;
pub mod chip;
pub mod components;
pub mod cores;
pub mod course;
pub mod error;
pub mod harness;
pub mod host;
pub mod job;
pub mod machine;
pub mod model;
pub mod package;
pub mod platform;
pub mod recording;
pub mod schema;
pub mod session;
pub mod simulation;
pub mod trace;
mod wave;

// Sizes and places of files are `u64`, those in memory `usize`: none is lost from one to the other.
const _: () = assert!(usize::BITS == u64::BITS, "the engine is for systems of 64 bits");

/// The engine's memory is its own: a signal handler may call a kernel while the program itself is
/// inside `malloc`.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
