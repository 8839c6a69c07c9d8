use super::reader::Reader;
use crate::facts::{Fact, PcieLink};

const GENERATION: &str = "pci/gpu link info/pcie generation";
const WIDTH: &str = "pci/gpu link info/link width";
const GENERATION_XML: &str = "pci/pci_gpu_link_info/pcie_gen";
const WIDTH_XML: &str = "pci/pci_gpu_link_info/link_widths";

/// Adds what a listing says of a GPU's PCIe link. Whether the GPU was at work it does not say.
pub(super) fn add(link: &mut PcieLink, reader: &mut Reader<'_>) {
    let generation = |reader: &mut Reader<'_>, text: &str, xml: &str| {
        let paths = [format!("{GENERATION}/{text}"), format!("{GENERATION_XML}/{xml}")];
        reader.fact(&[&paths[0], &paths[1]], |text| text.parse::<u32>().ok().filter(|value| (1..=9).contains(value)))
    };
    link.merge_generation(generation(reader, "current", "current_link_gen"), Fact::default());
    // `Max` is what device and slot reach together; the newer `Device Max` and `Host Max` say it of each alone.
    let together = generation(reader, "max", "max_link_gen");
    let alone = [("device max", "max_device_link_gen"), ("host max", "max_host_link_gen")];
    let alone = alone.map(|(text, xml)| generation(reader, text, xml).value().copied());
    let least = |together: u32| alone.into_iter().flatten().fold(together, u32::min);
    link.generation_max.merge(together.map(least));
    for (fact, text, xml) in
        [(&mut link.width, "current", "current_link_width"), (&mut link.width_max, "max", "max_link_width")]
    {
        let paths = [format!("{WIDTH}/{text}"), format!("{WIDTH_XML}/{xml}")];
        fact.merge(width(reader, &[&paths[0], &paths[1]]));
    }
    link.replays.merge_count(reader.count(&["pci/replays since reset", "pci/replay_counter"]));
}

/// `16x`.
fn width(reader: &mut Reader<'_>, paths: &[&str]) -> Fact<u32> {
    reader.fact(paths, |text| {
        let lanes = text.strip_suffix('x')?.parse().ok()?;
        matches!(lanes, 1 | 2 | 4 | 8 | 12 | 16 | 32).then_some(lanes)
    })
}
