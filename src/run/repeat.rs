use std::path::PathBuf;

use crate::{plan::Case, spec::Level};

/// How a run was called, and how one of its cases is called again.
#[derive(Clone, Debug, Default)]
pub struct RepeatCommand {
    /// The whole command line of this run.
    pub command: Vec<String>,
    /// The options that a repetition needs: `--host`, `--param`, `--env`, `--pin-env`.
    pub options: Vec<String>,
    /// The folder for the results of this run. Those of a repetition go to `repeat` in it: they are of one case and must
    /// not replace those of all.
    pub out: PathBuf,
}

impl RepeatCommand {
    /// The command that repeats just this case.
    pub fn of(&self, case: &Case) -> String {
        let mut words = vec!["linkspec".to_owned(), case.suite.file.to_string(), case.name(), "--exact".to_owned()];
        if let Some(test) = case.test.as_deref() {
            if test.level > Level::default() {
                words.extend(["--level".to_owned(), test.level.to_string()]);
            }
            if test.ignore.is_some() {
                words.push("--include-ignored".to_owned());
            }
        }
        words.extend(self.options.iter().cloned());
        words.extend(["--out".to_owned(), self.out.join("repeat").display().to_string()]);
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("specs/h200-x2.yaml"), "specs/h200-x2.yaml");
        assert_eq!(quoted("a::b[NCCL_ALGO=Ring]"), "'a::b[NCCL_ALGO=Ring]'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
