//! The rules between the keys of a map as JSON schemas.

use serde_json::{Map, Value, json};

use super::{rule::Rule, shape::Shape};

/// A rule as a schema of the map; `shape` makes the schemas of values.
pub(super) fn schema(rule: &Rule, shape: &mut dyn FnMut(&Shape) -> Value) -> Value {
    match rule {
        Rule::MoreThan(keys) => {
            let any: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), json!(true))).collect();
            json!({ "not": { "properties": any, "additionalProperties": { "type": "null" } } })
        }
        Rule::OneOf(keys) => json!({ "oneOf": keys.iter().map(|key| there(key)).collect::<Vec<_>>() }),
        Rule::SomeOrAll(some, all) => {
            let every: Vec<Value> = all.iter().map(|key| there(key)).chain([not(&any(some))]).collect();
            json!({ "oneOf": [{ "allOf": [any(some), not(&any(all))] }, { "allOf": every }] })
        }
        Rule::NotWhereAll { keys, list, word } => {
            let every = json!({ "items": { "const": word } });
            not(&json!({ "allOf": [with(list, &every), any(keys)] }))
        }
        Rule::Partner { key, of, word, words } => {
            let others: Vec<&str> = words.iter().copied().filter(|other| other != word).collect();
            json!({
                "if": with(of, &json!({ "const": word })),
                "then": there(key),
                "else": not(&json!({ "allOf": [with(of, &json!({ "enum": others })), there(key)] })),
            })
        }
        Rule::Needs { map, keys, needs } => json!({ "if": with(map, &any(keys)), "then": any(needs) }),
        Rule::ShapeBy { key, by, shapes } => {
            let mut each = Vec::new();
            for (word, value) in *shapes {
                let properties = json!({ *key: shape(value) });
                each.push(json!({ "if": with(by, &json!({ "const": word })), "then": { "properties": properties } }));
            }
            json!({ "allOf": each })
        }
        Rule::NeverIs(key, word) => not(&with(key, &json!({ "const": word }))),
    }
}

/// A key whose value is not `~`. Said without `required`, for which editors would offer every key a second time.
fn there(key: &str) -> Value {
    not(&json!({ "properties": { key: { "type": "null" } } }))
}

/// A key with such a value.
fn with(key: &str, value: &Value) -> Value {
    json!({ "required": [key], "properties": { key: value } })
}

/// One of some keys at least.
fn any(keys: &[&str]) -> Value {
    match keys {
        [key] => there(key),
        _ => json!({ "anyOf": keys.iter().map(|key| there(key)).collect::<Vec<_>>() }),
    }
}

fn not(schema: &Value) -> Value {
    json!({ "not": schema })
}
