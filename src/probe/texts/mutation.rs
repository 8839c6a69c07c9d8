//! For the readers' tests: outputs with lines gone or the end cut, and the rule that they must never change a value.

use proptest::prelude::*;
use serde_json::Value;

use crate::facts::{Facts, Origin};

/// The signature of a reader.
pub(super) type Read = fn(&str, &str, &mut Facts);

/// What a reader makes of a text.
pub(super) fn facts(read: Read, text: &str) -> Facts {
    let mut facts = Facts::new(Origin::Saved { path: "saved".into() });
    read(text, "file", &mut facts);
    facts
}

/// The text with one to four of its lines deleted, or cut anywhere.
pub(super) fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let count = text.lines().count();
    let deleted = proptest::collection::btree_set(0..count, 1..5).prop_map(move |gone| {
        let kept = text.split_inclusive('\n').enumerate().filter(|(at, _)| !gone.contains(at));
        kept.map(|(_, line)| line).collect::<String>()
    });
    let cut = (0..text.len()).prop_map(move |at| text.get(..at).unwrap_or_default().to_owned());
    prop_oneof![deleted, cut]
}

/// Whatever `damaged` knows, `whole` knows too, with the same value.
pub(super) fn assert_only_less(whole: &Facts, damaged: &Facts) {
    let (whole, damaged) = (serde_json::to_value(whole).unwrap(), serde_json::to_value(damaged).unwrap());
    only_less(&whole, &damaged, "facts");
}

fn only_less(whole: &Value, damaged: &Value, path: &str) {
    match damaged {
        Value::Object(fields) => {
            if let Some(known) = fields.get("known") {
                let right = whole.get("known").map(|known| &known["value"]);
                assert_eq!(right, Some(&known["value"]), "{path}: {whole}");
                return;
            }
            for (name, value) in fields.iter().filter(|(name, _)| !matches!(name.as_str(), "damage" | "reason")) {
                only_less(&whole[name], value, &format!("{path}.{name}"));
            }
        }
        Value::Array(elements) => {
            for element in elements {
                let key = |of: &Value| ["name", "index", "number", "a", "b"].map(|name| of[name].clone());
                let same = whole.as_array().and_then(|all| all.iter().find(|other| key(other) == key(element)));
                let same = same.unwrap_or_else(|| panic!("{path}: {element} is made up"));
                only_less(same, element, path);
            }
        }
        _ => {}
    }
}

/// [`assert_only_less`] for listings of RDMA devices: the end of a device's whole block is where a whole listing ends
/// too, so the count of devices may be smaller where nothing was found damaged.
pub(super) fn assert_less_of_listing(mut whole: Facts, damaged: &Facts) {
    if damaged.damage.is_empty() {
        whole.rdma_count = damaged.rdma_count.clone();
    }
    assert_only_less(&whole, damaged);
}
