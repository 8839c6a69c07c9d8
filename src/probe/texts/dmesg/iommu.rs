use super::events::Entry;
use crate::facts::{Fact, IommuMode};

/// What the log of a whole boot proves of the IOMMU.
///
/// The kernel prints its default domain type also where there is no IOMMU: it counts only beside a line that shows one
/// at work. That lines which show one are missing proves nothing, they differ from driver to driver.
pub(super) fn mode(entries: &[Entry<'_>], file: &str) -> Fact<IommuMode> {
    let any = |words: &[&str]| entries.iter().any(|entry| words.iter().any(|word| entry.message.contains(word)));
    let at_work = any(&[
        "Adding to iommu group",
        "DMAR: Intel(R) Virtualization Technology for Directed I/O",
        "AMD-Vi: Found IOMMU",
    ]);
    let off = any(&["AMD-Vi: AMD IOMMU disabled", "DMAR: IOMMU disabled"]);
    let passthrough = any(&["Default domain type: Passthrough"]);
    let translated = any(&["Default domain type: Translated"]);
    let unknown = |why: &str| Fact::unknown(format!("{file} does not prove what the IOMMU does: {why}"));
    match (at_work, off, passthrough, translated) {
        (false, true, ..) => Fact::known(IommuMode::Off, file),
        (true, false, true, false) => Fact::known(IommuMode::Passthrough, file),
        (true, false, false, true) => Fact::known(IommuMode::Translating, file),
        (true, true, ..) | (true, false, true, true) => unknown("its lines contradict each other"),
        (true, false, false, false) => unknown("it shows one at work and not its default domain type"),
        (false, false, ..) => unknown("no line shows one at work or disabled"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(messages: &[&str]) -> Option<IommuMode> {
        let entries: Vec<Entry<'_>> =
            messages.iter().enumerate().map(|(at, line)| Entry { number: at + 1, line, message: line }).collect();
        mode(&entries, "dmesg.txt").value().copied()
    }

    #[test]
    fn the_default_domain_type_counts_where_an_iommu_works() {
        let group = "pci 0000:00:01.1: Adding to iommu group 0";
        let passthrough = "iommu: Default domain type: Passthrough (set via kernel command line)";
        let translated = "iommu: Default domain type: Translated";
        assert_eq!(mode_of(&[passthrough, group]), Some(IommuMode::Passthrough));
        assert_eq!(mode_of(&[translated, group]), Some(IommuMode::Translating));
        assert_eq!(mode_of(&[translated]), None);
        assert_eq!(mode_of(&[group]), None);
        assert_eq!(mode_of(&["DMAR: IOMMU disabled", translated]), Some(IommuMode::Off));
        assert_eq!(mode_of(&["AMD-Vi: AMD IOMMU disabled on kernel command-line"]), Some(IommuMode::Off));
    }
}
