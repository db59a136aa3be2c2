// SPDX-License-Identifier: Apache-2.0
//! What documents say of platform files, from what the components say of themselves: `TANDEM_UPDATE=1`
//! writes it.

use std::fs;
use std::path::Path;

use tandem::components::KINDS;
use tandem::platform::{Changes, Platform};
use tandem::schema::{Absence, Form};

fn engine() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page that says what a platform file may say, from what the components say of themselves.
#[test]
fn the_page_has_every_row() {
    let mut table = String::from("| table | number | written as | without it | meaning |\n");
    table += "| --- | --- | --- | --- | --- |\n";
    for kind in KINDS {
        for (index, row) in kind.rows.iter().enumerate() {
            let name = match (index, kind.may_be_several) {
                (0, true) => format!("`[{0}]`, `[[{0}]]`", kind.name),
                (0, false) => format!("`[{}]`", kind.name),
                _ => String::new(),
            };
            let absent = match row.absence {
                Absence::Needed => "needed".to_string(),
                Absence::Nothing => String::new(),
                Absence::Is(number) => match row.form {
                    Form::Choice(words) => format!("`{}`", words[number as usize]),
                    Form::Name(_) => "the first".to_string(),
                    _ => number.to_string(),
                },
            };
            let (key, example, meaning) = (row.key, row.example.replace('"', ""), row.meaning);
            table += &format!("| {name} | `{key}` | {example} | {absent} | {meaning} |\n");
        }
    }
    let path = engine().join("../docs/platforms.md");
    let page = fs::read_to_string(&path).expect("the page");
    let begin = page.find("engine/src/components -->\n").expect("a mark") + 26;
    let end = page.find("<!-- end -->").expect("a mark");
    if std::env::var_os("TANDEM_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, format!("{}{table}{}", &page[..begin], &page[end..])).unwrap();
    } else {
        assert_eq!(&page[begin..end], table, "TANDEM_UPDATE=1 writes it");
    }
}

/// A file to copy: what is needed as an example, what may be said as a comment.
#[test]
fn the_template_has_every_row() {
    let mut text = String::from(
        "# SPDX-License-Identifier: Apache-2.0\n\
         # A platform to copy (docs/platforms.md): each number is an example, and its source is yours to\n\
         # say. What stands behind a # may be said, and holds otherwise as the page tells.\n\
         format = 1\n\
         name = \"my-board\"\n\
         title = \"My board\"\n",
    );
    for kind in KINDS {
        let comment = if kind.is_needed { "" } else { "# " };
        text += &format!("\n# {}\n{comment}[{}]\n", kind.meaning, kind.name);
        for row in kind.rows {
            let is_needed = kind.is_needed && row.absence == Absence::Needed;
            let comment = if is_needed { "" } else { "# " };
            text += &format!("# {}\n{comment}{}\n", row.meaning, row.example_line());
        }
    }
    let path = engine().join("../docs/template.toml");
    if std::env::var_os("TANDEM_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).expect("the file"), text, "TANDEM_UPDATE=1 writes it");
    let platform = Platform::parse("template", &text, Changes::default()).expect("a platform");
    assert_eq!(platform.name, "my-board");
    // Everything said, but what stands for others or names one that is not there.
    let all = text.replace("# [", "[").lines().map(said).collect::<Vec<_>>().join("\n");
    Platform::parse("template", &all, Changes::default()).expect("a platform");
}

/// A line of the template without its comment, if it says a number or a choice.
fn said(line: &str) -> &str {
    match line.strip_prefix("# ") {
        Some(row) if row.split(' ').nth(1) == Some("=") => match row.split(' ').next() {
            Some("bandwidth" | "through") => line,
            _ => row,
        },
        _ => line,
    }
}
