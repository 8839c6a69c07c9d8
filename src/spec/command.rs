use super::{Placed, Wanted};

/// `command`: a program of the site's own, run without a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The program and its arguments.
    pub run: Placed<Vec<String>>,
    /// The exit code; 0 where it is not written.
    pub exit: Option<Placed<Wanted<i32>>>,
    /// What standard output must hold.
    pub stdout: Option<Placed<TextExpect>>,
    /// What standard error must hold.
    pub stderr: Option<Placed<TextExpect>>,
}

/// What an output must hold.
#[derive(Clone, Debug, Default)]
pub struct TextExpect {
    /// Texts that stand in it.
    pub contains: Vec<String>,
    /// Expressions that match somewhere in it.
    pub matches: Vec<regex::Regex>,
}

impl PartialEq for TextExpect {
    fn eq(&self, other: &Self) -> bool {
        let texts = |expect: &Self| expect.matches.iter().map(|regex| regex.as_str().to_owned()).collect::<Vec<_>>();
        self.contains == other.contains && texts(self) == texts(other)
    }
}
