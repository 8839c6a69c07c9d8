//! A lock per GPU, which every linkspec on the machine takes before it measures: of any user, in any container that
//! shares `/tmp`.

use std::{
    collections::BTreeSet,
    fs::{self, File, Permissions, TryLockError},
    io::{self, Read},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, Instant},
};

use libc::{O_NOFOLLOW, O_NONBLOCK};

use crate::run::Interrupt;

/// The one folder that all users share, below the root. `TMPDIR` is no such folder: it is each user's own.
const FOLDER: &str = "tmp";
/// How often a lock that another holds is tried again.
const RETRY: Duration = Duration::from_millis(100);
/// How often the waiter says whom it waits for.
const TELL: Duration = Duration::from_secs(1);

/// Locks of GPUs, held until this is dropped. The files stay: to remove one would let two processes hold one lock.
///
/// The kernel lets go of them when the process ends, however it ends.
#[derive(Debug)]
pub struct GpuLocks {
    files: Vec<File>,
}

/// Why the locks were not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A person or a signal ended the wait.
    #[error("interrupted while it waited: {0}")]
    Interrupted(String),
    /// The file of a lock cannot be opened or locked.
    #[error("the lock of GPU {pci}, {}: {cause}", path.display())]
    File {
        /// The GPU's PCI address.
        pci: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

impl GpuLocks {
    /// Takes the locks of GPUs by their PCI addresses, and waits as long as another has one. `waiting` is told at once
    /// and then once a second who that is: `GPU 0000:1b:00.0 is held by linkspec (PID 4711)`. `root` is `/`, but for
    /// machines that are rebuilt in a test: they have GPUs of their own.
    pub fn take(
        root: &Path,
        pcis: &[String],
        interrupt: &Interrupt,
        waiting: &mut dyn FnMut(&str),
    ) -> Result<Self, LockError> {
        take_in(&root.join(FOLDER), pcis, &|| interrupt.is_set(), waiting)
    }
}

impl Drop for GpuLocks {
    fn drop(&mut self) {
        for file in &self.files {
            // The PID goes with its lock; one that stays is seen to be of no process.
            let _ = file.set_len(0);
        }
    }
}

/// In the order of their addresses, so that two runs never wait for each other.
fn take_in(
    folder: &Path,
    pcis: &[String],
    interrupted: &dyn Fn() -> bool,
    waiting: &mut dyn FnMut(&str),
) -> Result<GpuLocks, LockError> {
    let mut locks = GpuLocks { files: Vec::new() };
    for pci in pcis.iter().map(|pci| pci.to_ascii_lowercase()).collect::<BTreeSet<String>>() {
        let path = folder.join(format!("linkspec-gpu-{}.lock", plain(&pci)));
        locks.files.push(wait(&pci, &path, interrupted, waiting)?);
    }
    Ok(locks)
}

/// A PCI address as part of a file's name.
fn plain(pci: &str) -> String {
    pci.chars().map(|c| if c.is_ascii_hexdigit() || c == ':' || c == '.' { c } else { '_' }).collect()
}

fn wait(
    pci: &str,
    path: &Path,
    interrupted: &dyn Fn() -> bool,
    waiting: &mut dyn FnMut(&str),
) -> Result<File, LockError> {
    let mut told: Option<Instant> = None;
    loop {
        match try_take(path) {
            Ok(Attempt::Taken(file)) => return Ok(file),
            Ok(Attempt::Gone) => {}
            Ok(Attempt::Held(file)) => {
                let holder = format!("GPU {pci} is held by {}", holder(&file));
                if interrupted() {
                    return Err(LockError::Interrupted(holder));
                }
                if told.is_none_or(|told| told.elapsed() >= TELL) {
                    waiting(&holder);
                    told = Some(Instant::now());
                }
                thread::sleep(RETRY);
            }
            Err(cause) => return Err(LockError::File { pci: pci.to_owned(), path: path.to_owned(), cause }),
        }
    }
}

enum Attempt {
    Taken(File),
    Held(File),
    /// Somebody removed the file meanwhile.
    Gone,
}

fn try_take(path: &Path) -> io::Result<Attempt> {
    let Some(file) = open(path)? else { return Ok(Attempt::Gone) };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(Attempt::Held(file)),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // What cleans `/tmp` may have taken the file away: the lock of a file without a name keeps nobody out.
    let (ours, named) = (file.metadata()?, fs::symlink_metadata(path));
    if !named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())) {
        return Ok(Attempt::Gone);
    }
    // The PID is for people. Another's file that may only be read is locked as well.
    let _ = file.set_len(0).and_then(|()| file.write_all_at(format!("{}\n", process::id()).as_bytes(), 0));
    Ok(Attempt::Taken(file))
}

/// Opens the file, or makes it; `None` where it came or went meanwhile.
fn open(path: &Path) -> io::Result<Option<File>> {
    // Without `O_CREAT`, which the kernel refuses for files of others in a folder such as `/tmp`
    // (fs.protected_regular). No link is followed, and a FIFO does not block.
    let existing = |write| File::options().read(true).write(write).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path);
    let opened = match existing(true) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EROFS)) => existing(false),
        opened => opened,
    };
    match opened {
        Ok(file) => {
            let metadata = file.metadata()?;
            // A second name could make the PID overwrite a file that is something else.
            let plain = metadata.is_file() && metadata.nlink() <= 1;
            if plain { Ok(Some(file)) } else { Err(io::Error::other("it is no plain file")) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path),
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => Err(io::Error::other("it is a symbolic link")),
        Err(error) => Err(error),
    }
}

