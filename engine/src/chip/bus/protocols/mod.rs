// SPDX-License-Identifier: Apache-2.0
//! The protocols of a chip's buses, one file each. `build.rs` finds them.

use super::pins;
use super::{Bridge, Bus, Device, Front, Protocol, Request, WHOLE, access, link};

// The files as modules, and `FOUND`: what each says, in the order of their places.
include!(concat!(env!("OUT_DIR"), "/bus_protocols.rs"));

/// By their numbers in a file.
pub const PROTOCOLS: &[Protocol] = &FOUND;
