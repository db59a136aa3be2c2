// SPDX-License-Identifier: Apache-2.0
//! Names the shared library, so that programs linked with it look for that name and not for the
//! path of this build; and has it call its own functions in place of the C library's, which a
//! program may have others of. And it lists the folders in which each file adds one of a kind, so that
//! nothing else has to name it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// A folder in which each file but `mod.rs` has one of a kind: what is made of it in `OUT_DIR`, which
/// the `mod.rs` includes, is a `mod` for each and a table of all, in the order of their places.
struct Listed {
    folder: &'static str,
    /// What is made.
    file: &'static str,
    /// The constant that each file has, and its type.
    constant: (&'static str, &'static str),
}

const LISTED: [Listed; 3] = [
    Listed {
        folder: "src/components",
        file: "components.rs",
        constant: ("COMPONENT", "Component"),
    },
    Listed {
        folder: "src/chip/bus/protocols",
        file: "bus_protocols.rs",
        constant: ("PROTOCOL", "Protocol"),
    },
    Listed {
        folder: "src/harness/protocols",
        file: "port_protocols.rs",
        constant: ("PROTOCOL", "Protocol"),
    },
];

/// Puts a table into the order of its places; those of one place are in the order of their names.
const IN_ORDER: &str = "    let mut sorted = 1;
    while sorted < found.len() {
        let mut at = sorted;
        while at > 0 && found[at].place < found[at - 1].place {
            found.swap(at, at - 1);
            at -= 1;
        }
        sorted += 1;
    }
    found
";

/// The functions of `src/host/system.rs`.
const ASKED: [&str; 29] = [
    "close",
    "fstat64",
    "getcwd",
    "getpid",
    "getrandom",
    "gettid",
    "lseek64",
    "lstat64",
    "madvise",
    "memfd_create",
    "mlock",
    "mmap",
    "mmap64",
    "mprotect",
    "mremap",
    "munmap",
    "open64",
    "pipe2",
    "poll",
    "read",
    "readlink",
    "rename",
    "stat64",
    "statx",
    "syscall",
    "unlink",
    "waitpid",
    "write",
    "writev",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtandem.so");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    for name in ASKED {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--wrap={name}");
    }
    LISTED.iter().for_each(list);
}

/// By name, so that the order is everywhere the same.
fn list(listed: &Listed) {
    let Listed { folder, file, constant: (constant, kind) } = listed;
    println!("cargo::rerun-if-changed={folder}");
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&root).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "rs")).collect();
    paths.sort();
    let (mut modules, mut table, mut count) = (String::new(), String::new(), 0);
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name != "mod" {
            let _ = writeln!(modules, "#[path = {path:?}]\npub mod {name};");
            let _ = writeln!(table, "        {name}::{constant},");
            count += 1;
        }
    }
    let table = format!("    let mut found = [\n{table}    ];\n{IN_ORDER}");
    let text = format!("{modules}\nconst FOUND: [{kind}; {count}] = {{\n{table}}};\n");
    let made = Path::new(&variable("OUT_DIR")).join(file);
    fs::write(&made, text).unwrap_or_else(|error| panic!("{}: {error}", made.display()));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}
