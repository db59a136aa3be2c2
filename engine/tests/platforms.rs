// SPDX-License-Identifier: Apache-2.0
//! The platform files: those that are shipped, and what is said about bad ones. The bad ones are
//! in tests/diagnostics, each with the text it must give; `TANDEM_UPDATE=1` rewrites the texts.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tandem::breakdown::Category;
use tandem::chip::settings::ChipSettings;
use tandem::components::device::Computation;
use tandem::error::Status;
use tandem::job::{Job, Moved};
use tandem::machine::Machine;
use tandem::platform::{Changes, Platform};
use tandem::schema::reader::has_table;

fn engine() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn moved(bytes: &[u64]) -> Vec<Moved> {
    let moved = |(argument, &bytes)| Moved { argument, bytes, record_bytes: 8, is_locked: false };
    bytes.iter().enumerate().map(moved).collect()
}

fn shipped(name: &str) -> Platform {
    let path = engine().join("../platforms").join(name);
    Platform::load(&path, Changes::default()).expect("a good platform file")
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
        let text = fs::read_to_string(&path).expect("it can be read");
        if has_table(&text, "chip") {
            let chip = ChipSettings::parse(&path.display().to_string(), &text, Changes::default());
            let name = chip.unwrap_or_else(|error| panic!("{error}")).name;
            assert_eq!(Some(name.as_ref()), path.file_stem());
            continue;
        }
        let platform =
            Platform::load(&path, Changes::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Some(platform.name.as_ref()), path.file_stem());
        let told = |kind: &str| {
            let heads = [format!("[{kind}]"), format!("[[{kind}]]")];
            text.lines().filter(|line| heads.iter().any(|head| head == line)).count()
        };
        let controllers = platform.controller.iter().count();
        let found = [platform.devices.len(), platform.links.len(), controllers];
        assert_eq!(found, ["device", "link", "controller"].map(told), "{}", platform.name);
    }
}

