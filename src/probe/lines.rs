//! A large text, line by line, in bounded memory.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// A longer line is handed on in pieces: no tool writes one, and memory stays flat on a binary.
const LONGEST: u64 = 1 << 20;

/// Hands every line of a file to `take`, without its end, and whether it has one. Bytes that are no UTF-8 become U+FFFD, which no reader takes
/// for a value.
pub(super) fn each_line(path: &Path, take: &mut dyn FnMut(&str, bool)) -> io::Result<()> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    let mut reader = BufReader::with_capacity(1 << 16, file);
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
    use std::fs;

    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(String, bool)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, bytes).unwrap();
        let mut lines = Vec::new();
        each_line(&path, &mut |line, ended| lines.push((line.to_owned(), ended))).unwrap();
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

    #[test]
    fn what_is_no_plain_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(each_line(folder.path(), &mut |_, _| ()).is_err());
        assert!(each_line(&folder.path().join("absent"), &mut |_, _| ()).is_err());
    }
}
