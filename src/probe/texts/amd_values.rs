//! What the readers of amd-smi's JSON share: the list of GPUs, and values in the forms that its releases write them in.

use serde_json::Value;

use super::strict_json;
use crate::facts::{Damage, Fact, Facts};

/// The entry of each GPU: of a list, or of the list in `gpu_data` that releases since 2025 wrap it in. What is no whole
/// JSON gives nothing and is damage. Lines before the JSON, in which amd-smi complains of missing groups, are passed
/// over.
pub(super) fn gpus(text: &str, file: &str, facts: &mut Facts) -> Vec<Value> {
    let (passed, json) = json_part(text.strip_prefix('\u{feff}').unwrap_or(text));
    if json.trim().is_empty() {
        return Vec::new();
    }
    let found = match strict_json::parse(json) {
        Ok(Value::Array(gpus)) => Some(gpus),
        Ok(Value::Object(mut wrapped)) => match wrapped.remove("gpu_data") {
            Some(Value::Array(gpus)) => Some(gpus),
            _ => None,
        },
        Ok(_) => None,
        Err(error) => {
            let quote = json.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
            let reason = format!("not JSON: {error}");
            facts.damage.push(Damage::new(file, error.line().saturating_add(passed), quote, reason));
            return Vec::new();
        }
    };
    found.filter(|gpus| !gpus.is_empty()).unwrap_or_else(|| {
        facts.damage.push(Damage::of_file(file, "not a list of GPUs"));
        Vec::new()
    })
}

/// The text from the first line that begins as JSON does, and how many lines are before it; else all of it.
fn json_part(text: &str) -> (usize, &str) {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // `[WARNING] ..` is no list: no word in one begins right after the bracket.
        let tag = line.trim_start().strip_prefix('[').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()));
        if line.trim_start().starts_with(['[', '{']) && !tag {
            return (number, text.get(at..).unwrap_or_default());
        }
        at += line.len();
    }
    (0, text)
}

/// The index that an entry is of.
pub(super) fn index(of: &Value) -> Option<u32> {
    u32::try_from(of["gpu"].as_u64()?).ok()
}

/// A text; `None` for what amd-smi says where it has none.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    let said = !text.is_empty() && !matches!(text, "N/A" | "NA" | "Unknown" | "UNKNOWN") && !text.contains("AMDSMI_");
    said.then(|| text.to_owned())
}

/// A whole number: bare, as a text, or as `{value, unit}`.
pub(super) fn whole(value: &Value) -> Option<u64> {
    let bare = value.get("value").unwrap_or(value);
    bare.as_u64().or_else(|| {
        let digits = bare.as_str().map(str::trim).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
        digits.parse().ok()
    })
}

/// A number and its unit: `{value, unit}`, or a text such as `32 GT/s`.
pub(super) fn with_unit(value: &Value) -> Option<(f64, String)> {
    if let Some(text) = value.as_str() {
        let (number, unit) = text.trim().split_once(char::is_whitespace)?;
        return Some((number.parse().ok()?, unit.trim().to_owned()));
    }
    let number = &value["value"];
    let number = number.as_f64().or_else(|| number.as_str()?.trim().parse().ok())?;
    Some((number, value["unit"].as_str()?.trim().to_owned()))
}

/// Joins a value that is there to a fact.
pub(super) fn merge<T: Clone + PartialEq + std::fmt::Display>(fact: &mut Fact<T>, value: Option<T>, file: &str) {
    if let Some(value) = value {
        fact.merge(Fact::known(value, file));
    }
}

/// Joins a count that is there to a fact.
pub(super) fn merge_count(fact: &mut Fact<u64>, value: Option<u64>, file: &str) {
    if let Some(value) = value {
        fact.merge_count(Fact::known(value, file));
    }
}

/// The first of several values that is there: releases name some fields differently.
pub(super) fn first<'a>(of: &'a Value, names: &[&str]) -> &'a Value {
    names.iter().map(|name| &of[*name]).find(|value| !value.is_null()).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::facts::Origin;

    fn read(text: &str) -> (usize, Vec<Damage>) {
        let mut facts = Facts::new(Origin::Fake);
        (gpus(text, "file", &mut facts).len(), facts.damage)
    }

    #[test]
    fn a_list_bare_or_wrapped_or_behind_a_complaint() {
        for text in [
            r#"[{"gpu": 0}]"#,
            r#"{"gpu_data": [{"gpu": 0}]}"#,
            "WARNING: no group render\n[{\"gpu\": 0}]\n",
            "[WARNING] no group\n[{\"gpu\": 0}]\n",
        ] {
            assert_eq!(read(text), (1, vec![]), "{text}");
        }
        assert_eq!(read(" \n"), (0, vec![]));
    }

    #[test]
    fn what_is_no_list_is_damage_at_its_own_line() {
        for text in ["[]", "{}", r#"{"gpu_data": {}}"#] {
            assert_eq!(read(text).1, [Damage::of_file("file", "not a list of GPUs")], "{text}");
        }
        assert_eq!(read("WARNING: x\n[{\"gpu\": 0},\n ...\n]").1[0].line, 3);
    }

    #[test]
    fn values_in_every_form() {
        for value in [json!(16), json!("16"), json!({"value": 16, "unit": ""}), json!({"value": "16"})] {
            assert_eq!(whole(&value), Some(16), "{value}");
        }
        for value in [json!("N/A"), json!(-1), json!({"value": "N/A"}), json!(null), json!([]), json!(""), json!(1.5)] {
            assert_eq!(whole(&value), None, "{value}");
        }
        for value in [json!({"value": 2.5, "unit": "GT/s"}), json!("2.5 GT/s"), json!({"value": "2.5", "unit": "GT/s"})]
        {
            assert_eq!(with_unit(&value), Some((2.5, "GT/s".to_owned())), "{value}");
        }
        for value in [json!(5), json!("N/A"), json!({"value": 5})] {
            assert_eq!(with_unit(&value), None, "{value}");
        }
        for value in [json!("N/A"), json!(" "), json!("AMDSMI_STATUS_NOT_SUPPORTED"), json!(7)] {
            assert_eq!(text(&value), None, "{value}");
        }
    }
}
