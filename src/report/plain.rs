//! Text of other programs made harmless: for a terminal, and for XML 1.0.

use std::borrow::Cow;

use crate::probe::texts::lines;

/// A TAB goes to the next multiple of this, as on a terminal.
const TAB: usize = 8;

/// Lines without escape sequences, control characters and what XML 1.0 forbids (<https://www.w3.org/TR/xml/#charsets>:
/// besides control characters the non-characters U+FFFE and U+FFFF; a `str` holds no surrogates). TABs are spaces.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || is_plain(c)) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = lines(text).iter().map(|line| expand(&line.text)).collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        cleaned.push('\n');
    }
    Cow::Owned(cleaned)
}

/// [`plain`] on one line.
pub(super) fn plain_line(text: &str) -> Cow<'_, str> {
    match plain(text) {
        text if !text.contains('\n') => text,
        text => {
            Cow::Owned(text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
        }
    }
}

fn is_plain(c: char) -> bool {
    // U+FEFF inside a text is a no-break space without width; it hides and joins nothing that a report needs.
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{feff}' | '\u{a0}')
}

fn expand(line: &str) -> String {
    let mut expanded = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let next = (column / TAB + 1) * TAB;
            expanded.extend(std::iter::repeat_n(' ', next - column));
            column = next;
        } else if is_plain(c) {
            expanded.push(c);
            column += 1;
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tool_cannot_write_to_the_terminal_through_a_report() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{fffe}\u{ffff}\u{9b}2J\0"), "red x2J");
        assert_eq!(plain("a\r\nb\n"), "a\nb\n");
        assert_eq!(plain("\tGPU0\tGPU1"), "        GPU0    GPU1");
    }

    #[test]
    fn an_escape_that_does_not_end_takes_no_more_than_its_line() {
        assert_eq!(plain("\u{1b}]0;x\nkept"), "\nkept");
    }

    #[test]
    fn one_line() {
        assert_eq!(plain_line("a\n  b\r\n"), "a b");
    }

    proptest! {
        #[test]
        fn nothing_forbidden_is_left(text in any::<String>()) {
            prop_assert!(plain(&text).chars().all(|c| c == '\n' || is_plain(c)));
            prop_assert!(!plain_line(&text).contains('\n'));
        }
    }
}
