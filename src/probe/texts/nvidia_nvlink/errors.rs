use std::collections::BTreeMap;

use super::sections::{Section, link, sections};
use crate::{
    facts::{Damage, Fact, Facts, NvLinkErrors, Vendor},
    probe::texts::{
        lines,
        nvidia_message::{note_lost_gpus, note_nothing},
    },
};

/// Reads the output of `nvidia-smi nvlink -e`. `file` is its name in the folder.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    note_lost_gpus(&lines, file, facts);
    if text.trim().is_empty() {
        return;
    }
    let sections = sections(&lines, file, facts);
    if sections.is_empty() && facts.damage.iter().all(|damage| damage.file != file) {
        note_nothing(&lines, file, "list of NVLink errors", facts);
    }
    // A count in a last line without an end may be cut: 1 of 12.
    let last = lines.last().filter(|_| !text.ends_with('\n')).map(|line| line.number);
    for section in &sections {
        facts.vendor.merge(Fact::known(Vendor::Nvidia, file));
        let errors = errors(section, last, file, &mut facts.damage);
        let gpu = facts.gpu_mut(section.index);
        gpu.name.merge(Fact::known(section.name.clone(), file));
        gpu.uuid.merge(Fact::known(section.uuid.clone(), file));
        match errors {
            Ok(errors) => gpu.nvlink_errors.merge_list(Fact::known(errors, file)),
            Err(reason) => gpu.nvlink_errors.merge_list(Fact::Conflict { reason }),
        }
    }
}

/// The counters of every link. What is printed as N/A or as a rate (`15e-255`) is no count and left out.
fn errors(
    section: &Section,
    last: Option<usize>,
    file: &str,
    damage: &mut Vec<Damage>,
) -> Result<Vec<NvLinkErrors>, String> {
    let mut links: BTreeMap<u32, BTreeMap<String, u64>> = BTreeMap::new();
    for line in &section.entries {
        let mut refuse = |reason: &str| {
            damage.push(Damage::new(file, line.number, &line.text, reason));
            format!("GPU{}'s link errors are damaged in {file}, line {}: {reason}", section.index, line.number)
        };
        if last == Some(line.number) {
            return Err(refuse("the text ends in this line"));
        }
        let counter = link(&line.text).and_then(|(number, rest)| Some((number, rest.split_once(':')?)));
        let (number, (name, count)) = counter.ok_or_else(|| refuse("not a link's counter"))?;
        let Ok(count) = count.trim().parse::<u64>() else { continue };
        let counters = links.entry(number).or_default();
        if counters.insert(name.trim().to_owned(), count).is_some_and(|known| known != count) {
            return Err(refuse("the counter is there twice"));
        }
    }
    Ok(links.into_iter().map(|(index, counters)| NvLinkErrors { index, counters }).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::Origin;

    const FILE: &str = "nvidia-smi-nvlink-e.txt";
    const ONE: &str = "GPU 0: NVIDIA H200 (UUID: GPU-aa)\n\t Link 0: Replay Errors: 3\n\t Link 0: CRC Errors: 0\n\n\t Link 1: Replay Errors: 0\n\t Link 1: CRC Errors: N/A\n";

    fn reads(text: &str) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, FILE, &mut facts);
        facts
    }

    #[test]
    fn counters_by_link_and_name() {
        let facts = reads(ONE);
        let links = facts.gpu(0).unwrap().nvlink_errors.value().unwrap();
        assert_eq!(links.len(), 2);
        assert_eq!((links[0].counters["Replay Errors"], links[0].counters["CRC Errors"]), (3, 0));
        assert_eq!(links[1].counters.len(), 1);
        assert!(facts.damage.is_empty());
    }

    #[test]
    fn a_text_that_ends_in_a_count_gives_none() {
        for cut in [ONE.trim_end(), &ONE[..ONE.len() - 20], &ONE[..80]] {
            let facts = reads(cut);
            assert!(facts.gpu(0).unwrap().nvlink_errors.value().is_none(), "{cut}");
            assert_eq!(facts.damage.len(), 1, "{cut}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            reads(&text);
        }
    }
}
