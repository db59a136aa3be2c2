// SPDX-License-Identifier: Apache-2.0
//! Names the shared library, so that programs linked with it look for that name and not for the
//! path of this build; and has it call its own functions in place of the C library's, which a
//! program may have others of.

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
}
