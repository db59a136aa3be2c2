// SPDX-License-Identifier: Apache-2.0
//! VexRiscv: when instructions leave their stages, and when the next one comes to decode.
#![allow(dead_code)]

mod fetcher;
mod stages;
mod variants;
mod words;
