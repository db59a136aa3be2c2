// SPDX-License-Identifier: Apache-2.0
//! The platform files: those that are shipped, and what is said about bad ones. The bad ones are
//! in tests/diagnostics, each with the text it must give; `TANDEM_UPDATE=1` rewrites the texts.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tandem::breakdown::Category;
use tandem::components::Job;
use tandem::error::Status;
use tandem::machine::Machine;
use tandem::platform::Platform;
use tandem::trace::Trace;

fn engine() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped(name: &str) -> Platform {
    let path = engine().join("../platforms").join(name);
    Platform::load(&path).expect("a good platform file")
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension() == Some("toml".as_ref())).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn shipped_platforms_are_good_and_named_after_their_files() {
    for path in toml_files(&engine().join("../platforms")) {
        let platform = Platform::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Some(platform.name.as_ref()), path.file_stem());
    }
}

#[test]
fn diagnostics_are_as_written_down() {
    for path in toml_files(&engine().join("tests/diagnostics")) {
        let shown = format!("platforms/{}", path.file_name().unwrap().to_string_lossy());
        let error = Platform::parse(&shown, &fs::read_to_string(&path).unwrap()).unwrap_err();
        assert_eq!(error.status, Status::BadPlatform);
        let golden = path.with_extension("txt");
        let found = format!("{error}\n");
        if std::env::var_os("TANDEM_UPDATE").is_some_and(|value| value == "1") {
            fs::write(&golden, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&golden).unwrap(), "{}", golden.display());
    }
}

#[test]
fn a_file_that_cannot_be_read_says_so() {
    let error = Platform::load(Path::new("nowhere.toml")).unwrap_err();
    assert_eq!(error.status, Status::BadPlatform);
    assert!(error.message.starts_with("nowhere.toml: error: cannot read"), "{error}");
}

#[test]
fn json_has_the_engines_units() {
    let json = shipped("src-6e.toml").to_json().unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["configuration"]["time_ps"], 100_000_000_000u64);
    assert_eq!(value["link"]["peak_bandwidth_bytes_per_s"], 800_000_000);
    assert_eq!(value["device"]["clock_ps"], 10_000);
    assert_eq!(value["software"]["copy_bandwidth_bytes_per_s"], serde_json::Value::Null);
    assert!(value["sources"]["link.peak_bandwidth"].as_str().unwrap().contains("2.1"));
}

/// Table 1 of the paper that platforms/src-6e.toml names: words, then seconds in total, without
/// configuration, and on the MAP only. Rows 1024 and 500000 calibrate, so they prove nothing.
const TABLE_1: [(u64, f64, f64, f64); 7] = [
    (1024, 0.099, 0.00050, 1.12e-05),
    (10_000, 0.100, 0.00133, 0.000_101),
    (25_000, 0.102, 0.00266, 0.000_251),
    (50_000, 0.105, 0.00492, 0.000_501),
    (100_000, 0.108, 0.00932, 0.001_001),
    (250_000, 0.123, 0.02228, 0.002_501),
    (500_000, 0.146, 0.04421, 0.005_001),
];

#[test]
fn src_6e_gives_table_1_within_5_percent() {
    const DES3_LATENCY_CYCLES: u64 = 50;
    for (words, total_s, no_config_s, map_s) in TABLE_1 {
        let job = Job {
            bytes_in: vec![words * 8],
            bytes_out: vec![words * 8],
            cycles: words + DES3_LATENCY_CYCLES,
            clock_ps: 10_000,
            ..Job::default()
        };
        let mut trace = Trace::default();
        let total_ps = Machine::new(shipped("src-6e.toml")).call(job, &mut trace);
        let times = trace.breakdown.total;
        let no_config_ps = total_ps - times.of(Category::Configure);
        for (name, found_ps, published_s) in [
            ("total", total_ps, total_s),
            ("without configuration", no_config_ps, no_config_s),
            ("MAP", times.of(Category::Compute), map_s),
        ] {
            let error = found_ps as f64 * 1e-12 / published_s - 1.0;
            println!("{words:7} words, {name}: {:+.1} %", error * 100.0);
            assert!(error.abs() < 0.05, "{words} words, {name}: {error:+.3}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let _ = Platform::parse("random.toml", &text);
    }

    #[test]
    fn no_damage_panics(
        from in 0usize..2000,
        bytes in 0usize..40,
        text in "[a-z0-9 .\"{}=-]{0,8}",
    ) {
        let path = engine().join("../platforms/src-6e.toml");
        let mut content = fs::read_to_string(path).expect("a file");
        let range = from.min(content.len())..(from + bytes).min(content.len());
        if content.is_char_boundary(range.start) && content.is_char_boundary(range.end) {
            content.replace_range(range, &text);
        }
        let _ = Platform::parse("damaged.toml", &content);
    }
}
