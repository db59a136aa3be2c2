// SPDX-License-Identifier: Apache-2.0
//! Tandem's engine: runs a kernel's models for its values and its cycles, and a deterministic
//! discrete-event simulation of the platform around it for the time that the interface costs.
//!
//! Programs reach it through the C ABI of `include/tandem.h` ([`abi`]). Inside, times are integer
//! picoseconds, sizes are bytes and rates are bytes a second.

pub mod abi;
mod batches;
pub mod breakdown;
pub mod buffers;
pub mod call;
pub mod chains;
pub mod chip;
pub mod components;
mod contents;
pub mod cores;
pub mod costs;
pub mod course;
pub mod declined;
pub mod error;
pub mod execute;
pub mod failure;
pub mod gate;
mod growing_file;
pub mod harness;
mod inside;
pub mod job;
pub mod joined;
pub mod latencies;
pub mod look;
mod loop_times;
pub mod machine;
mod made;
pub mod memory;
pub mod model;
pub mod observations;
pub mod package;
pub mod plan;
pub mod platform;
mod process;
mod processor;
pub mod recording;
mod replaceable;
pub mod report;
pub mod residence;
mod rounding;
pub mod runtime;
mod sampling;
pub mod schema;
pub mod session;
pub mod settings;
pub mod simulation;
pub mod software;
pub mod span_file;
mod stack;
pub mod stepping;
mod system;
pub mod trace;
mod under_way;
pub mod units;
mod wave;

/// The engine's memory is its own: a signal handler may call a kernel while the program itself is
/// inside `malloc`.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;
