//! Where a line of the library begins in a line of text, and how loud it is.

/// How loud a line of the library is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Info,
    Warn,
    /// The calls and the traces of builds for debugging.
    Trace,
}

/// One line of the library, taken out of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) level: Level,
    /// What stands in front of the level: labels of a launcher, a timestamp, host, process, thread, device, file.
    before: &'a str,
    pub(super) message: &'a str,
}

/// A device, a file with its line, a function and a timestamp's parts may stand between the host and the level.
const MOST_WORDS: usize = 6;

impl<'a> Record<'a> {
    /// The first line of the library in `line`. `NCCL INFO` in the middle of a sentence is none: its level follows a
    /// process, a label or nothing.
    pub(super) fn first(line: &'a str) -> Option<Self> {
        line.match_indices("CCL ").find_map(|(at, _)| Self::at(line, at))
    }

    fn at(line: &'a str, at: usize) -> Option<Self> {
        let (level, message) = level(&line[at + "CCL ".len()..])?;
        let before = match line.as_bytes().get(at.checked_sub(1)?) {
            Some(b'N' | b'R') => &line[..at - 1],
            _ => return None,
        };
        let record = Self { level, before, message };
        (ends_like_a_prefix(before) || record.process().is_some()).then_some(record)
    }

    /// The host in front of the line, where it stands for itself: a row of a table that the line was glued to may have
    /// left figures in front of it.
    pub(super) fn host(&self) -> Option<&'a str> {
        let (before, host) = self.process()?;
        let apart = before.is_empty() || before.ends_with([':', ']', '>', ')', '|', ' ']);
        let named = host.starts_with(|c: char| c.is_ascii_alphabetic()) || !before.ends_with(' ');
        let valid = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        (apart && named && valid && !host.is_empty()).then_some(host)
    }

    /// What stands before the `HOST:PID:TID`, and the host.
    fn process(&self) -> Option<(&'a str, &'a str)> {
        let mut rest = self.before.trim_ascii_end();
        for _ in 0..MOST_WORDS {
            let start = rest.rfind(' ').map_or(0, |at| at + 1);
            if let Some(host) = host_of(&rest[start..]) {
                let start = start + (rest[start..].len() - host.1);
                return Some((label_end(&rest[..start]), host.0));
            }
            rest = rest[..start].trim_ascii_end();
        }
        None
    }
}

/// A label that stands apart keeps its last character and loses the blanks behind it.
fn label_end(before: &str) -> &str {
    let trimmed = before.trim_ascii_end();
    if trimmed.ends_with([':', ']', '>', ')', '|']) || trimmed.is_empty() { trimmed } else { before }
}

/// The host of a `HOST:PID:TID` at the end of a word, and the length from the host on.
fn host_of(word: &str) -> Option<(&str, usize)> {
    let (rest, thread) = word.rsplit_once(':')?;
    let (rest, process) = rest.rsplit_once(':')?;
    if !is_number(thread) || !is_number(process) {
        return None;
    }
    let host = rest.rsplit([':', '>', ']']).next()?;
    (!host.is_empty()).then(|| (host, host.len() + process.len() + thread.len() + 2))
}

fn ends_like_a_prefix(before: &str) -> bool {
    let before = before.trim_ascii_end();
    before.is_empty() || before.ends_with([':', ']', '>', '|', ')']) || ends_with_a_place(before)
}

/// `transport/net.cc:579`, which stands in front of a warning.
fn ends_with_a_place(before: &str) -> bool {
    let word = before.rsplit(' ').next().unwrap_or(before);
    word.rsplit_once(':').is_some_and(|(file, line)| is_number(line) && file.contains('.'))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn level(text: &str) -> Option<(Level, &str)> {
    const LEVELS: &[(&str, Level)] =
        &[("INFO ", Level::Info), ("WARN ", Level::Warn), ("CALL ", Level::Trace), ("TRACE ", Level::Trace)];
    LEVELS.iter().find_map(|(word, level)| Some((*level, text.strip_prefix(word)?)))
}

/// A line without what a launcher put in front of it: `0: ` of srun, `[1,0]<stdout>:` of mpirun.
pub(super) fn without_label(line: &str) -> &str {
    let line = line.trim_ascii_start();
    let end = match line.as_bytes().first() {
        Some(b'[') => line.find(">:").map(|at| at + 2),
        Some(byte) if byte.is_ascii_digit() => line.find(": ").filter(|at| is_number(&line[..*at])).map(|at| at + 2),
        _ => None,
    };
    end.map_or(line, |end| line[end..].trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> Option<(Level, Option<&str>, &str)> {
        Record::first(line).map(|record| (record.level, record.host(), record.message))
    }

    #[test]
    fn forms_of_all_versions() {
        let lines = [
            ("gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("[2025-01-02 03:04:05] gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("gpu-1:20:21 [3] misc/socket.cc:71 NCCL WARN text", Level::Warn, Some("gpu-1")),
            (
                "[2025-01-02 03:04:05] gpu-1:20:21 [3] proxy.cc:9 (proxyConnect) NCCL WARN text",
                Level::Warn,
                Some("gpu-1"),
            ),
            ("gpu-1:20:21 NCCL CALL text", Level::Trace, Some("gpu-1")),
            ("  3: gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("[1,3]<stdout>:gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("[1,3]<stdout>: gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("(worker pid=7) gpu-1:20:21 [3] NCCL INFO text", Level::Info, Some("gpu-1")),
            ("10-0-0-7:20:21 [3] NCCL INFO text", Level::Info, Some("10-0-0-7")),
            ("0: 10-0-0-7:20:21 [3] NCCL INFO text", Level::Info, Some("10-0-0-7")),
            ("NCCL INFO text", Level::Info, None),
            ("0: NCCL INFO text", Level::Info, None),
            ("transport/nvls.cc:10 NCCL WARN text", Level::Warn, None),
            ("gpu-1:20:21 [3] RCCL INFO text", Level::Info, Some("gpu-1")),
        ];
        for (line, level, host) in lines {
            assert_eq!(seen(line), Some((level, host, "text")), "{line}");
        }
    }

    #[test]
    fn what_is_glued_to_a_row_has_no_host() {
        assert_eq!(seen("  1024  256  float  sum  -1vm:5:5 [0] NCCL INFO text"), Some((Level::Info, None, "text")));
        assert_eq!(seen("  5.1  0.2  0.4     0vm:5:5 [0] NCCL INFO text"), Some((Level::Info, None, "text")));
    }

    #[test]
    fn a_sentence_is_no_line_of_the_library() {
        assert_eq!(seen("we set NCCL INFO on all nodes"), None);
        assert_eq!(seen("ACCL INFO text"), None);
        assert_eq!(seen("CCL INFO text"), None);
    }

    #[test]
    fn labels() {
        assert_eq!(without_label("12: Ring"), "Ring");
        assert_eq!(without_label("[1,0]<stderr>:Ring"), "Ring");
        assert_eq!(without_label("  Ring 00 : 1"), "Ring 00 : 1");
    }
}
