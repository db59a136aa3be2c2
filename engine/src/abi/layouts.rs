// SPDX-License-Identifier: Apache-2.0
//! That structs lie in C's memory as the header says: a C compiler reads it, and what Rust has.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

use super::chip::TandemAccess;
use super::runtime::TandemArgument;
use super::{TandemEntry, TandemFile, TandemPackage};
use crate::chip::bus::pins::TandemPins;
use crate::model::AnswersRow;

/// What has to hold in C, of a struct and all of its fields.
macro_rules! layout {
    ($($of:ident as $name:literal: $($field:ident),*;)*) => {{
        let mut text = String::new();
        $(
            let size = size_of::<$of>();
            let _ = writeln!(text, "_Static_assert(sizeof(struct {}) == {size}, \"size\");", $name);
            let mut last = 0;
            $(
                let place = offset_of!($of, $field);
                last = last.max(place);
                let field = stringify!($field);
                let what = format!("offsetof(struct {}, {field}) == {place}", $name);
                let _ = writeln!(text, "_Static_assert({what}, \"{field}\");");
            )*
            assert!(last < size);
        )*
        text
    }};
}

#[test]
fn structs_lie_as_the_header_says() {
    let asserts = layout! {
        TandemFile as "tandem_file": name, data, bytes;
        TandemPackage as "tandem_package": abi_version, file_count, files;
        TandemEntry as "tandem_entry": state;
        AnswersRow as "tandem_polls": answers, count;
        TandemArgument as "tandem_argument": data, bytes;
        TandemAccess as "TandemAccess": idle_cycles, offset, is_write, word, acknowledged;
        TandemPins as "TandemPins": given, said;
    };
    assert!(compiles(&asserts));
    assert!(!compiles(&asserts.replacen("== 24", "== 32", 1)), "asserts that cannot fail");
}

fn compiles(asserts: &str) -> bool {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let folder = std::env::temp_dir().join(format!("tandem-layouts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = folder.join("layouts.c");
    let text = format!("#include <stddef.h>\n#include \"tandem.h\"\n{asserts}");
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new("cc");
    command.arg("-fsyntax-only").arg("-std=c11").arg("-I").arg(include).arg(&source);
    let done = command.output().expect("the tests need a C compiler, cc").status.success();
    let _ = std::fs::remove_dir_all(folder);
    done
}
