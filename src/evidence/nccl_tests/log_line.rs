//! Where a line of the library's log begins in a line of an output. Both go to the same terminal, so that a log line can
//! stand in the middle of a row: what is before it is the row's beginning.
//!
//! The forms are `HOST:PID:TID [D] NCCL INFO ..`, `[TIME] HOST:PID:TID [D] FILE:LINE NCCL WARN ..`, one with
//! `FILE:LINE (FUNCTION)`, and `HOST:PID:TID NCCL CALL ..`.

use std::collections::BTreeSet;

use super::words;

/// What every log line holds before its level.
const MARK: &str = "NCCL ";
const LEVELS: [&str; 4] = ["INFO ", "WARN ", "TRACE ", "CALL "];
/// Words between `HOST:PID:TID` and the mark, at most: `[D] FILE:LINE (FUNCTION)`.
const WORDS_BETWEEN: usize = 3;

/// A log line in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogLine<'a> {
    /// What stands before its word `HOST:PID:TID`, or before its time where that is shown.
    pub(super) before: &'a str,
    /// What stands right before `:PID:TID`: the host, and where the log line follows a row without a blank, the end of
    /// the row with it. Empty where the line has no host.
    pub(super) host: &'a str,
}

/// What stands before `NCCL INFO` and its like; `None` where a line holds no log line.
pub(super) fn head(line: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = line[from..].find(MARK).map(|at| from + at) {
        let level = at + MARK.len();
        if LEVELS.iter().any(|word| line[level..].starts_with(word)) {
            return Some(&line[..at]);
        }
        from = level;
    }
    None
}

/// Finds the log line in a [`head`].
pub(super) fn split(head: &str) -> LogLine<'_> {
    let mut rest = head.trim_end();
    for _ in 0..=WORDS_BETWEEN {
        let at = rest.rfind([' ', '\t']).map_or(0, |at| at + 1);
        if let Some(host) = host(&rest[at..]) {
            return LogLine { before: without_time(&rest[..at]), host };
        }
        rest = rest[..at].trim_end();
    }
    LogLine { before: head, host: "" }
}

/// Whether a host's name is one, without a label or a terminal code before it.
pub(super) fn is_host(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
}

/// What stands before a log line, the end of a row that is glued to its host included. Where the host is not known, all
/// that it can be: the row tells which of them is right.
pub(super) fn before(log: LogLine<'_>, hosts: &BTreeSet<String>) -> Vec<String> {
    let glued = log.host;
    if glued.is_empty() || hosts.contains(glued) {
        return vec![log.before.to_owned()];
    }
    let cuts = || glued.char_indices().map(|(at, _)| glued.split_at(at));
    let reading = |end: &str| format!("{}{end}", log.before);
    let known: Vec<String> = cuts().filter(|(_, host)| hosts.contains(*host)).map(|(end, _)| reading(end)).collect();
    if !known.is_empty() {
        return known;
    }
    let can_be = |(end, host): &(&str, &str)| is_host(host) && words::can_stand_in_a_row(end);
    cuts().filter(can_be).map(|(end, _)| reading(end)).collect()
}

/// What stands before a log line, where a known host tells.
pub(super) fn surely_before(log: LogLine<'_>, hosts: &BTreeSet<String>) -> Option<String> {
    let known = hosts.iter().any(|host| log.host.ends_with(host.as_str()));
    let mut readings = before(log, hosts);
    let reading = readings.pop().filter(|_| known || log.host.is_empty())?;
    readings.is_empty().then_some(reading)
}

/// The host of a word `HOST:PID:TID`.
fn host(word: &str) -> Option<&str> {
    let (rest, thread) = word.rsplit_once(':')?;
    let (host, process) = rest.rsplit_once(':')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (number(thread) && number(process) && !host.is_empty()).then_some(host)
}

/// Without a time in brackets at the end.
fn without_time(before: &str) -> &str {
    let Some(inside) = before.trim_end().strip_suffix(']') else { return before };
    let Some((kept, time)) = inside.rsplit_once('[') else { return before };
    let is_time = time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit());
    if is_time { kept } else { before }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(line: &str) -> Option<LogLine<'_>> {
        head(line).map(split)
    }

    #[test]
    fn every_form_is_found() {
        for line in [
            "n1:40:41 [0] NCCL INFO NCCL version 2.28.9",
            "[2026-01-02 03:04:05] n1:40:41 [0] init.cc:12 NCCL WARN no way",
            "n1:40:41 [0] init.cc:12 (ncclInit) NCCL WARN no way",
            "n1:40:41 NCCL CALL ncclAllReduce",
        ] {
            assert_eq!(find(line), Some(LogLine { before: "", host: "n1" }), "{line}");
        }
        assert_eq!(find("NCCL INFO stripped"), Some(LogLine { before: "", host: "" }));
    }

    #[test]
    fn what_stands_before_is_kept() {
        let found = |line| find(line).map(|found| (found.before, found.host));
        assert_eq!(found("  1024  256 n1:4:4 [0] NCCL INFO x"), Some(("  1024  256 ", "n1")));
        assert_eq!(found("  1024  256n1:4:4 [0] NCCL INFO x"), Some(("  1024  ", "256n1")));
        assert_eq!(found("  1024 25[2026-01-02 03:04:05] n1:4:4 [0] a.cc:1 NCCL WARN x"), Some(("  1024 25", "n1")));
        assert_eq!(found("0: n1:4:4 [0] NCCL INFO x"), Some(("0: ", "n1")));
    }

    #[test]
    fn other_lines_hold_none() {
        for line in ["NCCL version 2.23.4+cuda12.6", "n1: Test NCCL failure common.cu:9 'bad'", "  8  2  float", ""] {
            assert_eq!(find(line), None, "{line}");
        }
    }

    #[test]
    fn a_known_host_tells_where_a_row_ends() {
        let hosts = BTreeSet::from(["vm".to_owned()]);
        let row = |line| find(line).map(|log| before(log, &hosts)).unwrap_or_default();
        assert_eq!(row("  256  sum  -1vm:4:4 [0] NCCL INFO x"), ["  256  sum  -1"]);
        assert_eq!(row("  256  sum  -1 vm:4:4 [0] NCCL INFO x"), ["  256  sum  -1 "]);
        assert_eq!(row("vm:4:4 [0] NCCL INFO x"), [""]);
    }

    #[test]
    fn of_an_unknown_host_all_is_told_that_can_be() {
        let row = |line| find(line).map(|log| before(log, &BTreeSet::new())).unwrap_or_default();
        assert_eq!(row("  sum  -1vm:4:4 [0] NCCL INFO x"), ["  sum  -", "  sum  -1"]);
        assert_eq!(row("  8  10vm:4:4 [0] NCCL INFO x"), ["  8  ", "  8  1", "  8  10"]);
        assert_eq!(row("  8  vm2:4:4 [0] NCCL INFO x"), ["  8  "]);
        assert_eq!(row("  8  sumvm:4:4 [0] NCCL INFO x"), ["  8  ", "  8  s", "  8  su", "  8  sum"]);
        assert_eq!(row("vm:4:4 [0] NCCL INFO x"), [""]);
    }
}
