//! `amd-smi topology --json`, in both shapes: a list of GPUs with `links`, and the older one with a map for each table.

use serde_json::{Map, Value};

use super::{
    amd_links::{Link, Links, Status, write},
    amd_values::{gpus, index},
};
use crate::facts::{Damage, Fact, Facts};

/// Reads it. What is no whole JSON, such as a sample with `...`, gives nothing at all.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let gpus = gpus(text, file, facts);
    if gpus.is_empty() {
        return;
    }
    let mut links = Links::new();
    let mut complete = true;
    for (at, gpu) in gpus.iter().enumerate() {
        complete &= gpu["gpu"].as_u64() == u64::try_from(at).ok();
        match index(gpu) {
            Some(index) => complete &= one(gpu, index, gpus.len(), &mut links, file, facts),
            None => {
                complete = false;
                facts.damage.push(Damage::of_file(file, format!("entry {at} has no GPU index")));
            }
        }
    }
    write(&links, file, facts);
    let count = match u32::try_from(gpus.len()) {
        Ok(count) if complete => Fact::known(count, file),
        _ => Fact::unknown(format!("{file}: the list of GPUs and the GPUs that their links name are not the same")),
    };
    facts.gpu_count.merge(count);
}

/// Reads one GPU; says whether it names just the GPUs of the list.
fn one(gpu: &Value, from: u32, count: usize, links: &mut Links, file: &str, facts: &mut Facts) -> bool {
    address(gpu, from, file, facts);
    let read = match gpu["links"].as_array() {
        Some(targets) => new_shape(targets, file, facts),
        None => old_shape(gpu),
    };
    let mut expected = 0;
    let mut whole = read.len() == count;
    for (to, link) in read {
        whole &= to == expected;
        expected = to.saturating_add(1);
        if to != from && links.insert((from, to), link).is_some() {
            whole = false;
            facts.damage.push(Damage::of_file(file, format!("GPU {from} to GPU {to} is there twice")));
            links.insert((from, to), Link::default());
        }
    }
    whole
}

/// `links: [{gpu, bdf, link_type, ..}]`.
fn new_shape(targets: &[Value], file: &str, facts: &mut Facts) -> Vec<(u32, Link)> {
    let mut links = Vec::new();
    for target in targets {
        let Some(to) = index(target) else { continue };
        address(target, to, file, facts);
        let link = Link {
            kind: word(&target["link_type"]),
            status: status(&target["link_status"]),
            weight: number(&target["weight"]),
            hops: number(&target["num_hops"]),
        };
        links.push((to, link));
    }
    links
}

/// `link_type: {gpu_0: "SELF", ..}` and its siblings.
fn old_shape(gpu: &Value) -> Vec<(u32, Link)> {
    let empty = Map::new();
    let table = |name: &str| gpu[name].as_object().unwrap_or(&empty);
    let tables = ["link_type", "link_accessibility", "weight", "hops"].map(table);
    let mut targets: Vec<u32> = tables.iter().flat_map(|table| table.keys()).filter_map(|key| old_key(key)).collect();
    targets.sort_unstable();
    targets.dedup();
    let [kinds, statuses, weights, hops] = tables;
    let at = |table: &Map<String, Value>, to: u32| table.get(&format!("gpu_{to}")).cloned().unwrap_or_default();
    let link = |to| Link {
        kind: word(&at(kinds, to)),
        status: status(&at(statuses, to)),
        weight: number(&at(weights, to)),
        hops: number(&at(hops, to)),
    };
    targets.into_iter().map(|to| (to, link(to))).collect()
}

fn old_key(key: &str) -> Option<u32> {
    super::rdma_words::plain(key.strip_prefix("gpu_")?)
}

fn address(of: &Value, index: u32, file: &str, facts: &mut Facts) {
    let gpu = facts.gpu_mut(index);
    if let Some(address) = of["bdf"].as_str().and_then(super::pci_address::PciAddress::spell) {
        gpu.pci_address.merge(Fact::known(address, file));
    }
}

