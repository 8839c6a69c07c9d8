use crate::{facts::Fact, probe::tree::Tree, units::Size};

const LIMITS: &str = "proc/self/limits";
const MEMINFO: &str = "proc/meminfo";

/// The soft limit of this process on locked memory: what a rank that is started from here gets.
pub(super) fn memlock(tree: &Tree) -> Fact<Option<Size>> {
    Fact::told(tree.read(LIMITS).and_then(|text| soft_limit(&text)), "/proc/self/limits")
}

fn soft_limit(text: &str) -> Result<Option<Size>, String> {
    let none = || format!("/{LIMITS} shows no limit on locked memory");
    let line = text.lines().find_map(|line| line.strip_prefix("Max locked memory")).ok_or_else(none)?;
    match line.split_whitespace().next() {
        Some("unlimited") => Ok(None),
        Some(bytes) => bytes.parse().map(|bytes| Some(Size(bytes))).map_err(|_| none()),
        None => Err(none()),
    }
}

/// The memory set aside as huge pages of every size; older kernels tell those of the default size only.
pub(super) fn hugepages(tree: &Tree) -> Fact<Size> {
    Fact::told(tree.read(MEMINFO).and_then(|text| set_aside(&text)), "/proc/meminfo")
}

fn set_aside(text: &str) -> Result<Size, String> {
    let value = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        let digits = value.trim();
        digits.strip_suffix(" kB").unwrap_or(digits).trim().parse::<u64>().ok()
    };
    // `Hugetlb` since Linux 4.17; it counts the pages of other sizes than the default one too.
    let kilobytes = value("Hugetlb").or_else(|| value("HugePages_Total")?.checked_mul(value("Hugepagesize")?));
    let bytes = kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024));
    bytes.map(Size).ok_or_else(|| format!("/{MEMINFO} shows no huge pages"))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn the_soft_limit_counts() {
        for (soft, expected) in [("8388608", Some(Some(Size(8 << 20)))), ("unlimited", Some(None)), ("some", None)] {
            let head = "Limit                     Soft Limit           Hard Limit           Units\n";
            let line = format!("{head}Max locked memory         {soft:<20} unlimited            bytes\n");
            let machine = rebuilt(&[(LIMITS, &line)]);
            assert_eq!(memlock(&machine.tree).value().copied(), expected, "{soft}");
        }
        let machine =
            rebuilt(&[(LIMITS, "Max file locks            unlimited            unlimited            locks\n")]);
        assert_eq!(memlock(&machine.tree).value(), None);
    }

    #[test]
    fn huge_pages_of_every_size() {
        let default = "HugePages_Total:     512\nHugePages_Free:      512\nHugepagesize:       2048 kB\n";
        for (text, expected) in [
            (default.to_owned(), Some(Size(1 << 30))),
            // 512 pages of 2 MiB and 3 of 1 GiB.
            (format!("{default}Hugetlb:         4194304 kB\n"), Some(Size(4 << 30))),
            ("HugePages_Total:       0\nHugepagesize:       2048 kB\n".to_owned(), Some(Size(0))),
            ("MemTotal:       100 kB\n".to_owned(), None),
        ] {
            let machine = rebuilt(&[(MEMINFO, &text)]);
            assert_eq!(hugepages(&machine.tree).value().copied(), expected, "{text}");
        }
    }
}
