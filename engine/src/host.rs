// SPDX-License-Identifier: Apache-2.0
//! The process that the engine is in, and the system that it runs on: memory, stacks, files, processor
//! time. It knows nothing of calls.

pub mod block;
pub(crate) mod growing_file;
pub(crate) mod inside;
pub mod memory;
pub(crate) mod processor;
pub(crate) mod replaceable;
pub(crate) mod rounding;
pub(crate) mod stack;
pub(crate) mod system;
pub mod wall;
