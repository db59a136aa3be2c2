// SPDX-License-Identifier: Apache-2.0
//! How the bytes of a call come and go: all of them before and after the kernel runs, or chunk by
//! chunk while it runs. A choice of whoever writes the driver; the kernel is the same.

use serde::Serialize;

use super::Component;
use crate::schema::{ANSWER, Absence, Form, Instance, Kind, Row, SIZE};

/// The words of `mode`.
const MODES: &[&str] = &["buffered", "multi-buffered", "streaming"];
/// The words of `io`.
const IOS: &[&str] = &["buffered", "direct"];
/// The words of `peer`.
const PEERS: &[&str] = &["host", "direct"];
/// What is moved at a time where nothing is said: above 1 MB larger chunks gain nothing more on the
/// SGI RASC RC100 (Wielgosz, Jamro, Wiatr: Accelerating calculations on the RASC platform).
const CHUNK_BYTES: u64 = 1 << 20;
/// The same where records go straight through: a page.
const BURST_BYTES: u64 = 4096;

/// `[transfer]` of a platform file.
pub const KIND: Kind = Kind {
    name: "transfer",
    meaning: "how bytes come and go",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "mode",
            Form::Choice(MODES),
            Absence::Is(0),
            0,
            "\"multi-buffered\"",
            "`buffered`: all before and behind the kernel; `multi-buffered`: streams by chunks while it \
             runs, each set up by itself; `streaming`: streams straight through, set up once",
        ),
        Row::choice(
            "io",
            Form::Choice(IOS),
            Absence::Is(0),
            0,
            "\"direct\"",
            "`buffered`: by way of the driver's own buffers, at `copy_bandwidth`; `direct`: the link \
             reaches the caller's pages",
        ),
        Row::choice(
            "chunk",
            SIZE,
            Absence::Nothing,
            1,
            "\"64 KiB\"",
            "what is moved at a time; else 1 MiB, and for `streaming` the link's burst or 4 KiB",
        ),
        Row::choice(
            "buffers",
            Form::Count,
            Absence::Is(2),
            1,
            "2",
            "chunks of a stream that the device holds at a time",
        ),
        Row::choice(
            "peer",
            Form::Choice(PEERS),
            Absence::Is(0),
            0,
            "\"direct\"",
            "device memory that another device needs: by way of the `host`, or `direct`, over the links that \
             lie between the two",
        ),
        Row::choice(
            "packed",
            ANSWER,
            Absence::Is(1),
            0,
            "\"no\"",
            "whether elements that are narrower than the memory lie side by side in a word of it, on the \
             link too; else each has a word of its own",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 30);

/// How bytes come and go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All before and behind the kernel.
    #[default]
    Buffered,
    /// Streams by chunks while it runs.
    MultiBuffered,
    /// Streams straight through.
    Streaming,
}

/// Which pages of the host the link reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Io {
    /// The driver's.
    #[default]
    Buffered,
    /// The caller's.
    Direct,
}

/// The choices in the engine's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TransferSettings {
    /// When.
    pub mode: Mode,
    /// From where, and to where.
    pub io: Io,
    /// What is moved at a time, if that was said.
    pub chunk_bytes: Option<u64>,
    /// Chunks that the device holds of a stream.
    pub buffers: u64,
    /// Whether devices reach each other past the host.
    pub is_peer_to_peer: bool,
    /// Whether narrow elements share a word.
    pub is_packed: bool,
}

impl TransferSettings {
    /// What a file says; what holds without is in the rows.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            mode: match said.number("mode")? {
                0 => Mode::Buffered,
                1 => Mode::MultiBuffered,
                _ => Mode::Streaming,
            },
            io: if said.number("io")? == 0 { Io::Buffered } else { Io::Direct },
            chunk_bytes: said.number("chunk"),
            buffers: said.number("buffers")?,
            is_peer_to_peer: said.number("peer")? == 1,
            is_packed: said.number("packed")? == 1,
        })
    }

    /// What an element takes on the link and in a memory with words of so many bytes.
    pub fn element_bytes(&self, bytes: u64, word_bytes: u64) -> u64 {
        if self.is_packed { bytes } else { bytes.max(word_bytes) }
    }

    /// Bytes of device memory that a stream takes which comes or goes while the kernel runs.
    pub fn stream_bytes(&self) -> u64 {
        match self.mode {
            Mode::Streaming => 0,
            Mode::Buffered | Mode::MultiBuffered => {
                self.chunk_bytes(None).saturating_mul(self.buffers)
            }
        }
    }

    /// What is moved at a time over a link with such bursts.
    pub fn chunk_bytes(&self, burst_bytes: Option<u64>) -> u64 {
        let usual = match self.mode {
            Mode::Streaming => burst_bytes.unwrap_or(BURST_BYTES),
            _ => CHUNK_BYTES,
        };
        self.chunk_bytes.unwrap_or(usual).max(1)
    }
}
