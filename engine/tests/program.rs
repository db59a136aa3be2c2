// SPDX-License-Identifier: Apache-2.0
//! A C program linked with the shared library, calling a kernel of real shared objects.

mod kernel;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tandem::package::PackageFile;

const RECORDS: &str = "2000";
const CYCLES: u64 = 2005;

fn engine() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of the test's own; cargo gives one for all tests.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Where cargo put libtandem.so: beside this test's executable.
fn library_folder() -> PathBuf {
    let program = std::env::current_exe().expect("a path");
    program.parent().expect("a folder").to_path_buf()
}

fn compile<I: IntoIterator<Item: AsRef<OsStr>>>(source: &str, output: &Path, options: I) {
    let mut command = Command::new("cc");
    command.arg("-O2").arg(engine().join("tests/program").join(source)).arg("-o").arg(output);
    let output = command.args(options).output().expect("the tests need a C compiler, cc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The package's folder with its files; `options` go to the RTL's compilation.
fn package(name: &str, options: &[&str]) -> PathBuf {
    let folder = folder(name);
    let shared = ["-shared", "-fPIC"];
    compile("ahead.c", &folder.join("ahead.so"), shared);
    compile("rtl.c", &folder.join("rtl.so"), shared.iter().chain(options));
    let content = |name: &str| fs::read(folder.join(name)).expect("a file");
    let (ahead, rtl) = (content("ahead.so"), content("rtl.so"));
    let manifest = kernel::manifest(&[
        PackageFile { name: "ahead.so", data: &ahead },
        PackageFile { name: "rtl.so", data: &rtl },
    ]);
    fs::write(folder.join("manifest.json"), manifest).expect("a file");
    folder
}

fn good_package() -> &'static Path {
    static PACKAGE: OnceLock<PathBuf> = OnceLock::new();
    PACKAGE.get_or_init(|| package("good", &[]))
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = folder("program").join("program");
        let library = library_folder();
        let options = [
            format!("-I{}", engine().join("../include").display()),
            format!("-L{}", library.display()),
            "-ltandem".to_string(),
            format!("-Wl,-rpath,{}", library.display()),
        ];
        compile("program.c", &path, options);
        path
    })
}

/// The program, to be run with the library it was linked with: the paths that cargo sets for its
/// tests come first otherwise, and may hold an older one.
fn started() -> Command {
    let mut command = Command::new(program());
    command.env_remove("LD_LIBRARY_PATH");
    command
}

/// A run of the program: its output and its report.
fn run(mode: &str, package: &Path, arguments: &[&str], report: &Path) -> (Output, Option<Value>) {
    let _ = fs::remove_file(report);
    let output = started()
        .arg(package)
        .args(arguments)
        .env("TANDEM_MODE", mode)
        .env("TANDEM_PLATFORM", engine().join("../platforms/src-6e.toml"))
        .env("TANDEM_REPORT", report)
        .output()
        .expect("a run");
    let text = fs::read_to_string(report).ok();
    (output, text.map(|text| serde_json::from_str(&text).expect("JSON")))
}

fn report(mode: &str, arguments: &[&str], name: &str) -> Value {
    let (output, report) = run(mode, good_package(), arguments, &folder("reports").join(name));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"right\n");
    report.expect("a report")
}

/// A run that must fail as the stub does: what it said, and its report.
fn failure(mode: &str, package: &Path, name: &str) -> (String, Value) {
    let report_path = folder("reports").join(name);
    let (output, report) = run(mode, package, &[RECORDS, "1"], &report_path);
    assert_eq!(output.status.code(), Some(70));
    (String::from_utf8_lossy(&output.stderr).into_owned(), report.expect("a report"))
}

#[test]
fn emulate_and_simulate_give_the_same_report() {
    let emulated = report("emulate", &[RECORDS, "3"], "emulate.json");
    let simulated = report("simulate", &[RECORDS, "3"], "simulate.json");
    for key in ["cycles", "total_ps", "breakdown_ps", "fixed_ps", "spans", "clock_ps"] {
        assert_eq!(emulated[key], simulated[key], "{key}");
    }
    for key in ["calls", "cycles", "manifest_sha256"] {
        assert_eq!(emulated["kernels"][0][key], simulated["kernels"][0][key], "{key}");
    }
    assert_eq!(emulated["cycles"], 3 * CYCLES);
    assert_eq!(emulated["calls"], 3);
    assert_eq!(simulated["checked_calls"], 3);
    assert_eq!(emulated["error"], Value::Null);
    assert!(simulated["simulate_wall_ps"].as_u64() > Some(0));
}

