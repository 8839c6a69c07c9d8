use std::fmt::Display;

use anstyle::{AnsiColor, Style as Ansi};

use crate::verdict::{Outcome, Severity};

/// How text for people is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether it is coloured.
    pub color: bool,
    /// The columns of the terminal.
    pub width: usize,
}

impl Style {
    /// For files and pipes: no colour, and lines of the width that terminals have had since terminals were made.
    pub const PLAIN: Self = Self { color: false, width: 80 };

    /// No colour, and lines are never wrapped.
    pub(super) const UNWRAPPED: Self = Self { color: false, width: usize::MAX };

    pub(super) fn paint(self, role: Role, text: impl Display) -> String {
        if self.color {
            let ansi = role.ansi();
            format!("{ansi}{text}{ansi:#}")
        } else {
            text.to_string()
        }
    }
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Pass,
    Fail,
    Error,
    Skip,
    Warning,
    /// The frame around a quoted line.
    Frame,
    /// What may be read later.
    Faint,
    Strong,
}

impl Role {
    fn ansi(self) -> Ansi {
        let color = |color: AnsiColor| color.on_default();
        match self {
            Self::Pass => color(AnsiColor::Green),
            Self::Fail => color(AnsiColor::Red).bold(),
            Self::Error => color(AnsiColor::Magenta).bold(),
            Self::Skip => color(AnsiColor::Cyan),
            Self::Warning => color(AnsiColor::Yellow).bold(),
            Self::Frame => color(AnsiColor::Blue).bold(),
            Self::Faint => Ansi::new().dimmed(),
            Self::Strong => Ansi::new().bold(),
        }
    }
}

impl From<Outcome> for Role {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pass => Self::Pass,
            Outcome::Fail => Self::Fail,
            Outcome::Error => Self::Error,
            Outcome::Skip => Self::Skip,
        }
    }
}

impl From<Severity> for Role {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Failure => Self::Fail,
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Skip,
        }
    }
}
