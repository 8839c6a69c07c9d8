//! `amd-smi static --json`: names, serial numbers, memory, firmware and the most that each PCIe link reaches.

use serde_json::Value;

use super::{
    amd_values::{first, gpus, index, merge, text, whole, with_unit},
    pci_address::PciAddress,
    pcie_speed::generation_of,
};
use crate::{
    facts::{Damage, Fact, Facts, Vendor},
    units::{IndexList, Size},
};

/// Reads it. A field that is not there, or not in a form that is known, gives no fact.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let gpus = gpus(text, file, facts);
    if gpus.is_empty() {
        return;
    }
    let mut complete = true;
    for (at, gpu) in gpus.iter().enumerate() {
        complete &= gpu["gpu"].as_u64() == u64::try_from(at).ok();
        match index(gpu) {
            Some(index) => one(gpu, index, file, facts),
            None => facts.damage.push(Damage::of_file(file, format!("entry {at} has no GPU index"))),
        }
    }
    facts.vendor.merge(Fact::known(Vendor::Amd, file));
    let count = match u32::try_from(gpus.len()) {
        Ok(count) if complete => Fact::known(count, file),
        _ => Fact::unknown(format!("{file}: the GPUs are not numbered from 0 without a gap")),
    };
    facts.gpu_count.merge(count);
}

fn one(of: &Value, index: u32, file: &str, facts: &mut Facts) {
    // Of a driver that is the kernel's own, the kernel's `Linux version ..` stands there: no version of the driver.
    let version = text(first(&of["driver"], &["version", "driver_version"]));
    if let Some(version) = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit())) {
        facts.driver.merge(Fact::known(version, file));
    }
    let gpu = facts.gpu_mut(index);
    let bus = &of["bus"];
    merge(&mut gpu.name, text(&of["asic"]["market_name"]), file);
    merge(&mut gpu.serial, text(&of["asic"]["asic_serial"]), file);
    merge(&mut gpu.vbios, text(&of["vbios"]["version"]).or_else(|| text(&of["ifwi"]["version"])), file);
    merge(&mut gpu.pci_address, bus["bdf"].as_str().and_then(PciAddress::spell), file);
    merge(&mut gpu.pcie.width_max, lanes(&bus["max_pcie_width"]), file);
    merge(&mut gpu.pcie.generation_max, generation(&bus["max_pcie_speed"]), file);
    if let Some(memory) = memory(&of["vram"]["size"]) {
        gpu.memory.merge_memory(Fact::known(memory, file));
    }
    merge(&mut gpu.numa_nodes, node(&of["numa"]["node"]), file);
}

/// The lanes of a PCIe link: 1 to 32. 0 is none, and a number of all ones is amd-smi's for what it does not know.
pub(super) fn lanes(value: &Value) -> Option<u32> {
    u32::try_from(whole(value)?).ok().filter(|lanes| matches!(lanes, 1..=32))
}

/// The generation of a PCIe link by its speed in GT/s.
pub(super) fn generation(value: &Value) -> Option<u32> {
    let (speed, unit) = with_unit(value)?;
    if unit != "GT/s" {
        return None;
    }
    generation_of(speed)
}

/// The size of the memory. `MB` is 2^20 bytes there: an MI300X has 196592 of them, 16 fewer than 192 GiB.
fn memory(value: &Value) -> Option<Size> {
    let shift = match value["unit"].as_str()?.trim() {
        "B" => 0,
        "KB" | "KiB" => 10,
        "MB" | "MiB" => 20,
        "GB" | "GiB" => 30,
        _ => return None,
    };
    whole(value)?.checked_mul(1 << shift).filter(|bytes| *bytes > 0).map(Size)
}

/// The NUMA node that is near; -1 means that the firmware does not say.
fn node(value: &Value) -> Option<IndexList> {
    let node = u32::try_from(whole(value)?).ok().filter(|node| *node < MOST_NODES)?;
    Some([node].into_iter().collect())
}

/// Linux has no more (`CONFIG_NODES_SHIFT` is 10 at most); a larger number is an error code.
const MOST_NODES: u32 = 1024;

#[cfg(test)]
mod lanes_tests {
    use super::lanes;

