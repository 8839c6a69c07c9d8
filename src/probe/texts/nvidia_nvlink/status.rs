use std::collections::BTreeMap;

use super::sections::{Section, link, says_all_inactive, sections};
use crate::{
    facts::{Damage, Fact, Facts, NvLink, Vendor},
    probe::texts::{
        lines,
        nvidia_message::{note_lost_gpus, note_nothing},
    },
    units::Bandwidth,
};

/// Reads the output of `nvidia-smi nvlink -s`. `file` is its name in the folder.
///
/// An empty output is what a machine without NVLink gives: no damage, and the links of the GPUs that other sources
/// have named so far are unknown for that reason.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    note_lost_gpus(&lines, file, facts);
    if text.trim().is_empty() {
        for gpu in &mut facts.gpus {
            gpu.nvlinks.merge_list(Fact::unknown(format!("{file} is empty")));
        }
        return;
    }
    let sections = sections(&lines, file, facts);
    if sections.is_empty() && facts.damage.iter().all(|damage| damage.file != file) {
        note_nothing(&lines, file, "list of NVLinks", facts);
    }
    let longest = longest(&sections);
    for section in &sections {
        facts.vendor.merge(Fact::known(Vendor::Nvidia, file));
        let links = links(section, file, &mut facts.damage);
        let links = links.and_then(|links| whole(section, links, &longest, file, &mut facts.damage));
        let gpu = facts.gpu_mut(section.index);
        gpu.name.merge(Fact::known(section.name.clone(), file));
        gpu.uuid.merge(Fact::known(section.uuid.clone(), file));
        match links {
            Ok(links) => gpu.nvlinks.merge_list(Fact::known(links, file)),
            // A list that is damaged in one place is not repaired by its whole twin in the same text.
            Err(reason) => gpu.nvlinks.merge_list(Fact::Conflict { reason }),
        }
    }
}

/// How many links the longest list of each product has: GPUs of one name have equally many places.
fn longest(sections: &[Section]) -> BTreeMap<&str, usize> {
    let mut longest = BTreeMap::new();
    for section in sections {
        let links = section.entries.iter().filter(|line| link(&line.text).is_some()).count();
        let most = longest.entry(section.name.as_str()).or_insert(0);
        *most = links.max(*most);
    }
    longest
}

/// The links that a GPU's section lists, by number; an empty list where NVML says that all are inactive.
fn links(section: &Section, file: &str, damage: &mut Vec<Damage>) -> Result<BTreeMap<u32, NvLink>, String> {
    let mut links = BTreeMap::new();
    let mut all_inactive = false;
    for line in &section.entries {
        let mut refuse = |reason: &str| {
            damage.push(Damage::new(file, line.number, &line.text, reason));
            format!("GPU{}'s links are damaged in {file}, line {}: {reason}", section.index, line.number)
        };
        if says_all_inactive(&line.text) {
            all_inactive = true;
            continue;
        }
        let (number, state) = link(&line.text).ok_or_else(|| refuse("not a link"))?;
        let link = nvlink(number, state).ok_or_else(|| refuse("not a link's state"))?;
        if links.get(&number).is_some_and(|known| *known != link) {
            return Err(refuse("the link is there twice"));
        }
        links.insert(number, link);
    }
    if all_inactive == links.is_empty() {
        return Ok(links);
    }
    let reason = if all_inactive { "links are listed, and all are said to be inactive" } else { "no link is listed" };
    damage.push(Damage::new(file, section.line.number, &section.line.text, reason));
    Err(format!("for GPU{} {reason} in {file}", section.index))
}

/// The list, if it has no gap and is as long as those of its like: the text may be cut between two lines.
fn whole(
    section: &Section,
    links: BTreeMap<u32, NvLink>,
    longest: &BTreeMap<&str, usize>,
    file: &str,
    damage: &mut Vec<Damage>,
) -> Result<Vec<NvLink>, String> {
    let gap = (0..).zip(links.keys()).find(|(expected, number)| expected != *number).map(|(expected, _)| expected);
    let most = longest.get(section.name.as_str()).copied().unwrap_or(0);
    let reason = match gap {
        Some(missing) => format!("link {missing} is missing"),
        None if !links.is_empty() && links.len() < most => format!("{} links, other GPUs list {most}", links.len()),
        None => return Ok(links.into_values().collect()),
    };
    damage.push(Damage::new(file, section.line.number, &section.line.text, reason.clone()));
    Err(format!("GPU{}'s list of links is not whole in {file}: {reason}", section.index))
}

