//! A large text, line by line, in bounded memory.

use std::io::{self, BufRead, Read};

/// A longer line is handed on in pieces: no tool writes one, and memory stays flat on a binary.
const LONGEST: u64 = 1 << 20;

/// Hands every line of a text to `take`, without its end, and whether it has one. Bytes that are no UTF-8 become U+FFFD,
/// which no reader takes for a value.
pub(crate) fn each_line(mut reader: impl BufRead, take: &mut dyn FnMut(&str, bool)) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let ended = line.last() == Some(&b'\n');
        if ended {
            line.pop();
        }
        take(&String::from_utf8_lossy(&line), ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(String, bool)> {
        let mut lines = Vec::new();
        each_line(bytes, &mut |line, ended| lines.push((line.to_owned(), ended))).unwrap();
        lines
    }

    #[test]
    fn the_last_line_needs_no_end_and_bad_bytes_are_no_text() {
        let all = [("a", true), ("b \u{fffd}", true), ("", true), ("c", false)];
        assert_eq!(lines(b"a\nb \xff\n\nc"), all.map(|(line, ended)| (line.to_owned(), ended)));
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_line_without_end_comes_in_pieces() {
        let pieces = lines(&vec![b'x'; (LONGEST + 5) as usize]);
        assert_eq!(pieces.iter().map(|(piece, _)| piece.len()).collect::<Vec<_>>(), [LONGEST as usize, 5]);
    }
}