/// Makes the file with its mode before it has its name, so that nobody finds one that they may not open.
fn create(path: &Path) -> io::Result<Option<File>> {
    let folder = path.parent().unwrap_or(path);
    let made = tempfile::Builder::new().prefix(".linkspec-gpu-").tempfile_in(folder)?;
    // Every user takes these locks, whatever this one's umask.
    made.as_file().set_permissions(Permissions::from_mode(0o666))?;
    match made.persist_noclobber(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error.error),
    }
}

/// Who holds a lock, by the PID in its file.
fn holder(file: &File) -> String {
    let mut text = String::new();
    let pid = file.take(16).read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
    // A PID of no process is an earlier holder's, or of another container.
    match pid.filter(|pid| Path::new("/proc").join(pid.to_string()).exists()) {
        Some(pid) => format!("linkspec (PID {pid})"),
        None => "another linkspec".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
    };

    use super::*;

    const A: &str = "0000:1b:00.0";
    const B: &str = "0000:0c:00.0";

    fn pcis(pcis: &[&str]) -> Vec<String> {
        pcis.iter().map(|pci| (*pci).to_owned()).collect()
    }

    /// Does not wait.
    fn try_locks(folder: &Path, of: &[&str]) -> Result<GpuLocks, LockError> {
        take_in(folder, &pcis(of), &|| true, &mut |_| {})
    }

    fn file(folder: &Path, pci: &str) -> PathBuf {
        folder.join(format!("linkspec-gpu-{pci}.lock"))
    }

    #[test]
    fn a_second_taker_is_told_who_has_it_and_gets_it_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let first = try_locks(folder.path(), &[A, B]).unwrap();
        let waits = AtomicBool::new(false);
        let said = thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut said = Vec::new();
                take_in(folder.path(), &pcis(&[A]), &|| false, &mut |holder| {
                    waits.store(true, Ordering::SeqCst);
                    said.push(holder.to_owned());
                })
                .unwrap();
                said
            });
            while !waits.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(5));
            }
            drop(first);
            second.join().unwrap()
        });
        assert_eq!(said[0], format!("GPU {A} is held by linkspec (PID {})", process::id()));
        assert!(file(folder.path(), A).exists() && try_locks(folder.path(), &[A]).is_ok());
    }

    #[test]
    fn a_wait_ends_on_an_interrupt_and_lets_go_of_what_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let held = try_locks(folder.path(), &[A]).unwrap();
        // B comes first by its address, whatever the order asked for.
        let error = try_locks(folder.path(), &[A, B]).unwrap_err();
        assert!(error.to_string().starts_with(&format!("interrupted while it waited: GPU {A} is held by ")));
        assert!(file(folder.path(), B).exists());
        assert!(try_locks(folder.path(), &[B]).is_ok());
        drop(held);
        assert!(try_locks(folder.path(), &["0000:1B:00.0", A]).is_ok(), "one GPU, written in two ways");
    }

    #[test]
    fn every_user_may_write_the_file_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let locks = try_locks(folder.path(), &[A]).unwrap();
        let metadata = fs::metadata(file(folder.path(), A)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o666);
        assert_eq!(fs::read_to_string(file(folder.path(), A)).unwrap(), format!("{}\n", process::id()));
        drop(locks);
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [file(folder.path(), A).file_name().unwrap()]);
        assert_eq!(fs::metadata(file(folder.path(), A)).unwrap().len(), 0);
    }

    #[test]
    fn what_is_no_plain_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, file(folder.path(), A)).unwrap();
        let error = try_locks(folder.path(), &[A]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the lock of GPU {A}, ")) && error.ends_with("it is a symbolic link"));
        symlink("nowhere", file(folder.path(), B)).unwrap();
        assert!(try_locks(folder.path(), &[B]).is_err());
        fs::hard_link(&victim, file(folder.path(), "0000:aa:00.0")).unwrap();
        assert!(try_locks(folder.path(), &["0000:aa:00.0"]).is_err());
        nix::unistd::mkfifo(&file(folder.path(), "0000:ab:00.0"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(try_locks(folder.path(), &["0000:ab:00.0"]).unwrap_err().to_string().ends_with("no plain file"));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn a_file_that_may_only_be_read_is_locked_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(file(folder.path(), A), "999999999\n").unwrap();
        fs::set_permissions(file(folder.path(), A), Permissions::from_mode(0o444)).unwrap();
        let held = File::open(file(folder.path(), A)).unwrap();
        held.lock().unwrap();
        let error = try_locks(folder.path(), &[A]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("GPU {A} is held by another linkspec")), "{error}");
        drop(held);
        assert!(try_locks(folder.path(), &[A]).is_ok());
    }

    #[test]
    fn a_lock_of_a_file_that_was_removed_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let first = try_locks(folder.path(), &[A]).unwrap();
        fs::remove_file(file(folder.path(), A)).unwrap();
        // The next one makes the file anew, and is the only one that the third can meet.
        let second = try_locks(folder.path(), &[A]).unwrap();
        drop(first);
        assert!(try_locks(folder.path(), &[A]).is_err());
        drop(second);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_with_its_place() {
        let error = try_locks(Path::new("/no/such/folder"), &[A]).unwrap_err().to_string();
        assert!(error.contains("/no/such/folder/linkspec-gpu-0000:1b:00.0.lock: "), "{error}");
    }

    #[test]
    fn a_name_holds_no_separator() {
        assert_eq!(plain("0000:1b:00.0/../x"), "0000:1b:00.0_..__");
    }
}