#[test]
fn native_mode_needs_no_platform() {
    let report = report("native", &[RECORDS, "2"], "native.json");
    assert_eq!(report["platform"], Value::Null);
    assert_eq!(report["total_ps"], report["software_ps"]);
    assert_eq!((&report["calls"], &report["cycles"]), (&2.into(), &0.into()));
}

#[test]
fn buffers_that_overlap_are_served_by_the_c_function_in_place() {
    for mode in ["emulate", "simulate"] {
        let report = report(mode, &[RECORDS, "2", "in-place"], &format!("host-{mode}.json"));
        assert_eq!((&report["calls"], &report["total_ps"]), (&0.into(), &0.into()));
        assert_eq!(report["host_calls"]["calls"], 2);
        let reasons = serde_json::json!([{"reason": "`in` and `out` overlap", "example": "", "directive": "", "calls": 2}]);
        assert_eq!(report["host_calls"]["reasons"], reasons);
    }
}

#[test]
fn no_end_of_a_program_loses_a_call() {
    for (how, calls) in [("return", 2), ("_exit", 2), ("quick_exit", 2), ("atexit", 3)] {
        let report = report("emulate", &[RECORDS, "2", how], &format!("{how}.json"));
        assert_eq!((&report["calls"], &report["complete"]), (&calls.into(), &true.into()), "{how}");
    }
}

#[test]
fn a_forked_process_reports_beside_its_parent() {
    let parent = report("emulate", &["20", "2", "fork"], "fork.json");
    assert_eq!(parent["calls"], 3);
    let child = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let names = fs::read_dir(folder("reports")).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.to_string_lossy().contains("fork.json.")).find_map(|path| {
            let child: Value = serde_json::from_str(&fs::read_to_string(&path).ok()?).ok()?;
            fs::remove_file(path).ok().map(|()| child)
        })
    });
    assert_eq!(child.expect("the child's report")["calls"], 1);
}

#[test]
fn timing_the_c_function_again_leaves_no_trace_but_the_times() {
    for mode in ["native", "emulate"] {
        let path = folder("reports").join(format!("samples-{mode}.json"));
        let output = started()
            .arg(good_package())
            .args(["1000", "100"])
            .env("TANDEM_MODE", mode)
            .env("TANDEM_PLATFORM", engine().join("../platforms/src-6e.toml"))
            .env("TANDEM_REPORT", &path)
            .env("TANDEM_BASELINE_RUNS", "3")
            .output()
            .expect("a run");
        assert_eq!(output.stdout, b"right\n");
        let report: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let software = &report["kernels"][0]["software"];
        let number = |value: &Value| value.as_u64().unwrap();
        assert_eq!(number(&software["long_calls"]) + number(&software["short_calls"]), 100);
        // Of the calls 1, 2, 3, 4, 6, 8, 12, ... 96; a machine that is busy may cost one or the other.
        let samples = software["samples"].as_array().unwrap();
        assert!((8..=13).contains(&samples.len()), "{software}");
        for sample in samples {
            let (least, greatest) = (number(&sample["least_ps"]), number(&sample["greatest_ps"]));
            assert!(0 < least && least <= greatest && greatest < 1_000_000_000, "{sample}");
            assert_eq!(number(&sample["cycles"]), if mode == "native" { 0 } else { 1005 });
        }
    }
}

/// A call that takes long is asked how long the processor did something else. The engine waits for the
/// copy of the program that times the C function, which is no such time.
#[test]
fn waiting_for_the_times_does_not_count_as_the_c_functions() {
    let path = folder("reports").join("waits.json");
    let mut program = started();
    program.arg(good_package()).args(["400000", "4"]).env("TANDEM_MODE", "native");
    program.env("TANDEM_REPORT", &path).env("TANDEM_BASELINE_RUNS", "3");
    assert!(program.output().expect("a run").status.success());
    let report: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let software = &report["kernels"][0]["software"];
    let samples = software["samples"].as_array().unwrap();
    let least_ps = samples.iter().filter_map(|sample| sample["least_ps"].as_u64()).min();
    assert_eq!(software["long_calls"], 4, "{software}");
    assert!(software["long_ps"].as_u64() > least_ps.map(|ps| 3 * ps), "{software}");
}

