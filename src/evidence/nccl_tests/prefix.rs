//! What launchers and terminals put before and into a line.

use std::borrow::Cow;

use crate::probe::texts::lines;

/// The line as a terminal would show it.
pub(super) fn visible(line: &str) -> Cow<'_, str> {
    let hidden = |c: char| c == '\u{a0}' || c == '\u{feff}' || (c.is_control() && c != '\t');
    if !line.contains(hidden) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(lines(line).into_iter().map(|line| line.text).collect())
}

/// Cuts a line after a launcher's label and its blank: the label without blanks, and the rest. Labels are `3: ` of `srun -l`,
/// `[1,3]<stdout>:` of `mpirun --tag-output` and its other forms (see [`tagged`]), `[3] ` and `[3]: `, and `host: ` of
/// pdsh before a `#` or a number.
pub(super) fn split_label(line: &str) -> (&str, &str) {
    let text = line.trim_start();
    if let Some(split) = tagged(text) {
        return split;
    }
    let label = numbered(text).or_else(|| bracketed(text)).or_else(|| named(text));
    match label {
        Some(length) => (text[..length].trim_end(), &text[length..]),
        None => ("", line),
    }
}

fn numbered(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let blank = usize::from(text[digits..].starts_with(": "));
    (digits > 0 && (blank > 0 || &text[digits..] == ":")).then_some(digits + 1 + blank)
}

/// The streams as Open MPI names them.
const STREAMS: [&str; 3] = ["<stdout>:", "<stderr>:", "<stdin>:"];
const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
/// `Thu May  7 10:39:20 2020`, as ctime(3) writes it.
const TIME_LENGTH: usize = 24;

/// Open MPI's tags, which end in a stream: `[1,3]<stdout>:` up to version 4, `[prterun-HOST-PID@1,3]<stdout>: ` of
/// version 5, `[1,3][HOST:PID]<stdout>: ` of `tag-detailed`, `[3]<stdout>: ` of `rank`, each with or without the time in
/// front of it, and the time alone. The time is no part of the label: it differs between lines of one rank.
fn tagged(text: &str) -> Option<(&str, &str)> {
    let start = match DAYS.iter().any(|day| text.starts_with(day)) {
        true => TIME_LENGTH,
        false => 0,
    };
    let tag = text.get(start..)?;
    let stream = tag.find('<')?;
    let brackets = &tag[..stream];
    let is_tag = if brackets.is_empty() { start > 0 } else { brackets.starts_with('[') && brackets.ends_with(']') };
    let end = STREAMS.iter().find(|name| tag[stream..].starts_with(**name)).map(|name| stream + name.len())?;
    // Newer versions put a blank behind a tag with more than ranks in it; older tags have none.
    let blank = usize::from(brackets.contains(['@', ':']) && tag[end..].starts_with(' '));
    is_tag.then(|| (&tag[..end], &tag[end + blank..]))
}

fn bracketed(text: &str) -> Option<usize> {
    let end = text.strip_prefix('[')?.find(']')? + 1;
    let ranks = text[1..end].split(',').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if !ranks {
        return None;
    }
    let end = end + 1;
    let colon = usize::from(text[end..].starts_with(':'));
    Some(end + colon + usize::from(text[end + colon..].starts_with(' ')))
}

fn named(text: &str) -> Option<usize> {
    let end = text.find(": ")?;
    let name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text[..end].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
    let rest = text[end + 1..].trim_start();
    (name && rest.starts_with(|c: char| c == '#' || c.is_ascii_digit())).then_some(end + 2)
}

/// The words of a row, without labels that a launcher has written into its middle: `[3]`.
pub(super) fn row_words(text: &str) -> Vec<&str> {
    let label = |word: &str| {
        let inside = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        inside.is_some_and(|inside| !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit()))
    };
    text.split_whitespace().filter(|word| !label(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_off() {
        for (line, label, rest) in [
            ("0:            8 2", "0:", "           8 2"),
            (" 3: # Rank", "3:", "# Rank"),
            ("[1,0]<stdout>:#  size", "[1,0]<stdout>:", "#  size"),
            ("[1,12]<stdout>:  8 2", "[1,12]<stdout>:", "  8 2"),
            ("[prterun-gpu-1-77@1,3]<stdout>:   8 2", "[prterun-gpu-1-77@1,3]<stdout>:", "  8 2"),
            ("[1,3][gpu-1:77]<stdout>: # x", "[1,3][gpu-1:77]<stdout>:", "# x"),
            ("[3]<stderr>: # x", "[3]<stderr>:", " # x"),
            ("Thu May  7 10:39:20 2020[1,3]<stdout>:# x", "[1,3]<stdout>:", "# x"),
            ("Thu May  7 10:39:20 2020<stdout>:# x", "<stdout>:", "# x"),
            ("[0]   8  2", "[0]", "  8  2"),
            ("[2]: # x", "[2]:", "# x"),
            ("gpu-07: # x", "gpu-07:", "# x"),
        ] {
            assert_eq!(split_label(line), (label, rest), "{line}");
        }
        for line in [
            "  8  2 float",
            "rccl-tests: Version x",
            "# Rank 0",
            "[0000:00:06] x",
            "12:30:00 up",
            "",
            "[",
            "[]",
            "<stdout>:8",
            "8 [1,0]<stdout>:9",
            "Thu 7<stdout>:8",
        ] {
            assert_eq!(split_label(line), ("", line), "{line}");
        }
    }

    #[test]
    fn a_label_in_the_middle_of_a_row_is_no_field() {
        assert_eq!(row_words(" 8 2 [0] float [12] sum [x]"), ["8", "2", "float", "sum", "[x]"]);
    }

    #[test]
    fn terminal_codes_are_not_seen() {
        assert_eq!(visible("\u{1b}[1m  8\t2\u{1b}[0m\r"), "  8\t2");
        assert!(matches!(visible("  8\t2"), Cow::Borrowed(_)));
    }
}
