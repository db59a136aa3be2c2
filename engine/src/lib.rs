// SPDX-License-Identifier: Apache-2.0
//! Tandem's engine: runs a kernel's models for its values and its cycles, and a deterministic
//! discrete-event simulation of the platform around it for the time that the interface costs.
//!
//! Programs reach it through the C ABI of `include/tandem.h` ([`abi`]). Inside, times are integer
//! picoseconds, sizes are bytes and rates are bytes a second.

pub mod abi;
pub mod breakdown;
pub mod buffers;
pub mod components;
pub mod error;
pub mod execute;
pub mod machine;
pub mod model;
pub mod package;
pub mod platform;
pub mod report;
pub mod session;
pub mod settings;
pub mod simulation;
pub mod trace;
pub mod units;