/// `25.781 GB/s`, `<inactive>` or `Inactive`.
fn nvlink(index: u32, state: &str) -> Option<NvLink> {
    if state.trim_matches(['<', '>']).eq_ignore_ascii_case("inactive") {
        return Some(NvLink::new(index, false, None));
    }
    let speed: Bandwidth = state.parse().ok()?;
    (speed.gigabytes_per_second() > 0.0).then_some(NvLink::new(index, true, Some(speed)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::Origin;

    const FILE: &str = "nvidia-smi-nvlink-s.txt";

    fn reads(text: &str) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, FILE, &mut facts);
        facts
    }

    fn section(index: u32, links: &[&str]) -> String {
        let links: String = links.iter().enumerate().map(|(at, state)| format!("\t Link {at}: {state}\n")).collect();
        format!("GPU {index}: NVIDIA H200 (UUID: GPU-aa-{index})\n{links}")
    }

    fn active(facts: &Facts, gpu: u32) -> Option<Vec<bool>> {
        let links = facts.gpu(gpu)?.nvlinks.value()?;
        Some(links.iter().map(|link| link.active).collect())
    }

    #[test]
    fn links_up_and_down_in_every_spelling() {
        let facts = reads(&section(0, &["26.562 GB/s", "<inactive>", "Inactive", "25 GB/s"]));
        assert_eq!(active(&facts, 0), Some(vec![true, false, false, true]));
        let gpu = facts.gpu(0).unwrap();
        assert_eq!(gpu.nvlinks.value().unwrap()[0].speed, Some(Bandwidth(26.562)));
        assert_eq!(gpu.name.value().unwrap(), "NVIDIA H200");
        assert_eq!(gpu.uuid.value().unwrap(), "GPU-aa-0");
        assert_eq!(facts.vendor.value(), Some(&Vendor::Nvidia));
        assert!(facts.damage.is_empty());
    }

    #[test]
    fn a_prompt_before_and_after_is_no_damage() {
        let text = format!("me@host:~$ nvidia-smi nvlink -s\n{}me@host:~$ ", section(0, &["25 GB/s"]));
        let facts = reads(&text);
        assert_eq!(active(&facts, 0), Some(vec![true]));
        assert!(facts.damage.is_empty());
    }

    #[test]
    fn all_inactive_is_said_of_the_gpu_above() {
        let message = "NVML: Unable to retrieve NVLink information as all links are inactive\n";
        let facts = reads(&format!("{}{message}", section(6, &[])));
        assert_eq!(facts.gpu(6).unwrap().nvlinks, Fact::known(Vec::new(), FILE));
        assert!(facts.damage.is_empty());
        let facts = reads(message);
        assert!(facts.gpus.is_empty());
        assert_eq!((facts.damage.len(), facts.damage[0].line), (1, 1));
        let facts = reads(&format!("{}{message}", section(6, &["25 GB/s"])));
        assert_eq!(active(&facts, 6), None);
    }

    #[test]
    fn an_empty_text_is_no_damage_and_no_fact() {
        let mut facts = Facts::new(Origin::Live);
        facts.gpu_mut(0);
        read("\n", FILE, &mut facts);
        assert_eq!(facts.gpu(0).unwrap().nvlinks.reason(), Some("nvidia-smi-nvlink-s.txt is empty"));
        assert!(facts.damage.is_empty());
    }

    #[test]
    fn a_list_that_may_be_cut_is_unknown() {
        let whole = section(0, &["25 GB/s"; 3]);
        for cut in [
            section(1, &["25 GB/s"; 2]),
            format!("{}\t Link 2: 25 G", section(1, &["25 GB/s"; 2])),
            format!("{}\t Link", section(1, &["25 GB/s"; 2])),
            section(1, &["25 GB/s"; 3]).replace("Link 1", "Link 7"),
            section(1, &["25 GB/s"; 3]).replace(" Link 1", "ink 1"),
            section(1, &["25 GB/s"; 3]).replace("Link 1", "Link 0").replacen("25", "26", 1),
            section(1, &[]),
            section(1, &["0 GB/s"; 3]),
        ] {
            let facts = reads(&format!("{whole}{cut}"));
            assert_eq!(active(&facts, 0), Some(vec![true; 3]), "{cut}");
            assert_eq!(active(&facts, 1), None, "{cut}");
            assert_eq!(facts.damage.len(), 1, "{cut}");
        }
    }

    #[test]
    fn a_cut_gpu_line_takes_its_links_with_it() {
        let facts = reads("GPU 0: NVIDIA H200 (UUI\n\t Link 0: 25 GB/s\n");
        assert!(facts.gpus.is_empty());
        assert_eq!(facts.damage.iter().map(|damage| damage.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_gpu_that_is_there_twice_must_say_the_same() {
        let (up, down) = (section(0, &["25 GB/s"; 2]), section(0, &["25 GB/s", "<inactive>"]));
        assert_eq!(active(&reads(&format!("{up}{up}")), 0), Some(vec![true; 2]));
        let facts = reads(&format!("{up}{down}"));
        assert_eq!(active(&facts, 0), None);
        assert!(facts.gpu(0).unwrap().nvlinks.reason().unwrap().contains("inactive"));
    }

    #[test]
    fn a_message_is_quoted() {
        let facts = reads("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n");
        assert!(facts.gpus.is_empty());
        assert_eq!(facts.damage.len(), 1);
        let facts = reads("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n");
        assert_eq!((facts.lost_gpus[0].pci_address.as_str(), facts.damage.len()), ("0000:07:00.0", 1));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            reads(&text);
        }

        #[test]
        fn a_cut_text_never_shows_a_link_down(cut in 0usize..400) {
            let text: String = (0..3).map(|gpu| section(gpu, &["26.562 GB/s"; 4])).collect();
            let facts = reads(&text[..cut.min(text.len())]);
            for gpu in &facts.gpus {
                if let (Some(links), true) = (gpu.nvlinks.value(), facts.gpus.len() > 1) {
                    prop_assert_eq!(links.len(), 4);
                }
            }
        }
    }
}
