use std::io::{self, IsTerminal, Write};

/// The columns of the narrowest terminal, less the last one, which makes some of them wrap.
const COLUMNS: usize = 79;

/// One line on standard error that says what is under way; a terminal alone gets it.
pub(super) struct Progress {
    shown: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { shown: io::stdout().is_terminal() && io::stderr().is_terminal() }
    }

    /// Replaces the line.
    pub(super) fn show(&self, text: &str) {
        if self.shown {
            let text: String = text.chars().take(COLUMNS).collect();
            // Progress is a courtesy: nothing depends on it.
            let _ = write!(io::stderr(), "\r\u{1b}[K{text}");
        }
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.show("");
    }
}
