//! Damage that was found, of which only so much is kept.

use crate::facts::Damage;

/// More damaged lines are only counted.
const MOST: usize = 100;

/// Damage of one file.
pub(super) struct Notes {
    file: String,
    kept: Vec<Damage>,
    more: usize,
}

impl Notes {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), kept: Vec::new(), more: 0 }
    }

    pub(super) fn damage(&mut self, line: usize, quote: &str, reason: impl Into<String>) {
        if self.kept.len() < MOST {
            self.kept.push(Damage::new(&self.file, line, quote, reason));
        } else {
            self.more += 1;
        }
    }

    /// Takes back what was said of a line: the next one makes it whole.
    pub(super) fn forget(&mut self, line: usize) {
        self.kept.retain(|damage| usize::try_from(damage.line) != Ok(line));
    }

    pub(super) fn finish(mut self) -> Vec<Damage> {
        self.kept.sort_by_key(|damage| damage.line);
        if self.more > 0 {
            self.kept.push(Damage::of_file(&self.file, format!("{} more damaged lines", self.more)));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_counted() {
        let mut notes = Notes::new("t.txt");
        for line in 1..=MOST + 7 {
            notes.damage(line, "x", "bad");
        }
        let damage = notes.finish();
        assert_eq!(damage.len(), MOST + 1);
        assert_eq!(damage.last().map(ToString::to_string).as_deref(), Some("t.txt: 7 more damaged lines"));
    }
}
