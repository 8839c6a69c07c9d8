//! What a person or a test driver sees while a suite runs.

use std::{
    io::{self, IsTerminal, Write},
    time::Instant,
};

use super::arguments::Format;
use crate::{
    record::{CaseRecord, Event, RunRecord},
    report::{
        Progress, Style,
        console::{self, Reports},
        libtest::{self, Libtest},
    },
};

/// The width where none is known, and the widest that is used: longer lines are hard to read.
const WIDTH: (usize, usize) = (80, 120);

/// How text on standard output is laid out.
pub(super) fn style(color: super::arguments::Color) -> Style {
    let stdout = io::stdout();
    let width = if stdout.is_terminal() {
        terminal_size::terminal_size().map_or(WIDTH.0, |(width, _)| usize::from(width.0).clamp(40, WIDTH.1))
    } else {
        WIDTH.0
    };
    Style { color: color.on(&stdout), width }
}

/// The two faces.
enum Face {
    Console,
    Libtest(Libtest),
}

/// Standard output, and the progress line on standard error.
pub(super) struct Screen {
    face: Face,
    style: Style,
    /// Whether what commands print is shown.
    nocapture: bool,
    /// Whether a progress line is shown while a case runs.
    progress: bool,
    counts: (usize, usize, usize),
    /// The case at hand, and when it began.
    case: Option<(String, Instant)>,
    total: usize,
    filtered_out: usize,
    /// Set when the reader of standard output went away: the run and its reports go on.
    closed: bool,
}

impl Screen {
    pub(super) fn new(format: Option<Format>, color: super::arguments::Color, nocapture: bool, total: usize) -> Self {
        let style = style(color);
        let face = match format {
            None => Face::Console,
            Some(Format::Pretty) => Face::Libtest(Libtest::new(libtest::Format::Pretty, style, total)),
            Some(Format::Terse) => Face::Libtest(Libtest::new(libtest::Format::Terse, style, total)),
            Some(Format::Json) => Face::Libtest(Libtest::new(libtest::Format::Json, style, total)),
        };
        let progress = shows_progress(format, io::stdout().is_terminal(), io::stderr().is_terminal());
        Self { face, style, nocapture, progress, counts: (0, 0, 0), case: None, total, filtered_out: 0, closed: false }
    }

    /// Shows an event. `case` is the record of the case that it names, as it is now.
    pub(super) fn show(&mut self, event: &Event, case: Option<&CaseRecord>) {
        let text = match (event, &mut self.face) {
            (Event::RunStarted(header), Face::Console) => console::start(header, self.style),
            (Event::RunStarted(_), Face::Libtest(libtest)) => libtest.start(),
            (Event::CaseStarted { name }, Face::Console) => {
                self.case = Some((name.clone(), Instant::now()));
                self.show_progress(None);
                return;
            }
            (Event::CaseStarted { name }, Face::Libtest(libtest)) => libtest.case_started(name),
            (Event::CaseFinished(case), face) => {
                count(&mut self.counts, case);
                let mut text = match face {
                    Face::Console => console::case(case, self.style),
                    Face::Libtest(libtest) => libtest.case_finished(case),
                };
                if let Some(output) = case.output.as_ref().filter(|_| self.nocapture) {
                    text.push_str(output);
                }
                text
            }
            (Event::Related { .. }, Face::Console) => {
                case.map(|case| console::related(case, self.style)).unwrap_or_default()
            }
            (Event::Related { .. }, Face::Libtest(_)) | (Event::RunFinished { .. }, _) => return,
        };
        self.print(&text);
    }

    /// Shows the end of a run.
    pub(super) fn end(&mut self, record: &RunRecord, reports: Reports<'_>) {
        let text = match &self.face {
            Face::Console => console::end(record, Some(reports), self.style),
            Face::Libtest(libtest) => libtest.end(record, self.filtered_out),
        };
        self.print(&text);
    }

    /// Shows a whole run that is over.
    pub(super) fn whole(&mut self, record: &RunRecord, reports: Reports<'_>) {
        self.print(&console::whole(record, Some(reports), self.style));
    }

    /// Shows where the case at hand stands.
    pub(super) fn doing(&mut self, words: &str) {
        self.show_progress(Some(words));
    }

    fn show_progress(&self, doing: Option<&str>) {
        let Some((case, began)) = self.case.as_ref().filter(|_| self.progress) else { return };
        let (done, failed, errors) = self.counts;
        let seconds = began.elapsed().as_secs_f64();
        let progress = Progress { done, total: self.total, failed, errors, case, doing, seconds };
        // Progress is a courtesy: nothing depends on it.
        let _ = write!(io::stderr(), "\r\u{1b}[K{}", progress.line(self.style));
    }

    fn print(&mut self, text: &str) {
        if self.progress {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
        if self.closed {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.closed = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                let _ = writeln!(io::stderr(), "warning: standard output: {error}; the run goes on, see its reports");
            }
        }
    }
}

/// Where only one of the streams is a terminal, as in `| head`, progress would run into what the reader of the other
/// prints to the same terminal.
fn shows_progress(format: Option<Format>, stdout_is_terminal: bool, stderr_is_terminal: bool) -> bool {
    format.is_none() && stdout_is_terminal && stderr_is_terminal
}

fn count((done, failed, errors): &mut (usize, usize, usize), case: &CaseRecord) {
    use crate::verdict::Outcome;
    *done += 1;
    match case.verdict.outcome {
        Outcome::Fail => *failed += 1,
        Outcome::Error => *errors += 1,
        Outcome::Pass | Outcome::Skip => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_for_terminals_only() {
        assert!(shows_progress(None, true, true));
        assert!(!shows_progress(None, false, true), "a pipe to the same terminal");
        assert!(!shows_progress(None, true, false));
        assert!(!shows_progress(Some(Format::Pretty), true, true));
    }
}