    #[test]
    fn a_number_of_all_ones_is_no_width() {
        for (number, right) in [(1, Some(1)), (16, Some(16)), (32, Some(32)), (0, None), (65_535, None)] {
            assert_eq!(lanes(&number.into()), right, "{number}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;

    const NEW: &str = r#"{"gpu_data": [
  {
    "gpu": 0, "asic": {"market_name": "AMD Instinct MI300X",
      "asic_serial": "0x1A2B",
      "oam_id": 4
    },
    "bus": {
      "bdf": "0000:0C:00.0",
      "max_pcie_width": 16,
      "max_pcie_speed": {"value": 32, "unit": "GT/s"}
    },
    "ifwi": {"version": "022.040.003"},
    "driver": {"name": "amdgpu", "version": "6.12.12"},
    "vram": {
      "size": {"value": 196592, "unit": "MB"}
    },
    "numa": {"node": 1, "affinity": 1}
  },
  {
    "gpu": 1,
    "bus": {"bdf": "0000:22:00.0", "max_pcie_width": "N/A", "max_pcie_speed": "N/A"},
    "vram": {"size": "N/A"},
    "numa": {"node": -1, "affinity": "N/A"}
  }
]}
"#;
    const OLD: &str = r#"[
  {"gpu": 0, "asic": {"market_name": "MI210"}, "bus": {"bdf": "0000:03:00.0", "max_pcie_width": "16",
   "max_pcie_speed": "16 GT/s"}, "vbios": {"version": "1.2"}, "driver": {"driver_version": "6.7.0"}},
  {"gpu": 1, "asic": {"market_name": "MI210"}, "driver": {"driver_version": "6.7.0"}, "vbios": "N/A", "numa": "N/A"}
]
"#;

    #[test]
    fn the_new_shape() {
        let read = facts(read, NEW);
        assert_eq!((read.damage.len(), read.gpu_count.value()), (0, Some(&2)));
        assert_eq!(read.driver.value().map(String::as_str), Some("6.12.12"));
        let gpu = read.gpu(0).unwrap();
        assert_eq!(gpu.name.value().map(String::as_str), Some("AMD Instinct MI300X"));
        assert_eq!(gpu.serial.value().map(String::as_str), Some("0x1A2B"));
        assert_eq!(gpu.vbios.value().map(String::as_str), Some("022.040.003"));
        assert_eq!(gpu.pci_address.value().map(String::as_str), Some("0000:0c:00.0"));
        assert_eq!(gpu.memory.value(), Some(&Size(196_592 << 20)));
        assert_eq!((gpu.pcie.width_max.value(), gpu.pcie.generation_max.value()), (Some(&16), Some(&5)));
        assert_eq!(gpu.numa_nodes.value(), Some(&[1].into_iter().collect()));
    }

    #[test]
    fn what_amd_smi_has_not_is_unknown() {
        let read = facts(read, NEW);
        let gpu = read.gpu(1).unwrap();
        assert_eq!((gpu.name.value(), gpu.memory.value(), gpu.numa_nodes.value()), (None, None, None));
        assert_eq!((gpu.pcie.width_max.value(), gpu.pcie.generation_max.value()), (None, None));
    }

    #[test]
    fn the_old_shape() {
        let read = facts(read, OLD);
        assert_eq!((read.damage.len(), read.gpu_count.value()), (0, Some(&2)));
        assert_eq!(read.driver.value().map(String::as_str), Some("6.7.0"));
        let gpu = read.gpu(0).unwrap();
        assert_eq!((gpu.pcie.width_max.value(), gpu.pcie.generation_max.value()), (Some(&16), Some(&4)));
        assert_eq!(read.gpu(1).unwrap().vbios.value(), None);
    }

    #[test]
    fn the_version_of_the_kernel_is_none_of_the_driver() {
        let text = r#"[{"gpu": 0, "driver": {"name": "amdgpu", "version": "Linuxversion6.14.0-24-generic(builder)"}}]"#;
        assert_eq!(facts(read, text).driver.value(), None);
    }

    #[test]
    fn one_gpu_of_several_is_no_count() {
        let read = facts(read, r#"[{"gpu": 3, "asic": {"market_name": "MI300X"}}]"#);
        assert_eq!(read.gpu_count.value(), None);
        assert!(read.gpu(3).unwrap().name.value().is_some());
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(NEW)) {
            assert_only_less(&facts(read, NEW), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in r#"(?s)(\[|\]|\{|\}|"gpu": 0,|"bus": \{|"size": -1|"vram": |.){0,40}"#) {
            facts(read, &text);
        }
    }
}
