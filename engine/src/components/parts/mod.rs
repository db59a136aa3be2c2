// SPDX-License-Identifier: Apache-2.0
//! What components are made of, and of which no platform file says anything by itself.

pub mod dma;
pub mod lane;
pub mod regions;
pub mod stop;
