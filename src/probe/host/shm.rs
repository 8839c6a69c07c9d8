use crate::{facts::Fact, probe::tree::Tree, units::Size};

const MOUNTS: &str = "proc/self/mountinfo";
const SHM: &str = "/dev/shm";

/// The size of /dev/shm: that of the last mount over it.
pub(super) fn size(tree: &Tree) -> Fact<Size> {
    let text = match tree.read(MOUNTS) {
        Ok(text) => text,
        Err(reason) => return Fact::unknown(reason),
    };
    let Some(mount) = text.lines().filter_map(Mount::read).rfind(|mount| mount.point == SHM) else {
        return Fact::unknown(format!("/{MOUNTS} lists no mount at {SHM}"));
    };
    match mount.size() {
        Some(Ok(size)) => Fact::known(size, "/proc/self/mountinfo"),
        Some(Err(reason)) => Fact::unknown(reason),
        None if tree.is_this_machine() => Fact::told(of_file_system(), "statvfs of /dev/shm"),
        None => Fact::unknown(format!("/{MOUNTS} shows no size of {SHM}")),
    }
}

/// A mount as far as it matters here.
struct Mount<'a> {
    point: &'a str,
    file_system: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    /// `25 24 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw,size=65536k`; a number of fields stand before the ` - `.
    fn read(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        let file_system = after.next()?;
        Some(Self { point: before.split(' ').nth(4)?, file_system, options: after.nth(1)? })
    }

    /// The size among a tmpfs's options; `None` where it has none, which is then the kernel's default.
    fn size(&self) -> Option<Result<Size, String>> {
        let text = self.options.split(',').find_map(|option| option.strip_prefix("size="));
        let text = text.filter(|_| self.file_system == "tmpfs")?;
        Some(match text.parse() {
            // A tmpfs of size 0 has no limit of its own.
            Ok(Size(0)) => Err(format!("{SHM} has no limit of its own")),
            Ok(size) => Ok(size),
            Err(error) => Err(format!("/{MOUNTS}: {error}")),
        })
    }
}

fn of_file_system() -> Result<Size, String> {
    let told = nix::sys::statvfs::statvfs(SHM).map_err(|error| format!("statvfs of {SHM}: {}", error.desc()))?;
    match told.blocks().checked_mul(told.fragment_size()) {
        Some(0) | None => Err(format!("statvfs of {SHM} shows no size")),
        Some(bytes) => Ok(Size(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    fn size_of(mounts: &str) -> Fact<Size> {
        size(&rebuilt(&[(MOUNTS, mounts)]).tree)
    }

    const FIRST: &str = "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw\n\
        25 24 0:23 / /dev/shm rw,nosuid shared:7 master:1 - tmpfs tmpfs rw,size=65536k,inode64\n";

    #[test]
    fn units_of_mount_options() {
        assert_eq!(size_of(FIRST).value(), Some(&Size(64 << 20)));
        for (option, bytes) in [("size=2g", 2 << 30), ("size=512m", 512 << 20), ("size=1048576", 1 << 20)] {
            assert_eq!(size_of(&FIRST.replace("size=65536k", option)).value(), Some(&Size(bytes)), "{option}");
        }
    }

    #[test]
    fn the_last_mount_over_it_counts() {
        let both = format!("{FIRST}30 25 0:27 / /dev/shm rw,relatime - tmpfs shm rw,size=16g\n");
        assert_eq!(size_of(&both).value(), Some(&Size(16 << 30)));
        let hidden = format!("{FIRST}30 25 254:0 /var/shm /dev/shm rw,relatime - ext4 /dev/vda rw\n");
        assert_eq!(size_of(&hidden).value(), None);
    }

    #[test]
    fn no_mount_no_size_and_no_limit() {
        assert_eq!(
            size_of("22 27 0:21 / /proc rw - proc proc rw\n").reason(),
            Some("/proc/self/mountinfo lists no mount at /dev/shm")
        );
        let without = FIRST.replace(",size=65536k", "");
        assert_eq!(size_of(&without).reason(), Some("/proc/self/mountinfo shows no size of /dev/shm"));
        assert_eq!(size_of(&FIRST.replace("65536k", "0k")).reason(), Some("/dev/shm has no limit of its own"));
    }
}
