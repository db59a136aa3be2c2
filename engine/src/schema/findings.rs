// SPDX-License-Identifier: Apache-2.0
//! What is wrong with a platform file: collected, then shown together in the order of the lines.

use super::At;

/// Findings and where they were made.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<(At, String)>,
    changes: Vec<String>,
}

impl Findings {
    /// No findings; the changes are shown as they were given.
    pub fn new(changes: &[&str]) -> Self {
        let changes = changes.iter().map(ToString::to_string).collect();
        Self { found: Vec::new(), changes }
    }

    /// Adds a finding.
    pub fn add(&mut self, at: At, message: impl Into<String>) {
        self.found.push((at, message.into()));
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// One `PLACE: error: ...` a line: the file's lines in order, then the changes.
    pub fn render(mut self, path: &str, text: &str) -> String {
        self.found.sort_by_key(|(at, _)| *at);
        let show = |(at, message): &(At, String)| match at {
            At::Text(offset) => format!("{path}:{}: error: {message}", line_of(text, *offset)),
            At::Change(number) => format!("--set {}: error: {message}", self.changes[*number]),
        };
        self.found.iter().map(show).collect::<Vec<_>>().join("\n")
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count()
}

/// The known name that is nearest to a mistyped one, if it is near enough to be what was meant.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance: the least number of characters to insert, delete or replace.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replace = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        let known = ["call_time", "launch_time", "wait_time"];
        assert_eq!(nearest("cal_time", known.into_iter()), Some("call_time"));
        assert_eq!(nearest("launchtime", known.into_iter()), Some("launch_time"));
        assert_eq!(nearest("bandwidth", known.into_iter()), None);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
