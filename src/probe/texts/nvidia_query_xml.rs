//! `nvidia-smi -q -x`.

use roxmltree::{Document, Error, Node, ParsingOptions};

use super::{
    lines,
    nvidia_message::{note_lost_gpus, note_nothing},
    nvidia_query::{Block, Listing, Values},
};
use crate::facts::{Damage, Facts};

/// The values that give facts lie no deeper below a GPU, and their paths are no longer.
const DEEPEST: usize = 5;
const LONGEST: usize = 200;

/// Reads the output of `nvidia-smi -q -x`. `file` is its name in the folder.
///
/// A document that does not parse gives nothing: most often it was cut, and which GPUs it lacks is not known.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.contains("<nvidia_smi_log") {
        let lines = lines(text);
        note_lost_gpus(&lines, file, facts);
        note_nothing(&lines, file, "nvidia_smi_log document", facts);
        return;
    }
    // nvidia-smi defines no entities, and expanding some could take longer than the text is long.
    if text.contains("<!ENTITY") {
        facts.damage.push(Damage::of_file(file, "the document defines entities"));
        return;
    }
    match Document::parse_with_options(text, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() }) {
        Ok(document) => listing(&document).add(file, facts),
        Err(error) => {
            // The parser gives no position where the text ends too soon.
            let cut = matches!(error, Error::UnexpectedEndOfStream | Error::UnclosedRootNode);
            let at = if cut { text.lines().count() } else { usize::try_from(error.pos().row).unwrap_or(0) };
            let quote = text.lines().nth(at.saturating_sub(1)).unwrap_or_default();
            facts.damage.push(Damage::new(file, at, quote, format!("the document does not parse: {error}")));
        }
    }
}

fn listing(document: &Document<'_>) -> Listing {
    let mut listing = Listing::default();
    let lines = Lines::new(document.input_text());
    let root = document.root_element();
    for node in root.children().filter(Node::is_element) {
        if node.has_tag_name("gpu") {
            let mut values = Values::default();
            for child in node.children() {
                add(child, &lines, &mut values);
            }
            let address = node.attribute("id").unwrap_or_default().trim().to_owned();
            listing.gpus.push(Block { address, values });
        } else {
            add(node, &lines, &mut listing.head);
        }
    }
    listing
}

/// Adds the text of an element and of those in it, by path.
fn add(top: Node<'_, '_>, lines: &Lines, values: &mut Values) {
    let mut waiting = vec![(top, String::new(), 1)];
    while let Some((node, above, depth)) = waiting.pop() {
        if !node.is_element() || depth > DEEPEST {
            continue;
        }
        let name = node.tag_name().name().to_ascii_lowercase();
        let path = if above.is_empty() { name } else { format!("{above}/{name}") };
        if path.len() > LONGEST {
            continue;
        }
        waiting.extend(node.children().map(|child| (child, path.clone(), depth + 1)));
        if let Some(text) = node.text().map(str::trim).filter(|text| !text.is_empty()) {
            values.add(path, text, lines.at(node.range().start), None);
        }
    }
}

