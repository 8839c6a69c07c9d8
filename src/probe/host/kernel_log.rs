use std::{
    fs::OpenOptions,
    io::{ErrorKind, Read},
    os::unix::fs::OpenOptionsExt,
};

use nix::{errno::Errno, libc};

use super::kmsg::{KernelLog, log};
use crate::probe::tree::Tree;

/// The file's path below the root.
const KMSG: &str = "dev/kmsg";
/// More than any kernel's ring holds by default; what is beyond it is not read.
const MOST: usize = 64 << 20;
/// One read gives one record, which must fit: the kernel's longest is below 16 KiB.
const RECORD: usize = 64 << 10;

/// The kernel log: nothing is taken from it.
pub(super) fn read(tree: &Tree) -> Result<KernelLog, String> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(tree.path(KMSG));
    read_from(file.map_err(|error| reason(&error))?, MOST)
}

fn read_from(mut records: impl Read, most: usize) -> Result<KernelLog, String> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; RECORD]);
    let mut overwritten = false;
    let cut = loop {
        match records.read(&mut buffer) {
            Ok(0) => break false,
            Ok(length) if bytes.len() + length > most => break true,
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) => match error.kind() {
                // All that there is has been read.
                ErrorKind::WouldBlock => break false,
                // Records were overwritten before they were read: the next read gives the oldest that is left.
                ErrorKind::BrokenPipe => overwritten = true,
                ErrorKind::Interrupted => {}
                _ => return Err(reason(&error)),
            },
        }
    };
    let mut log = log(&bytes);
    if cut {
        log.lost = Some(format!("the kernel log is longer than {} MiB: the rest was not read", most >> 20));
    } else if overwritten {
        log.lost.get_or_insert_with(|| "the kernel's ring lost records while it was read".to_owned());
    }
    Ok(log)
}

fn reason(error: &std::io::Error) -> String {
    let forbidden = [Errno::EPERM, Errno::EACCES].map(|errno| errno as i32);
    match error.raw_os_error() {
        Some(code) if forbidden.contains(&code) => {
            "the kernel log can be read by root only (kernel.dmesg_restrict)".to_owned()
        }
        _ if error.kind() == ErrorKind::NotFound => format!("/{KMSG} is not there"),
        _ => format!("/{KMSG}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, fs::File, io};

    use super::{super::testing::rebuilt, *};

    /// What each read gives: a record, or an error.
    struct Ring(VecDeque<Result<&'static str, Errno>>);

    impl Read for Ring {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.pop_front().unwrap_or(Err(Errno::EAGAIN)) {
                Ok(record) => record.as_bytes().read(buffer),
                Err(errno) => Err(errno.into()),
            }
        }
    }

    #[test]
    fn records_that_are_overwritten_while_they_are_read_are_lost() {
        let read = |reads: &[Result<&'static str, Errno>]| read_from(Ring(reads.to_vec().into()), MOST);
        let (first, second) = (Ok("6,0,1,-;one\n"), Ok("6,1,2,-;two\n"));
        assert_eq!(read(&[first, Err(Errno::EINTR), second]).unwrap().lost, None);
        let log = read(&[first, second, Err(Errno::EPIPE)]).unwrap();
        assert_eq!(log.lost.as_deref(), Some("the kernel's ring lost records while it was read"));
        assert_eq!(log.text.lines().count(), 2);
        assert!(read(&[first, Err(Errno::EIO)]).unwrap_err().starts_with("/dev/kmsg: "));
    }

    #[test]
    fn a_whole_log_and_none() {
        let machine = rebuilt(&[]);
        assert_eq!(read(&machine.tree), Err("/dev/kmsg is not there".to_owned()));
        machine.write(KMSG, "5,0,0,-;Linux version 6.8.0\n");
        let log = read(&machine.tree).unwrap();
        assert_eq!((log.text.as_str(), log.lost), ("[    0.000000] Linux version 6.8.0\n", None));
    }

    #[test]
    fn a_log_that_is_too_long_says_so() {
        let machine = rebuilt(&[(KMSG, &"6,0,0,-;line\n".repeat(200_000))]);
        let log = read_from(File::open(machine.tree.path(KMSG)).unwrap(), 1 << 20).unwrap();
        assert_eq!(log.lost.as_deref(), Some("the kernel log is longer than 1 MiB: the rest was not read"));
    }

    #[test]
    fn who_may_not_read_it_is_told_why() {
        for code in [libc::EPERM, libc::EACCES] {
            let reason = reason(&io::Error::from_raw_os_error(code));
            assert_eq!(reason, "the kernel log can be read by root only (kernel.dmesg_restrict)");
        }
    }
}
