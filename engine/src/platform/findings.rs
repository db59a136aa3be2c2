// SPDX-License-Identifier: Apache-2.0
//! What is wrong with a platform file: collected, then shown together in the order of the lines.

/// Findings and where in the text they were made.
#[derive(Debug, Default)]
pub struct Findings(Vec<(usize, String)>);

impl Findings {
    /// Adds a finding at a byte offset of the text.
    pub fn add(&mut self, offset: usize, message: impl Into<String>) {
        self.0.push((offset, message.into()));
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `FILE:LINE: error: ...` a line.
    pub fn render(mut self, path: &str, text: &str) -> String {
        self.0.sort_by_key(|(offset, _)| *offset);
        let show = |(offset, message): &(usize, String)| {
            format!("{path}:{}: error: {message}", line_of(text, *offset))
        };
        self.0.iter().map(show).collect::<Vec<_>>().join("\n")
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