/// Where each line begins, so that a position's line is found without reading the text again.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    fn at(&self, position: usize) -> usize {
        self.0.partition_point(|end| *end < position) + 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::{FabricState, Fact, Origin, Switch};

    const FILE: &str = "nvidia-smi-q.xml";

    fn reads(text: &str) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, FILE, &mut facts);
        facts
    }

    fn document(attached: u32, gpus: &str) -> String {
        let head = "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n";
        let versions = "<driver_version>570.12</driver_version><cuda_version>12.8</cuda_version>";
        format!("{head}<nvidia_smi_log>{versions}<attached_gpus>{attached}</attached_gpus>\n{gpus}</nvidia_smi_log>\n")
    }

    fn gpu(address: &str, inside: &str) -> String {
        format!("<gpu id=\"{address}\"><product_name>NVIDIA H100</product_name>{inside}</gpu>\n")
    }

    const H100: &str = "<mig_mode><current_mig>Disabled</current_mig></mig_mode>\
        <persistence_mode>Enabled</persistence_mode><serial>12</serial><uuid>GPU-aa</uuid>\
        <vbios_version>96.00.74.00.1C</vbios_version><pci><pci_gpu_link_info><pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>1</current_link_gen>\
        <max_device_link_gen>5</max_device_link_gen><max_host_link_gen>4</max_host_link_gen></pcie_gen>\
        <link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>\
        </pci_gpu_link_info><replay_counter>7</replay_counter></pci>\
        <clocks_event_reasons><clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>\
        <clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>\
        <clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>\
        <clocks_event_reason_hw_thermal_slowdown>Not Active</clocks_event_reason_hw_thermal_slowdown>\
        <clocks_event_reason_hw_power_brake_slowdown>Not Active</clocks_event_reason_hw_power_brake_slowdown>\
        <clocks_event_reason_sw_thermal_slowdown>Not Active</clocks_event_reason_sw_thermal_slowdown>\
        </clocks_event_reasons>\
        <clocks_event_reasons_counters><c>0 us</c></clocks_event_reasons_counters>\
        <fb_memory_usage><total>81559 MiB</total></fb_memory_usage>\
        <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>\
        <ecc_errors><volatile><sram_correctable>1</sram_correctable>\
        <sram_uncorrectable_parity>2</sram_uncorrectable_parity><sram_uncorrectable_secded>4</sram_uncorrectable_secded>\
        <dram_correctable>8</dram_correctable><dram_uncorrectable>16</dram_uncorrectable></volatile>\
        <aggregate><sram_correctable>N/A</sram_correctable><dram_correctable>1</dram_correctable>\
        <sram_uncorrectable>0</sram_uncorrectable><dram_uncorrectable>3</dram_uncorrectable></aggregate></ecc_errors>\
        <remapped_rows><remapped_row_corr>0</remapped_row_corr><remapped_row_unc>1</remapped_row_unc>\
        <remapped_row_pending>Yes</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></remapped_rows>\
        <fabric><state>Completed</state><status>Success</status></fabric>";

    #[test]
    fn one_gpu_in_full() {
        let facts = reads(&document(1, &gpu("00000000:1B:00.0", H100)));
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
        assert_eq!((facts.gpu_count.value(), facts.driver.value().unwrap().as_str()), (Some(&1), "570.12"));
        assert_eq!(facts.cuda, Fact::known("12.8".to_owned(), FILE));
        let gpu = facts.gpu(0).unwrap();
        assert_eq!(gpu.name.value().unwrap(), "NVIDIA H100");
        assert_eq!(gpu.vbios, Fact::known("96.00.74.00.1C".to_owned(), FILE));
        assert_eq!(gpu.pci_address.value().unwrap(), "0000:1b:00.0");
        assert_eq!(gpu.memory.value().unwrap().to_string(), "81559M");
        assert_eq!((gpu.ecc.value(), gpu.mig.value()), (Some(&Switch::On), Some(&Switch::Off)));
        assert_eq!(gpu.persistence.value(), Some(&Switch::On));
        let link = &gpu.pcie;
        assert_eq!((link.generation.value(), link.generation_max.value()), (Some(&1), Some(&4)));
        assert_eq!((link.width.value(), link.width_max.value(), link.replays.value()), (Some(&8), Some(&16), Some(&7)));
        assert_eq!(gpu.throttle_reasons.value().unwrap(), &["idle", "power-cap"]);
        assert_eq!((gpu.ecc_volatile.corrected.value(), gpu.ecc_volatile.uncorrected.value()), (Some(&9), Some(&22)));
        assert_eq!(gpu.ecc_aggregate.corrected.reason(), Some("N/A in nvidia-smi-q.xml"));
        assert_eq!(gpu.ecc_aggregate.uncorrected.value(), Some(&3));
        assert_eq!(
            (gpu.remapped_rows.uncorrectable.value(), gpu.remapped_rows.pending.value()),
            (Some(&1), Some(&true))
        );
        assert_eq!(gpu.fabric_state.value(), Some(&FabricState::Completed));
    }

    #[test]
    fn gpus_are_numbered_by_address() {
        let facts = reads(&document(2, &(gpu("00000000:C3:00.0", "") + &gpu("00000000:1B:00.0", ""))));
        assert_eq!(facts.gpu(0).unwrap().pci_address.value().unwrap(), "0000:1b:00.0");
        assert_eq!(facts.gpu(1).unwrap().pci_address.value().unwrap(), "0000:c3:00.0");
        assert_eq!(facts.gpu(0).unwrap().serial.reason(), Some("nvidia-smi-q.xml does not tell it"));
    }

    #[test]
    fn an_incomplete_listing_gives_no_gpu() {
        let twice = gpu("00000000:1B:00.0", "") + &gpu("00000000:1B:00.0", "");
        for text in [document(2, &gpu("00000000:1B:00.0", H100)), document(2, &twice), document(1, &gpu("x", ""))] {
            let facts = reads(&text);
            assert!(facts.gpus.is_empty() && facts.gpu_count.value().is_none());
            assert_eq!(facts.damage.len(), 1);
            assert!(facts.driver.value().is_some());
        }
    }

    #[test]
    fn a_document_that_was_cut_gives_nothing() {
        let text = document(1, &gpu("00000000:1B:00.0", H100));
        let facts = reads(&text[..text.len() - 30]);
        assert!(facts.gpus.is_empty() && facts.driver.value().is_none());
        assert_eq!(facts.damage.len(), 1);
        assert!(facts.damage[0].line >= 4 && facts.damage[0].reason.contains("does not parse"), "{:?}", facts.damage);
    }

    #[test]
    fn a_fabric_that_completed_badly_failed() {
        for (status, state) in [
            ("<status>Insufficient Resources</status>", Some(&FabricState::Failed)),
            ("<status>N/A</status>", None),
            ("", None),
        ] {
            let inside = format!("<fabric><state>Completed</state>{status}</fabric>");
            let facts = reads(&document(1, &gpu("00000000:1B:00.0", &inside)));
            assert_eq!(facts.gpu(0).unwrap().fabric_state.value(), state, "{status}");
        }
    }

    #[test]
    fn a_vbios_is_five_bytes_or_unknown() {
        for (text, reason, damage) in [
            ("N/A", "N/A in nvidia-smi-q.xml", 0),
            ("96.00.74", "not a value that can stand here in nvidia-smi-q.xml, line 4", 1),
            ("96.00.74.00.1", "not a value that can stand here in nvidia-smi-q.xml, line 4", 1),
            ("96.00.74.00.1C.00", "not a value that can stand here in nvidia-smi-q.xml, line 4", 1),
            ("00.00.00.00.00", "00.00.00.00.00 in nvidia-smi-q.xml, which is no version: a virtual GPU shows none", 0),
        ] {
            let facts =
                reads(&document(1, &gpu("00000000:1B:00.0", &format!("<vbios_version>{text}</vbios_version>"))));
            assert_eq!(facts.gpu(0).unwrap().vbios.reason(), Some(reason), "{text}");
            assert_eq!(facts.damage.len(), damage, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_told_as_it_is_printed() {
        let inside = "<persistence_mode>Requested functionality has been deprecated</persistence_mode>\
            <mig_mode><current_mig>Enabl</current_mig></mig_mode><fb_memory_usage><total>815</total></fb_memory_usage>";
        let facts = reads(&document(1, &gpu("00000000:1B:00.0", inside)));
        let gpu = facts.gpu(0).unwrap();
        assert!(gpu.persistence.reason().unwrap().starts_with("Requested functionality has been deprecated"));
        assert_eq!((gpu.mig.value(), gpu.memory.value()), (None, None));
        assert_eq!(facts.damage.len(), 2);
    }

    #[test]
    fn a_gpu_that_is_lost() {
        let lost = "<gpu id=\"00000000:1B:00.0\"><product_name>GPU is lost</product_name></gpu>";
        let facts = reads(&document(1, lost));
        assert_eq!(facts.lost_gpus[0].pci_address, "00000000:1B:00.0");
        assert_eq!(facts.gpu(0).unwrap().name.value(), None);
    }

    #[test]
    fn a_message_in_place_of_the_document() {
        let facts = reads("Failed to initialize NVML: Driver/library version mismatch\n");
        assert_eq!(facts.damage.len(), 1);
        assert!(facts.gpus.is_empty() && facts.vendor.value().is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            reads(&text);
        }

        #[test]
        fn near_texts_are_survived(text in "<nvidia_smi_log>(<gpu id=\"00000000:1B:00.0\">|</gpu>|<fabric>|N/A|\n|<attached_gpus>1</attached_gpus>){0,12}</nvidia_smi_log>") {
            reads(&text);
        }
    }
}
