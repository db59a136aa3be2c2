// SPDX-License-Identifier: Apache-2.0
//! The interface of a kernel to test with: `out[i] = in[i] + key`, one record a cycle.

use tandem::package::{PackageFile, VERSION, sha256_hex};

pub const LATENCY_CYCLES: u64 = 5;

/// The manifest of the kernel with the given files.
pub fn manifest(files: &[PackageFile<'_>]) -> String {
    let entry = |file: &PackageFile<'_>| {
        let (name, bytes, hash) = (file.name, file.data.len(), sha256_hex(file.data));
        format!("\"{name}\": {{\"bytes\": {bytes}, \"sha256\": \"{hash}\"}}")
    };
    let files = files.iter().map(entry).collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"format": "tandem-package", "format_version": 12, "tandem_version": "{VERSION}",
        "kernel": "add_key", "target": "ecp5", "clock_ps": 10000, "ii": 1,
        "latency_cycles": {LATENCY_CYCLES}, "has_floats": false, "prints": false, "polls": false,
        "arguments": [
          {{"name": "in", "kind": "stream", "direction": "in", "element_bytes": 8, "float_bytes": 0,
            "reads": true, "grows": true, "is_parameter": true, "extent": "exact", "stays_bytes": 0, "made": false}},
          {{"name": "out", "kind": "stream", "direction": "out", "element_bytes": 8, "float_bytes": 0,
            "reads": false, "grows": true, "is_parameter": true, "extent": "exact", "stays_bytes": 0, "made": false}},
          {{"name": "count", "kind": "scalar", "direction": "in", "element_bytes": 8, "float_bytes": 0,
            "reads": true, "grows": false, "is_parameter": true, "extent": "exact", "stays_bytes": 0, "made": false}},
          {{"name": "key", "kind": "scalar", "direction": "in", "element_bytes": 8, "float_bytes": 0,
            "reads": true, "grows": false, "is_parameter": true, "extent": "exact", "stays_bytes": 0, "made": false}}
        ],
        "loops": [{{"file": "add_key.c", "line": 3, "depth": 1, "ii": 1, "length_cycles": 5, "limit": "",
                    "takes": ["in"], "gives": [{{"stream": "out", "cycle": 1, "depth": 4}}]}}],
        "fifos": [],
        "in_place": [["in", "out"]],
        "files": {{{files}}}, "sources": {{}}, "tools": {{}}}}"#
    )
}
