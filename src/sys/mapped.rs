use std::{fs, path::PathBuf};

/// The file that an address of this process is mapped from: a loaded library by its real path, with links resolved.
pub(crate) fn file_at(address: usize) -> Option<PathBuf> {
    find(&fs::read_to_string("/proc/self/maps").ok()?, address)
}

/// A line of /proc/self/maps is `start-end rights offset device inode   path`.
fn find(maps: &str, address: usize) -> Option<PathBuf> {
    maps.lines().find_map(|line| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        let bound = |text| usize::from_str_radix(text, 16).ok();
        let inside = (bound(start)?..bound(end)?).contains(&address);
        let path = &line[line.find('/')?..];
        inside.then(|| path.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_the_file_mapped_around_it() {
        let maps = "55d0-55d8 r--p 00000000 08:01 42   /usr/bin/linkspec\n\
                    7f00-7f40 r-xp 00001000 08:01 43   /usr/lib/libibverbs.so.1.14.50.0\n\
                    7ffc-7ffd rw-p 00000000 00:00 0    [stack]\n";
        assert_eq!(find(maps, 0x7f10), Some("/usr/lib/libibverbs.so.1.14.50.0".into()));
        assert_eq!(find(maps, 0x7f40), None);
        assert_eq!(find(maps, 0x7ffc), None);
    }
}
