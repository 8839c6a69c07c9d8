//! `amd-smi metric --json`: the PCIe link as it runs now, its replays, and the ECC errors since the driver was loaded.

use serde_json::Value;

use super::{
    amd_values::{first, gpus, index, merge, merge_count, whole},
    amdsmi_static_json::{generation, lanes},
};
use crate::facts::{Damage, Fact, Facts, Vendor};

/// Reads it. It may be of some GPUs only (`-g`), so that it does not say how many there are. `xgmi_err` is passed over:
/// the file in `/sys` that it is read from does not work on MI300 GPUs (ROCm/rocm-systems#11468).
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let gpus = gpus(text, file, facts);
    for (at, gpu) in gpus.iter().enumerate() {
        match index(gpu) {
            Some(index) => one(gpu, index, file, facts),
            None => facts.damage.push(Damage::of_file(file, format!("entry {at} has no GPU index"))),
        }
    }
    if !gpus.is_empty() {
        facts.vendor.merge(Fact::known(Vendor::Amd, file));
    }
}

fn one(of: &Value, index: u32, file: &str, facts: &mut Facts) {
    let (pcie, ecc) = (&of["pcie"], &of["ecc"]);
    let gpu = facts.gpu_mut(index);
    merge(&mut gpu.pcie.width, lanes(first(pcie, &["width", "current_lanes"])), file);
    if let Some(generation) = generation(first(pcie, &["speed", "current_speed"])) {
        // Nothing is run on the GPU for amd-smi's sake.
        gpu.pcie.merge_generation(Fact::known(generation, file), Fact::known(false, file));
    }
    merge_count(&mut gpu.pcie.replays, whole(&pcie["replay_count"]), file);
    merge_count(&mut gpu.ecc_volatile.corrected, whole(&ecc["total_correctable_count"]), file);
    merge_count(&mut gpu.ecc_volatile.uncorrected, whole(&ecc["total_uncorrectable_count"]), file);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;

    const NEW: &str = r#"{
  "gpu_data": [
    {
      "gpu": 0,
      "pcie": {
        "width": 16,
        "speed": {
          "value": 32,
          "unit": "GT/s"
        },
        "replay_count": 3
      },
      "ecc": {
        "total_correctable_count": 2,
        "total_uncorrectable_count": 0,
        "total_deferred_count": 0
      },
      "xgmi_err": "N/A"
    },
    {
      "gpu": 1,
      "pcie": {
        "width": "N/A",
        "speed": "N/A",
        "replay_count": "N/A"
      },
      "ecc": "N/A"
    }
  ]
}
"#;
    const OLD: &str = r#"[
  {"gpu": 0, "pcie": {"current_lanes": 8, "current_speed": {"value": 2.5, "unit": "GT/s"}, "replay_count": "0"}},
  {"gpu": 1, "ecc": {"total_correctable_count": "1", "total_uncorrectable_count": "4"}}
]
"#;

    #[test]
    fn the_new_shape() {
        let read = facts(read, NEW);
        assert_eq!((read.damage.len(), read.gpu_count.value()), (0, None));
        let gpu = read.gpu(0).unwrap();
        assert_eq!((gpu.pcie.width.value(), gpu.pcie.generation.value()), (Some(&16), Some(&5)));
        assert_eq!((gpu.pcie.under_load.value(), gpu.pcie.replays.value()), (Some(&false), Some(&3)));
        let errors = &gpu.ecc_volatile;
        assert_eq!((errors.corrected.value(), errors.uncorrected.value()), (Some(&2), Some(&0)));
    }

    #[test]
    fn a_guest_is_told_nothing() {
        let read = facts(read, NEW);
        let gpu = read.gpu(1).unwrap();
        assert_eq!((gpu.pcie.width.value(), gpu.pcie.generation.value(), gpu.pcie.replays.value()), (None, None, None));
        assert_eq!((gpu.pcie.under_load.value(), gpu.ecc_volatile.uncorrected.value()), (None, None));
    }

    #[test]
    fn the_old_shape() {
        let read = facts(read, OLD);
        let gpu = read.gpu(0).unwrap();
        assert_eq!((gpu.pcie.width.value(), gpu.pcie.generation.value()), (Some(&8), Some(&1)));
        assert_eq!(gpu.pcie.replays.value(), Some(&0));
        assert_eq!(read.gpu(1).unwrap().ecc_volatile.uncorrected.value(), Some(&4));
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(NEW)) {
            assert_only_less(&facts(read, NEW), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in r#"(?s)(\[|\]|\{|\}|"gpu": 0,|"pcie": \{|"width": -1|"ecc": |.){0,40}"#) {
            facts(read, &text);
        }
    }
}
