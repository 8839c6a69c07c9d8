//! The list of ranks under `# Using devices`.

use crate::evidence::Rank;

/// Whether a comment is meant as a line of the list, whole or damaged.
pub(super) fn is_rank(comment: &str) -> bool {
    comment.starts_with("Rank ") || (comment.contains("Pid ") && comment.contains("device "))
}

/// Reads a line of the list without its `#`: `Rank  0 Group  0 Pid 1 on HOST device  0 [0000:00:06] NAME`. Old outputs
/// have no group, and only the bus in the brackets.
pub(super) fn parse(comment: &str) -> Option<Rank> {
    let (before, name) = comment.split_once(']')?;
    let (before, pci) = before.split_once('[')?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let rest = words.strip_prefix(&["Rank"])?;
    let (rank, rest) = number(rest)?;
    let rest = match rest.strip_prefix(&["Group"]) {
        Some(rest) => number(rest)?.1,
        None => rest,
    };
    let (_, rest) = number(rest.strip_prefix(&["Pid"])?)?;
    let [host, "device", device] = rest.strip_prefix(&["on"])? else { return None };
    let device = device.parse().ok()?;
    let name = name.trim();
    let whole = is_address(pci) && !name.is_empty() && !name.ends_with("...");
    whole.then(|| Rank {
        rank,
        host: Some((*host).to_owned()),
        device: Some(device),
        pci: Some(pci.to_owned()),
        name: Some(name.to_owned()),
    })
}

fn number<'a, 'b>(words: &'a [&'b str]) -> Option<(u32, &'a [&'b str])> {
    let (first, rest) = words.split_first()?;
    Some((first.parse().ok()?, rest))
}

/// `0000:00:06`, or `0x0f`.
fn is_address(pci: &str) -> bool {
    let hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    match pci.strip_prefix("0x") {
        Some(bus) => hex(bus),
        None => pci.matches(':').count() == 2 && pci.split([':', '.']).all(hex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, host: &str, device: u32, pci: &str, name: &str) -> Rank {
        let text = |text: &str| Some(text.to_owned());
        Rank { rank, host: text(host), device: Some(device), pci: text(pci), name: text(name) }
    }

    #[test]
    fn every_form_is_read() {
        for (line, right) in [
            ("Rank  0 Pid 112 on box device  0 [0x00] A100-SXM4-40GB", rank(0, "box", 0, "0x00", "A100-SXM4-40GB")),
            (
                "Rank 12 Group  0 Pid   1586 on      n-2 device  4 [0x0f] NVIDIA H100 80GB HBM3",
                rank(12, "n-2", 4, "0x0f", "NVIDIA H100 80GB HBM3"),
            ),
            (
                "Rank  1 Group  0 Pid 9 on n2 device  1 [0000:c1:00] AMD Instinct MI300X  ",
                rank(1, "n2", 1, "0000:c1:00", "AMD Instinct MI300X"),
            ),
        ] {
            assert!(is_rank(line));
            assert_eq!(parse(line), Some(right), "{line}");
        }
    }

    #[test]
    fn damaged_lines_give_no_rank() {
        for line in [
            "Rank  0 Group  0 Pid 9 on n2 device  1 [0000:c1:00]",
            "Rank  0 Group  0 Pid 9 on n2 device  1 [0000:c",
            "Rank  0 Group  0 Pid 9 on n2 device  1 [0000:c1] H200",
            "Rank  Group  0 Pid 9 on n2 device  1 [0000:c1:00] H200",
            "Rank  0 Group  0 Pid 9 on device  1 [0000:c1:00] H200",
            "Rank 17 Group  0 Pid ...",
            "Rank  0 Group  0 Pid 9 on n2 device  1 [0000:c1:00] NVID...",
            "ank  0 Group  0 Pid 9 on n2 device  1 [0000:c1:00] H200",
        ] {
            assert!(is_rank(line), "{line}");
            assert_eq!(parse(line), None, "{line}");
        }
        assert!(!is_rank("Using devices"));
    }
}