fn word(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn status(value: &Value) -> Status {
    word(value).map_or(Status::Missing, Status::Told)
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;
    use crate::facts::LinkClass;

    const NEW: &str = r#"[
  {"gpu": 0, "bdf": "0000:0C:00.0", "links": [
    {"gpu": 0, "bdf": "0000:0c:00.0", "weight": 0, "link_status": "ENABLED", "link_type": "SELF", "num_hops": 0},
    {"gpu": 1, "bdf": "0000:22:00.0", "weight": 15, "link_status": "ENABLED", "link_type": "XGMI", "num_hops": 1}
  ]},
  {"gpu": 1, "bdf": "0000:22:00.0", "links": [
    {"gpu": 0, "bdf": "0000:0c:00.0", "weight": 15, "link_status": "ENABLED", "link_type": "XGMI", "num_hops": 1},
    {"gpu": 1, "bdf": "0000:22:00.0", "weight": 0, "link_status": "ENABLED", "link_type": "SELF", "num_hops": 0}
  ]}
]
"#;
    const OLD: &str = r#"[
  {"gpu": 0, "link_accessibility": {"gpu_0": "ENABLED", "gpu_1": "DISABLED"}, "weight": {"gpu_0": 0, "gpu_1": 40},
   "hops": {"gpu_0": 0, "gpu_1": 2}, "link_type": {"gpu_0": "SELF", "gpu_1": "PCIE"}},
  {"gpu": 1, "link_accessibility": {"gpu_0": "DISABLED", "gpu_1": "ENABLED"}, "weight": {"gpu_0": 40, "gpu_1": 0},
   "hops": {"gpu_0": 2, "gpu_1": 0}, "link_type": {"gpu_0": "PCIE", "gpu_1": "SELF"}}
]
"#;

    #[test]
    fn the_new_shape() {
        let read = facts(read, NEW);
        assert_eq!(read.damage, []);
        assert_eq!(read.gpu_count.value(), Some(&2));
        assert_eq!(read.gpu(0).unwrap().pci_address.value().map(String::as_str), Some("0000:0c:00.0"));
        let pair = read.pair(0, 1).unwrap();
        assert_eq!(pair.class.value(), Some(&LinkClass::Xgmi));
        assert_eq!((pair.weight.value(), pair.hops.value()), (Some(&15), Some(&1)));
    }

    #[test]
    fn the_old_shape() {
        let read = facts(read, OLD);
        assert_eq!((read.damage.len(), read.gpu_count.value()), (0, Some(&2)));
        let pair = read.pair(0, 1).unwrap();
        assert_eq!(pair.class.value(), Some(&LinkClass::Pcie));
        assert_eq!((pair.weight.value(), pair.hops.value()), (Some(&40), Some(&2)));
    }

    #[test]
    fn a_gpu_that_only_a_link_names() {
        let value: Vec<Value> = serde_json::from_str(NEW).unwrap();
        let read = facts(read, &serde_json::to_string(&value[..1]).unwrap());
        assert_eq!(read.gpu_count.value(), None);
        assert_eq!(read.pair(0, 1).unwrap().class.reason(), Some("file: GPU 1 to GPU 0: link type not shown"));
    }

    #[test]
    fn samples_and_other_texts() {
        for text in [NEW.replace("]}\n]", "]},\n ...\n]").as_str(), "{}", "[]", "AMDSMI_STATUS_NOT_INIT"] {
            let read = facts(read, text);
            assert_eq!((read.gpus.len(), read.damage.len()), (0, 1), "{text}");
        }
        assert_eq!(facts(read, "").damage, []);
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(NEW)) {
            assert_only_less(&facts(read, NEW), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in r#"(?s)(\[|\]|\{|\}|"gpu": 0,|"links": |"link_type": \{|.){0,40}"#) {
            facts(read, &text);
        }
    }
}