#[test]
fn diagnostics_are_as_written_down() {
    for path in toml_files(&engine().join("tests/diagnostics")) {
        let shown = format!("platforms/{}", path.file_name().unwrap().to_string_lossy());
        let error =
            Platform::parse(&shown, &fs::read_to_string(&path).unwrap(), Changes::default())
                .unwrap_err();
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
fn changes_that_do_not_go_together_are_told_as_changes() {
    let path = engine().join("tests/one-device.toml");
    for (changes, told) in [
        ("batch.adaptive=yes", "--set batch.adaptive=yes: error: [batch] adaptive"),
        ("batch.adaptive=yes\nbatch.ahead=0", "--set batch.ahead=0: error: [batch] adaptive"),
        (
            "link.bandwidth=2GB/s\nlink.peak_bandwidth=1GB/s",
            "--set link.peak_bandwidth=1GB/s: error",
        ),
    ] {
        let error = Platform::load(&path, Changes(changes)).expect_err("they do not");
        assert!(error.message.contains(told), "{error}");
    }
    Platform::load(&path, Changes("batch.adaptive=yes\nbatch.ahead=1")).expect("they do");
}

#[test]
fn a_file_that_cannot_be_read_says_so() {
    let error = Platform::load(Path::new("nowhere.toml"), Changes::default()).unwrap_err();
    assert_eq!(error.status, Status::BadPlatform);
    assert!(error.message.starts_with("nowhere.toml: error: cannot read"), "{error}");
}

#[test]
fn json_has_the_engines_units() {
    let json = shipped("src-6e.toml").to_json().unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["configurations"][0]["time_ps"], 100_000_000_000u64);
    assert_eq!(value["links"][0]["peak_bandwidth_bytes_per_s"], 800_000_000);
    assert_eq!(value["devices"][0]["clock_ps"], 10_000);
    assert_eq!(value["software"]["copy_bandwidth_bytes_per_s"], serde_json::Value::Null);
    assert!(value["sources"]["snap-1.peak_bandwidth"].as_str().unwrap().contains("2.1"));
}

fn loads_of(changes: &str, calls: &[usize]) -> (Machine, u64) {
    let changes = format!(
        "software.call_time=0s\nlink.transfer_time=0s\ndevice.launch_cycles=0\n\
         configuration.time=10us\n{changes}"
    );
    let mut machine = Machine::new(changed(&changes).expect("a platform"));
    for (call, &kernel) in calls.iter().enumerate() {
        let run = Computation { cycles: 100, latency_cycles: 0, clock_ps: 1_000_000 };
        machine.call(&Job { call: call as u64, kernel, run, ..Job::default() }).expect("an end");
    }
    let now_ps = machine.now_ps();
    (machine, now_ps)
}

#[test]
fn kernels_are_loaded_before_they_are_needed() {
    let turns = [0, 1, 2].repeat(10);
    let run_ps = 30 * 100_000_000;
    let of = |changes: &str| {
        let (machine, now_ps) = loads_of(changes, &turns);
        let busy_ps = machine.happened().breakdown.busy.of(Category::Configure);
        (machine.loads().loads, (now_ps - run_ps) / 10_000_000, busy_ps / 10_000_000)
    };
    // One region: each call loads. Three hold everything. Two, of which the one used last for
    // longest is always the wrong one: each call loads; who knew would load 16 times.
    assert_eq!(of(""), (30, 30, 30));
    assert_eq!(of("configuration.regions=3"), (3, 3, 3));
    assert_eq!(of("configuration.regions=2"), (30, 30, 30));
    assert_eq!(loads_of("configuration.regions=2", &turns).0.loads().least_loads, Some(16));
    // What is there when the program begins, and what comes while another kernel runs, costs no time.
    assert_eq!(of("configuration.regions=2\nconfiguration.preload=yes"), (28, 28, 28));
    let (loads, exposed, busy) = of("configuration.regions=2\nconfiguration.prefetch=yes");
    assert_eq!((loads, exposed), (31, 4), "until it has seen what comes after what");
    assert!(busy >= 30, "{busy}");
    let both = "configuration.regions=2\nconfiguration.prefetch=yes\nconfiguration.preload=yes";
    assert_eq!(of(both).1, 2);
    // A kernel that is being loaded ahead is waited for, not loaded twice.
    let slow = "configuration.regions=2\nconfiguration.prefetch=yes\nconfiguration.time=150us";
    let (machine, now_ps) = loads_of(slow, &turns);
    assert!(machine.loads().loads <= 31, "{}", machine.loads().loads);
    assert!(now_ps < run_ps + 30 * 150_000_000 - 26 * 90_000_000);
}

#[test]
fn kernels_of_one_configuration_are_loaded_once_and_run_beside_each_other() {
    let (machine, now_ps) = loads_of("kernel.together=yes", &[0, 1, 2].repeat(10));
    assert_eq!(now_ps, 10_000_000 + 30 * 100_000_000);
    assert_eq!((machine.loads().loads, machine.loads().least_loads), (1, Some(1)));
    // Two calls at once take the time of one, unless they are of one kernel.
    let took_ps = |kernels: [usize; 2]| {
        let changes = "software.call_time=0s\ndevice.launch_cycles=0\nkernel.together=yes";
        let mut machine = Machine::new(changed(changes).expect("a platform"));
        machine.name_kernel(1, "second");
        machine.configure(0).expect("it is loaded");
        let loaded_ps = machine.now_ps();
        let run = Computation { cycles: 100, latency_cycles: 0, clock_ps: 1_000_000 };
        for kernel in kernels {
            machine.submit(Job { kernel, run, ..Job::default() });
        }
        machine.finish();
        let names = machine.happened().components;
        let has_own = names.iter().any(|busy| busy.component.as_str() == "device.second");
        assert_eq!(has_own, kernels.contains(&1));
        machine.now_ps() - loaded_ps
    };
    assert_eq!((took_ps([0, 1]), took_ps([0, 0])), (100_000_000, 200_000_000));
}

fn changed(changes: &str) -> Result<Platform, String> {
    let path = engine().join("tests/one-device.toml");
    Platform::load(&path, Changes(changes)).map_err(|error| error.message)
}

#[test]
fn changes_are_made_and_told() {
    let platform = changed("link.bandwidth = 1.6GB/s\n\nkernel.units=4\nlink.duplex=full\n");
    let platform = platform.expect_err("more than the peak");
    assert!(platform.contains("bandwidth_to_device is more than peak_bandwidth"), "{platform}");
    let platform = changed("link.bandwidth=400MB/s\nkernel.units=4\nlink.duplex=full").unwrap();
    let link = &platform.links[0];
    assert_eq!(link.bandwidth_to_device_bytes_per_s, 400_000_000);
    assert_eq!(link.bandwidth_from_device_bytes_per_s, 400_000_000);
    assert!(link.is_full_duplex);
    assert_eq!(platform.devices[0].units, 4);
    assert_eq!(platform.sources["link.bandwidth_to_device"], "changed on the command line");
    for (change, told) in [
        ("nonsense", "expected a component, a number of it and its value"),
        ("lnk.bandwidth=1B/s", "the platform has no \"lnk\"; did you mean link?"),
        ("link.bandwith=1B/s", "[link] has no \"bandwith\"; did you mean bandwidth?"),
        ("link.bandwidth=1B", "expected a rate such as \"800 MB/s\", found a size"),
        ("kernel.units=0", "expected more than 0"),
        ("link.duplex=both", "\"both\" is unknown; known are half, full"),
        ("link.through=hub", "there is no such link; known are link"),
    ] {
        let error = changed(change).expect_err(change);
        assert!(error.contains(told), "{change}: {error}");
        assert!(change == "link.through=hub" || error.starts_with(&format!("--set {change}: ")));
    }
}

#[test]
fn a_cycle_is_1_ps_or_longer() {
    let platform = changed("device.clock=1000GHz").expect("a cycle of 1 ps");
    assert_eq!(platform.devices.len(), 1);
    let error = changed("device.clock=1001GHz").expect_err("a shorter one");
    assert!(error.contains("clock is faster than a cycle of 1 ps"), "{error}");
}

/// Two devices on links of their own behind a hub that both share.
fn two_devices(changes: &str) -> Platform {
    let path = engine().join("tests/two-devices.toml");
    Platform::load(&path, Changes(changes)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn two_devices_hold_a_kernel_each() {
    let mut machine = Machine::new(two_devices(""));
    let devices: Vec<_> = (0..6)
        .map(|call| {
            let job = Job { call, kernel: call as usize % 2, ..Job::default() };
            machine.call(&job).expect("an end").device
        })
        .collect();
    assert_eq!(devices, [0, 1, 0, 1, 0, 1]);
    let configure_ps = machine.happened().breakdown.exposed.of(Category::Configure);
    assert_eq!(configure_ps, 2 * 1_000_000_000);
}

#[test]
fn of_three_kernels_the_one_that_was_not_used_for_longest_goes() {
    let mut machine = Machine::new(two_devices(""));
    let devices: Vec<_> = [0, 1, 0, 2, 0, 1]
        .iter()
        .map(|&kernel| machine.call(&Job { kernel, ..Job::default() }).expect("an end").device)
        .collect();
    assert_eq!(devices, [0, 1, 0, 1, 0, 1]);
    let configure_ps = machine.happened().breakdown.exposed.of(Category::Configure);
    assert_eq!(configure_ps, 4 * 1_000_000_000);
}

/// Two calls at once: where links are shared they share them, else they do not.
#[test]
fn a_shared_link_is_shared() {
    let took = |changes: &str| {
        let mut machine = Machine::new(two_devices(changes));
        for call in 0..2 {
            let moved_in = moved(&[1_000_000]);
            machine.submit(Job { call, kernel: 0, moved_in, ..Job::default() });
        }
        machine.finish();
        machine.now_ps()
    };
    // 1 ms of configuration, 1 ms for each transfer at 1 GB/s. The port is free for the second
    // device while the first one's data are on their way.
    assert_eq!(took(""), 1_000_000_000 + 2 * 1_000_000_000);
    assert_eq!(took("hub.bandwidth=1MB/s"), 1_000_000_000 + 2 * 1_000_000_000_000);
}

#[test]
fn ports_of_their_own_load_at_the_same_time() {
    let text = fs::read_to_string(engine().join("tests/two-devices.toml")).expect("the file");
    let two = text.replace(
        "[configuration]\n",
        "[[configuration]]\nname = \"own\"\ntime = { value = \"1 ms\", source = \"a test\" }\n\n\
         [[configuration]]\nname = \"others\"\n",
    );
    let two = two.replace("name = \"other\"\n", "name = \"other\"\nconfiguration = \"others\"\n");
    let took = |text: &str, kernels: &[usize]| {
        let platform = Platform::parse("two", text, Changes::default()).expect("a platform");
        let mut machine = Machine::new(platform);
        for &kernel in kernels {
            machine.submit(Job { kernel, ..Job::default() });
        }
        machine.finish();
        machine.now_ps() / 1_000_000_000
    };
    assert_eq!((took(&text, &[0, 1]), took(&two, &[0, 1])), (2, 1));
    // One that is being loaded is waited for.
    assert_eq!((took(&text, &[0, 1, 0, 1]), took(&two, &[0, 1, 0, 1])), (2, 1));
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
            moved_in: moved(&[words * 8]),
            moved_out: moved(&[words * 8]),
            run: Computation {
                cycles: words + DES3_LATENCY_CYCLES,
                latency_cycles: DES3_LATENCY_CYCLES,
                clock_ps: 10_000,
            },
            ..Job::default()
        };
        let mut machine = Machine::new(shipped("src-6e.toml"));
        let total_ps = machine.call(&job).expect("an end").time_ps;
        let times = machine.happened().breakdown.exposed;
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
        let _ = Platform::parse("random.toml", &text, Changes::default());
    }

    #[test]
    fn no_damage_panics(
        from in 0usize..2000,
        bytes in 0usize..40,
        text in "[a-z0-9 .\"{}=-]{0,8}",
    ) {
        let path = engine().join("tests/one-device.toml");
        let mut content = fs::read_to_string(path).expect("a file");
        let range = from.min(content.len())..(from + bytes).min(content.len());
        if content.is_char_boundary(range.start) && content.is_char_boundary(range.end) {
            content.replace_range(range, &text);
        }
        let _ = Platform::parse("damaged.toml", &content, Changes::default());
    }
}
