// SPDX-License-Identifier: Apache-2.0
//! A package is run only if it is exactly what the compiler of this version wrote.

mod kernel;

use proptest::prelude::*;
use tandem::error::Status;
use tandem::package::{Package, PackageFile};

const NATIVE: &[u8] = b"the native model";

fn refusal(manifest: &str, native: &[u8]) -> String {
    let error = Package::read(files(manifest.as_bytes(), native)).expect_err("a refusal");
    assert_eq!(error.status, Status::BadPackage);
    assert!(error.message.ends_with("compile the kernel again and rebuild the program"), "{error}");
    error.message
}

fn files<'a>(manifest: &'a [u8], native: &'a [u8]) -> Vec<PackageFile<'a>> {
    vec![
        PackageFile { name: "manifest.json", data: manifest },
        PackageFile { name: "ahead.so", data: native },
    ]
}

fn good_manifest() -> String {
    kernel::manifest(&[PackageFile { name: "ahead.so", data: NATIVE }])
}

#[test]
fn a_good_package_is_read() {
    let manifest = good_manifest();
    let package = Package::read(files(manifest.as_bytes(), NATIVE)).expect("a good package");
    assert_eq!(package.manifest.kernel, "add_key");
    assert_eq!(package.file("ahead.so").unwrap(), NATIVE);
    assert_eq!(package.file("rtl.so").unwrap_err().status, Status::BadPackage);
    assert!(package.manifest.check_count(4).is_ok());
    assert!(package.manifest.may_share(0, 1) && !package.manifest.may_share(0, 2));
}

#[test]
fn changed_files_are_refused() {
    let manifest = good_manifest();
    let cut = refusal(&manifest, &NATIVE[..5]);
    assert!(cut.contains("ahead.so is cut short: 5 bytes, its manifest says 16"), "{cut}");
    let grown = refusal(&manifest, b"the native model and more");
    assert!(grown.contains("ahead.so was changed: 25 bytes"), "{grown}");
    let changed = refusal(&manifest, b"the nativE model");
    assert!(changed.contains("ahead.so was changed since it was made"), "{changed}");
    let unlisted = refusal(&kernel::manifest(&[]), NATIVE);
    assert!(unlisted.contains("ahead.so is not in its manifest"), "{unlisted}");
}

#[test]
fn other_versions_are_refused_before_anything_else_is_read() {
    let format = r#"{"format": "tandem-package", "format_version": 3}"#;
    let message = refusal(format, NATIVE);
    assert!(message.contains("has format_version 3, this engine needs 12"), "{message}");
    assert!(refusal("[]", NATIVE).contains("has format null"));
}

#[test]
fn damaged_manifests_are_refused() {
    let manifest = good_manifest();
    let cut = refusal(&manifest[..manifest.len() / 2], NATIVE);
    assert!(cut.contains("manifest.json is cut short"), "{cut}");
    let kind = refusal(&manifest.replace("\"stream\"", "\"steam\""), NATIVE);
    assert!(kind.contains("manifest.json was changed: unknown variant `steam`"), "{kind}");
    let clock = refusal(&manifest.replace("\"clock_ps\": 10000", "\"clock_ps\": 0"), NATIVE);
    assert!(clock.contains("clock_ps is 0"), "{clock}");
    let record =
        refusal(&manifest.replacen("\"element_bytes\": 8", "\"element_bytes\": 0", 1), NATIVE);
    assert!(record.contains("argument in has records of 0 bytes"), "{record}");
    let missing = Package::read(Vec::new()).expect_err("a refusal");
    assert!(missing.message.contains("manifest.json is missing"), "{missing}");
}

proptest! {
    #[test]
    fn no_content_panics(manifest in ".{0,200}", native in any::<Vec<u8>>()) {
        prop_assert!(Package::read(files(manifest.as_bytes(), &native)).is_err());
    }

    #[test]
    fn no_byte_of_a_file_can_change(at in 0..NATIVE.len(), flip in 1u8..) {
        let mut native = NATIVE.to_vec();
        native[at] ^= flip;
        prop_assert!(Package::read(files(good_manifest().as_bytes(), &native)).is_err());
    }
}
