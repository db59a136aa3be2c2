// SPDX-License-Identifier: Apache-2.0
//! Xilinx' Fast Simplex Link (DS449), one each way: nothing is said where it would have no effect.

use super::{Protocol, link};

/// What is known of it.
pub const PROTOCOL: Protocol =
    Protocol { is_of_shells: true, ..Protocol::of::<link::Bridge<true>, link::Front>("fsl", 60) };
