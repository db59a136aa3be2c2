// SPDX-License-Identifier: Apache-2.0
//! What happened on the simulated clock: spans of a component's time. Totals are exact however
//! long the run; of the spans themselves the first [`KEPT_SPANS`] are kept.

use serde::Serialize;

use crate::breakdown::{Breakdown, Category};
use crate::span_file::SpanFile;

/// How many spans a report shows; later ones are counted.
pub const KEPT_SPANS: usize = 10_000;

/// A component being busy with one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The component's name.
    pub component: &'static str,
    /// What the time was spent on.
    pub category: Category,
    /// Simulated time of its begin.
    pub start_ps: u64,
    /// Simulated time of its end.
    pub end_ps: u64,
    /// Bytes moved, 0 where none are.
    pub bytes: u64,
    /// The part of the duration that does not grow with bytes.
    pub fixed_ps: u64,
    /// Index of the call, from 0.
    pub call: u64,
}

/// The spans of a run and their fold.
#[derive(Debug, Default)]
pub struct Trace {
    /// The first [`KEPT_SPANS`] spans.
    pub spans: Vec<Span>,
    /// How many spans were counted but not kept.
    pub dropped: u64,
    /// All spans, folded.
    pub breakdown: Breakdown,
    /// Where all spans go, if anybody wants them.
    pub file: Option<SpanFile>,
}

impl Trace {
    /// Adds a span; one without duration is nothing and leaves no trace.
    pub fn record(&mut self, span: Span) {
        if span.start_ps == span.end_ps {
            return;
        }
        self.breakdown.add(&span);
        if let Some(file) = &mut self.file {
            file.add(&span);
        }
        if self.spans.len() < KEPT_SPANS {
            self.spans.push(span);
        } else {
            self.dropped += 1;
        }
    }
}
