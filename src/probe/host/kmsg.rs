use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// A kernel log as `dmesg` prints it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::probe) struct KernelLog {
    /// A line for each record, `[    5.123456] text`; what follows in a record of several lines is indented.
    pub(super) text: String,
    /// Why records are missing, where some are.
    pub(super) lost: Option<String>,
}

/// Takes the records of /dev/kmsg apart: `prio,seq,usec,flags;text`, each followed by lines that begin with a blank
/// and hold what `dmesg` does not print.
///
/// Records are numbered from the boot: a number that is missing is a record that the ring no longer holds.
///
/// Source: the Linux kernel's Documentation/ABI/testing/dev-kmsg.
pub(super) fn log(records: &[u8]) -> KernelLog {
    let mut log = KernelLog { text: String::new(), lost: None };
    let mut expected = 0;
    for line in records.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line[0] != b' ') {
        let Some(record) = Record::read(line) else {
            log.lost.get_or_insert_with(|| format!("a record of /dev/kmsg is damaged after number {expected}"));
            continue;
        };
        if record.number != expected {
            log.lost.get_or_insert_with(|| match expected {
                0 => "the kernel's ring no longer holds its first records".to_owned(),
                _ => format!("the kernel's ring lost records before number {}", record.number),
            });
        }
        expected = record.number.saturating_add(1);
        record.print(&mut log.text);
    }
    log
}

struct Record {
    number: u64,
    microseconds: u64,
    text: String,
}

impl Record {
    fn read(line: &[u8]) -> Option<Self> {
        let at = line.iter().position(|byte| *byte == b';')?;
        let head = std::str::from_utf8(&line[..at]).ok()?;
        let mut fields = head.split(',');
        let (_priority, number) = (fields.next()?, fields.next()?.parse().ok()?);
        Some(Self { number, microseconds: fields.next()?.parse().ok()?, text: unescaped(&line[at + 1..]) })
    }

    fn print(&self, out: &mut String) {
        let stamp = format!("[{:5}.{:06}] ", self.microseconds / 1_000_000, self.microseconds % 1_000_000);
        for (at, line) in self.text.split('\n').enumerate() {
            let width = stamp.len();
            let lead = if at == 0 { stamp.as_str() } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{lead:width$}{line}");
        }
    }
}

/// The text with the bytes that the kernel wrote as `\xNN`.
fn unescaped(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        match escape(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte of an escape at the start of a text.
fn escape(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"\\x")?.get(..2)?;
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(digits[0])? * 16 + digit(digits[1])?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: &str = "5,0,0,-;Linux version 6.8.0\n6,1,0,-;Command line: ro quiet\n\
        6,2,5123456,-;nvidia 0000:17:00.0: enabling device\n SUBSYSTEM=pci\n DEVICE=+pci:0000:17:00.0\n";

    #[test]
    fn records_as_dmesg_prints_them() {
        let expected = "[    0.000000] Linux version 6.8.0\n[    0.000000] Command line: ro quiet\n\
            [    5.123456] nvidia 0000:17:00.0: enabling device\n";
        assert_eq!(log(WHOLE.as_bytes()), KernelLog { text: expected.to_owned(), lost: None });
    }

    #[test]
    fn a_record_of_several_lines_and_bytes() {
        let told = log(b"6,0,12345678901,-;one\\x0atwo \\xc2\\xb5s \\x5c \\xq\n");
        assert_eq!(told.text, "[12345.678901] one\n               two \u{b5}s \\ \\xq\n");
    }

    #[test]
    fn what_the_ring_lost() {
        let (_, later) = WHOLE.split_once('\n').unwrap();
        assert_eq!(log(later.as_bytes()).lost.as_deref(), Some("the kernel's ring no longer holds its first records"));
        let gap = WHOLE.replace("6,2,", "6,9,");
        assert_eq!(log(gap.as_bytes()).lost.as_deref(), Some("the kernel's ring lost records before number 9"));
        let damaged = log(WHOLE.replace("6,1,0,-;", "6,one,").as_bytes());
        assert_eq!(damaged.lost.as_deref(), Some("a record of /dev/kmsg is damaged after number 1"));
        assert_eq!(damaged.text.lines().count(), 2);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "([0-9],[0-9],[0-9],-;|\\\\x[0-9a-g]|\n| |.){0,30}") {
            log(&bytes);
            log(text.as_bytes());
        }
    }
}
