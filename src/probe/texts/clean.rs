//! What every reader does first: lines without escape sequences and control characters.

/// One line of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number, from 1.
    pub number: usize,
    /// The text, without escape sequences and control characters; TABs stay.
    pub text: String,
}

/// The lines of an output as a terminal would show them: ANSI sequences, carriage returns and a byte order mark go.
pub fn lines(text: &str) -> Vec<Line> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().map(|(at, line)| Line { number: at + 1, text: strip(line) }).collect()
}

fn strip(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{a0}' => kept.push(' '),
            '\t' => kept.push(c),
            c if c.is_control() => {}
            c => kept.push(c),
        }
    }
    kept
}

/// Passes over what follows an ESC: a CSI sequence up to its final byte, an OSC up to its end, or one character.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next_if(|c| matches!(c, '[' | ']')) {
        Some('[') => {
            while rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
            rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
        }
        Some(_) => {
            while rest.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}')).is_some() {}
            if rest.next() == Some('\u{1b}') {
                rest.next_if_eq(&'\\');
            }
        }
        None => {
            rest.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underlined_header_and_windows_ends() {
        let read = lines("\u{feff}\t\u{1b}[4mGPU0\tGPU1\u{1b}[0m\r\nGPU0\t X \r\n");
        assert_eq!(read[0], Line { number: 1, text: "\tGPU0\tGPU1".into() });
        assert_eq!(read[1].text, "GPU0\t X ");
    }

    #[test]
    fn titles_and_cut_sequences_vanish() {
        assert_eq!(lines("a\u{1b}]0;title\u{7}b\u{1b}[")[0].text, "ab");
        assert_eq!(lines("\u{1b}")[0].text, "");
    }
}