#[test]
fn wrong_hardware_stops_the_program() {
    let faulty = package("faulty", &["-DFAULT"]);
    let (said, report) = failure("simulate", &faulty, "faulty.json");
    assert!(said.contains("status -5: kernel add_key: the hardware's out differs"), "{said}");
    assert!(said.contains("first at byte 8: expected 0x08, got 0x09"), "{said}");
    assert_eq!(report["mismatches"], 1);
    assert!(report["error"].as_str().is_some_and(|text| said.contains(text)));
}

#[test]
fn a_changed_package_stops_the_program() {
    let changed = package("changed", &[]);
    let mut native = fs::read(changed.join("ahead.so")).unwrap();
    *native.last_mut().unwrap() ^= 1;
    fs::write(changed.join("ahead.so"), native).unwrap();
    let (said, report) = failure("emulate", &changed, "changed.json");
    assert!(said.contains("status -2: kernel add_key: ahead.so was changed since"), "{said}");
    assert_eq!(report["calls"], 0);
}

#[test]
fn an_impossible_environment_stops_the_program() {
    let (said, report) = failure("fast", good_package(), "fast.json");
    assert!(said.contains("status -1: the mode is \"fast\"; expected native, emulate"), "{said}");
    assert!(report["error"].as_str().is_some());
}

#[test]
fn a_report_that_cannot_be_written_is_told_and_leaves_nothing() {
    let target = folder("a-folder-is-there.json");
    let (output, _) = run("emulate", good_package(), &[RECORDS, "1"], &target);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("tandem: cannot write the report"), "{said}");
    let beside = fs::read_dir(target.parent().unwrap()).unwrap();
    let names = beside.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    assert_eq!(names.filter(|name| name.contains("unfinished")).count(), 0);
}

/// A run that is refused for what the environment says: what is told.
fn refusal(variable: &str, value: &Path) -> String {
    let output = started()
        .args([good_package().as_os_str(), OsStr::new(RECORDS), OsStr::new("1")])
        .env("TANDEM_PLATFORM", engine().join("../platforms/src-6e.toml"))
        .env(variable, value)
        .output()
        .expect("a run");
    assert_eq!(output.status.code(), Some(70));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_report_replaces_former_reports_only() {
    let source = folder("reports").join("source.c");
    fs::write(&source, "int f(void);\n").unwrap();
    let link = folder("reports").join("link.json");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(&source, &link).unwrap();
    for path in [&source, &link] {
        let said = refusal("TANDEM_REPORT", path);
        assert!(said.contains("a file of another kind is there"), "{said}");
    }
    assert_eq!(fs::read_to_string(&source).unwrap(), "int f(void);\n");
    let former = folder("reports").join("former.json");
    for _ in 0..2 {
        let output = started()
            .args([good_package().as_os_str(), OsStr::new(RECORDS), OsStr::new("1")])
            .env("TANDEM_MODE", "native")
            .env("TANDEM_REPORT", &former)
            .output()
            .expect("a run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_the_environment_cannot_have_is_told() {
    let said = refusal("TANDEM_SPANS", Path::new("/no/such/folder/spans"));
    assert!(said.contains("TANDEM_SPANS: cannot write /no/such/folder/spans."), "{said}");
    let said = refusal("TANDEM_CLOCK", Path::new("stopped"));
    assert!(said.contains("\"stopped\"; expected scheduled or stepped"), "{said}");
    let said = refusal("TANDEM_CLOCK", Path::new("stepped"));
    assert!(said.contains("and the mode emulate: only in mode simulate"), "{said}");
    for text in ["often", "0", "-1"] {
        let said = refusal("TANDEM_BASELINE_RUNS", Path::new(text));
        assert!(said.contains("expected a number from 1 on"), "{said}");
    }
}
