// SPDX-License-Identifier: Apache-2.0
//! Names the shared library, so that programs linked with it look for that name and not for the
//! path of this build.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtandem.so");
}
