//! The JSON schema of the language, made of the tables that the decoder reads by.

use serde_json::{Map, Value, json};

use super::{
    decode_suite::{FRAGMENT, SUITE},
    decode_test,
    rule::Rule,
    schema_rules,
    shape::{Key, Shape},
};

/// A parameter stands for a whole scalar.
const PARAMETER: &str = "^\\$[A-Za-z_][A-Za-z0-9_]*$";

const SIZE: &str = "^[0-9]+ *([KkMmGgTt](i?B)?|B)?$";
const POSITIVE_SIZE: &str = "^0*[1-9][0-9]* *([KkMmGgTt](i?B)?|B)?$";
const BANDWIDTH: &str = "^[0-9.]+ *[MGT]B/s$";
const RATE: &str = "^[0-9.]+ *[MGT]b/s$";
const DURATION: &str = "^[0-9.]+ *(us|ms|s|m|h)$";
const PERCENT: &str = "^[0-9.]+ *%$";

/// The schema of specs, a suite or a fragment, in draft 2020-12.
pub fn spec_schema() -> Value {
    let mut definitions = Definitions::default();
    let suite = definitions.map(SUITE, &[]);
    let fragment = definitions.map(FRAGMENT, &[]);
    // Without it, an editor that reads a file with no name yet would offer a fragment's keys alone.
    let name = json!({ "suite": { "description": suite["properties"]["suite"]["description"] } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Made by linkspec from the tables that it reads specs by; not written by hand.",
        "title": "linkspec spec, version 1",
        "description": "A suite of acceptance tests for GPU servers, or a fragment that suites include.",
        "properties": name,
        "if": { "required": ["suite"] },
        "then": suite,
        "else": fragment,
        "$defs": definitions.0,
    })
}

/// What is said once and referred to, by name. `path` is the keys that lead to a place: names are made of its end.
#[derive(Default)]
struct Definitions(Map<String, Value>);

impl Definitions {
    /// A reference to a schema, which is kept once, under the shortest end of the first path to it that is free.
    fn refer(&mut self, path: &[&str], schema: Value) -> Value {
        let ends = (0..path.len()).rev().map(|from| path[from..].join("."));
        let numbered = (2..).map(|number: u32| format!("{}.{number}", path.join(".")));
        let known = self.0.iter().find(|(_, known)| **known == schema).map(|(name, _)| name.clone());
        let Some(name) = known.or_else(|| ends.chain(numbered).find(|name| !self.0.contains_key(name))) else {
            return schema;
        };
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        self.0.insert(name, schema);
        reference
    }

    /// A closed map. `~` counts as a key that is not there.
    fn map(&mut self, keys: &'static [Key], path: &[&str]) -> Value {
        let mut properties = Map::new();
        for key in keys {
            properties.insert(key.name.to_owned(), self.property(key, &[path, &[key.name]].concat()));
        }
        let needed: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
        let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
        if !needed.is_empty() {
            schema["required"] = json!(needed);
        }
        schema
    }

    /// A map between whose keys rules hold.
    fn ruled(&mut self, keys: &'static [Key], rules: &[Rule], path: &[&str]) -> Value {
        let mut schema = self.map(keys, path);
        let rules: Vec<Value> =
            rules.iter().map(|rule| schema_rules::schema(rule, &mut |shape| self.shape(shape, path))).collect();
        match &rules[..] {
            [rule] => {
                for (word, value) in rule.as_object().into_iter().flatten() {
                    schema[word] = value.clone();
                }
            }
            _ => schema["allOf"] = rules.into(),
        }
        if std::ptr::eq(keys, decode_test::KEYS) { test(schema) } else { schema }
    }

    fn property(&mut self, key: &Key, path: &[&str]) -> Value {
        let shape = self.shape(&key.shape, path);
        if key.required {
            let mut schema = shape;
            schema["description"] = key.about.into();
            return schema;
        }
        json!({ "description": key.about, "anyOf": [shape, { "type": "null" }] })
    }

    fn shape(&mut self, shape_of: &Shape, path: &[&str]) -> Value {
        match shape_of {
            Shape::Text => json!({ "type": ["string", "number", "boolean"] }),
            Shape::Pattern(pattern, example) => text(pattern, Some(example)),
            Shape::AtLeast(least) => or_parameter(json!({ "type": "integer", "minimum": least })),
            Shape::Integer => self.refer(&["whole-number"], or_parameter(json!({ "type": "integer", "minimum": 0 }))),
            Shape::Boolean => json!({ "anyOf": [{ "type": "boolean" }, { "enum": ["yes", "no", "true", "false"] }] }),
            Shape::Size => {
                let size = json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, text(SIZE, Some("8M"))] });
                self.refer(&["a-size"], size)
            }
            Shape::PositiveSize => {
                json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, text(POSITIVE_SIZE, Some("8M"))] })
            }
            Shape::Bandwidth => self.refer(&["a-bandwidth"], text(BANDWIDTH, Some("440 GB/s"))),
            Shape::Rate => self.refer(&["a-rate"], text(RATE, Some("400 Gb/s"))),
            Shape::Duration => self.refer(&["a-duration"], text(DURATION, Some("5m"))),
            Shape::Percent => self.refer(&["a-percentage"], text(PERCENT, Some("85%"))),
            Shape::Words(words) => or_parameter(json!({ "enum": words_of(words) })),
            Shape::Wanted(inner) => {
                let one = self.shape(inner, path);
                let range = json!({
                    "type": "object", "additionalProperties": false, "minProperties": 1,
                    "properties": { "min": one, "max": one },
                });
                json!({ "anyOf": [one, list(&one), range] })
            }
            Shape::List(inner) => list(&self.shape(inner, path)),
            Shape::Distinct(inner) => {
                let mut schema = list(&self.shape(inner, path));
                schema["uniqueItems"] = true.into();
                schema
            }
            Shape::Any(shapes) => {
                let shapes: Vec<Value> = shapes.iter().map(|shape_of| self.shape(shape_of, path)).collect();
                json!({ "anyOf": shapes })
            }
            Shape::Map(keys) => {
                let schema = self.map(keys, path);
                self.refer(path, schema)
            }
            Shape::Ruled(keys, rules) => {
                let schema = self.ruled(keys, rules, path);
                self.refer(path, schema)
            }
            Shape::NotEmpty(keys) => self.shape(&Shape::Ruled(keys, &[Rule::MoreThan(&[])]), path),
            Shape::MapOf(inner) => {
                let inner = self.shape(inner, path);
                json!({ "type": "object", "additionalProperties": { "anyOf": [inner, { "type": "null" }] } })
            }
            Shape::Null => json!({ "type": "null" }),
            Shape::Anything => json!({}),
        }
    }
}

/// A test that changes an included test says only what changes, and the rules of a whole test do not hold for it.
fn test(schema: Value) -> Value {
    let about = |key: &Key| (key.name.to_owned(), json!({ "description": key.about }));
    let properties: Map<String, Value> = decode_test::KEYS.iter().map(about).collect();
    json!({
        "if": { "properties": { "extends": { "enum": words_of(&["yes"]) } }, "required": ["extends"] },
        "then": { "type": "object", "additionalProperties": false, "properties": properties, "required": ["name"] },
        "else": schema,
    })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "minItems": 1, "items": items })
}

fn text(pattern: &str, example: Option<&str>) -> Value {
    let mut schema = json!({ "type": "string", "pattern": pattern });
    if let Some(example) = example {
        schema["examples"] = json!([example]);
    }
    or_parameter(schema)
}

fn or_parameter(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "string", "pattern": PARAMETER }] })
}

/// Words as YAML reads them: `0` is a number there, `on` and `yes` are text or a boolean, as the editor's YAML goes.
fn words_of(words: &[&str]) -> Vec<Value> {
    let mut values: Vec<Value> = words.iter().map(|word| json!(word)).collect();
    values.extend(words.iter().filter_map(|word| word.parse::<u64>().ok()).map(Value::from));
    let booleans = [(["on", "yes", "true"], true), (["off", "no", "false"], false)];
    let meant = booleans.iter().filter(|(spellings, _)| words.iter().any(|word| spellings.contains(word)));
    values.extend(meant.map(|(_, value)| json!(value)));
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    /// The schema with every reference written out.
    fn inlined() -> Value {
        let schema = spec_schema();
        write_out(&schema, &schema["$defs"])
    }

    fn write_out(value: &Value, definitions: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| write_out(item, definitions)).collect(),
            Value::Object(entries) => {
                let name = entries.get("$ref").and_then(Value::as_str).map(|name| name.replace("#/$defs/", ""));
                let mut whole = name.map_or(json!({}), |name| write_out(&definitions[name], definitions));
                for (key, value) in entries.iter().filter(|(key, _)| !key.starts_with('$')) {
                    whole[key] = write_out(value, definitions);
                }
                whole
            }
            scalar => scalar.clone(),
        }
    }

    #[test]
    fn what_is_said_twice_is_referred_to() {
        let schema = spec_schema();
        let tests = |branch: &str| &schema[branch]["properties"]["tests"]["anyOf"][0]["items"];
        assert_eq!(tests("then"), &json!({ "$ref": "#/$defs/tests" }));
        assert_eq!(tests("then"), tests("else"));
        let size = schema.to_string().len();
        assert!(size < 60_000, "an editor has to cope with {size} bytes");
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            let reference = json!({ "$ref": format!("#/$defs/{name}") }).to_string();
            assert!(schema.to_string().contains(&reference[1..reference.len() - 1]), "{name}: {definition}");
        }
    }

    /// Every table of keys that can be reached, with its schema.
    fn tables(shape_of: &Shape, schema: &Value, found: &mut Vec<(&'static [Key], Value)>) {
        let branches = |schema: &Value| schema["anyOf"].as_array().cloned().unwrap_or_default();
        match shape_of {
            Shape::Map(keys) | Shape::Ruled(keys, _) | Shape::NotEmpty(keys) => {
                let schema = if schema["else"].is_null() { schema } else { &schema["else"] };
                found.push((keys, schema.clone()));
                for key in *keys {
                    let property = &schema["properties"][key.name];
                    tables(&key.shape, if key.required { property } else { &property["anyOf"][0] }, found);
                }
            }
            Shape::List(inner) | Shape::Distinct(inner) => tables(inner, &schema["items"], found),
            Shape::MapOf(inner) => tables(inner, &schema["additionalProperties"]["anyOf"][0], found),
            Shape::Any(shapes) => {
                let branches = branches(schema);
                assert_eq!(branches.len(), shapes.len());
                shapes.iter().zip(&branches).for_each(|(shape_of, branch)| tables(shape_of, branch, found));
            }
            _ => {}
        }
    }

    #[test]
    fn every_table_is_closed_and_holds_its_keys_with_their_meaning() {
        let schema = inlined();
        let mut found = Vec::new();
        tables(&Shape::Map(SUITE), &schema["then"], &mut found);
        tables(&Shape::Map(FRAGMENT), &schema["else"], &mut found);
        assert!(found.len() > 10, "{}", found.len());
        for (keys, schema) in found {
            assert_eq!(schema["additionalProperties"], false);
            let properties = schema["properties"].as_object().expect("properties");
            assert_eq!(properties.len(), keys.len(), "a key is in its table twice");
            for key in keys {
                assert_eq!(properties[key.name]["description"], key.about, "{}", key.name);
                assert!(key.about.len() > 3, "`{}` is not explained", key.name);
                let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(key.name)));
                assert_eq!(required, key.required, "{}", key.name);
            }
        }
    }

    #[test]
    fn a_test_has_exactly_one_kind() {
        let schema = inlined();
        let kinds = &schema["then"]["properties"]["tests"]["anyOf"][0]["items"]["else"]["allOf"][0]["oneOf"];
        let properties = |kind: &Value| kind["not"]["properties"].as_object().unwrap().clone();
        let names: Vec<String> = kinds.as_array().unwrap().iter().flat_map(properties).map(|(name, _)| name).collect();
        assert_eq!(names, decode_test::KIND_NAMES);
        let is_key = |name: &String| decode_test::KEYS.iter().any(|key| key.name == name);
        assert!(names.iter().all(is_key), "{names:?}");
    }

    #[test]
    fn patterns_take_what_the_language_takes() {
        for (pattern, good, bad) in [
            (SIZE, vec!["64K", "2GiB", "8"], vec!["64X", ""]),
            (BANDWIDTH, vec!["440 GB/s", "26.562 GB/s"], vec!["440", "440 Gb/s"]),
            (RATE, vec!["400 Gb/s"], vec!["400 GB/s"]),
            (DURATION, vec!["20 us", "5m"], vec!["5"]),
            (PERCENT, vec!["85%"], vec!["85"]),
            (PARAMETER, vec!["$ib_rate"], vec!["$$x", "x", "$"]),
        ] {
            let pattern = Regex::new(pattern).unwrap();
            assert!(good.iter().all(|text| pattern.is_match(text)), "{pattern}");
            assert!(!bad.iter().any(|text| pattern.is_match(text)), "{pattern}");
        }
    }

    /// Whether a value fits a schema made of the few words that are used here.
    fn fits(value: &Value, schema: &Value) -> bool {
        let all = |word: &str, test: &dyn Fn(&Vec<Value>) -> bool| schema[word].as_array().is_none_or(test);
        let count = |schemas: &Vec<Value>| schemas.iter().filter(|schema| fits(value, schema)).count();
        let type_of = |name: &Value| match name.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            _ => value.is_null(),
        };
        let typed = match &schema["type"] {
            Value::Null => true,
            Value::Array(names) => names.iter().any(type_of),
            name => type_of(name),
        };
        let chosen = schema.get("if").and_then(|test| schema.get(if fits(value, test) { "then" } else { "else" }));
        let list = value.as_array().filter(|_| schema["uniqueItems"] == true);
        let pattern = schema["pattern"].as_str().zip(value.as_str());
        typed
            && pattern.is_none_or(|(pattern, text)| Regex::new(pattern).unwrap().is_match(text))
            && chosen.is_none_or(|chosen| fits(value, chosen))
            && schema.get("not").is_none_or(|schema| !fits(value, schema))
            && schema.get("const").is_none_or(|word| word == value)
            && schema["minimum"].as_u64().zip(value.as_u64()).is_none_or(|(least, number)| number >= least)
            && list.is_none_or(|items| items.iter().enumerate().all(|(at, item)| !items[..at].contains(item)))
            && all("allOf", &|schemas| count(schemas) == schemas.len())
            && all("enum", &|words| words.contains(value))
            && all("required", &|names| names.iter().all(|name| value.get(name.as_str().unwrap()).is_some()))
            && all("anyOf", &|schemas| count(schemas) > 0)
            && all("oneOf", &|schemas| count(schemas) == 1)
            && value.as_array().is_none_or(|items| items.iter().all(|item| fits_or_free(item, &schema["items"])))
            && value.as_object().is_none_or(|entries| {
                entries.iter().all(|(key, value)| match &schema["properties"][key] {
                    Value::Null => {
                        schema["additionalProperties"] != false && fits_or_free(value, &schema["additionalProperties"])
                    }
                    known => fits(value, known),
                })
            })
    }

    fn fits_or_free(value: &Value, schema: &Value) -> bool {
        !schema.is_object() || fits(value, schema)
    }

    #[test]
    fn a_suite_fits_and_a_slip_does_not() {
        let suite = |test: Value| json!({ "linkspec": 1, "suite": "s", "tests": [test] });
        let schema = inlined();
        let collective = json!({
            "op": "all_reduce", "sizes": { "from": 8, "to": "8G", "factor": 2 },
            "expect": { "busbw": { "8G": { "min": "$floor" }, "1G": null }, "wrong": 0, "transport": { "require": ["NVLink"] } },
        });
        let matrix = json!({
            "env": { "NCCL_ALGO": [null, "Ring"], "NCCL_NVLS_ENABLE": [0] }, "exclude": [{ "NCCL_ALGO": null }],
            "override": [{ "when": { "nvls": "off" }, "expect": { "busbw": { "8G": null } } }],
        });
        let good =
            json!({ "name": "a", "collective": collective, "matrix": matrix, "gpus": [0, 1], "env": { "A": null } });
        assert!(fits(&suite(good.clone()), &schema));
        assert!(fits(&json!({ "linkspec": 1, "tests": [good] }), &schema), "a fragment");
        let change = json!({ "name": "a", "extends": true, "collective": { "expect": { "max_drop": null } } });
        assert!(fits(&suite(change), &schema), "a changed test");
        for slip in [
            json!({ "name": "a", "extends": true, "colectiv": {} }),
            json!({ "name": "a", "extends": false, "collective": { "expect": {} } }),
            json!({ "name": "a" }),
            json!({ "name": "A", "collective": collective }),
            json!({ "name": "a", "collective": collective, "colour": 1 }),
            json!({ "name": "a", "collective": collective, "p2p": { "read": "ok" } }),
            json!({ "name": "a", "collective": { "op": "allreduce", "sizes": [1] } }),
            json!({ "name": "a", "collective": { "op": "all_reduce", "sizes": ["1X"] } }),
        ] {
            assert!(!fits(&suite(slip.clone()), &schema), "{slip}");
        }
    }

    /// What fits a key of a test, and what does not.
    #[test]
    fn rules_between_keys_are_kept() {
        let schema = inlined();
        let fitting = |test: &Value| fits(&json!({ "linkspec": 1, "suite": "s", "tests": [test] }), &schema);
        let of = |kind: &str, value: &Value| fitting(&json!({ "name": "a", kind: value }));
        for (kind, good, bad) in [
            ("gpu", vec![json!({ "count": 8 })], vec![json!({}), json!({ "count": null }), json!({ "driver": {} })]),
            ("host", vec![json!({ "iommu": "off" })], vec![json!({}), json!({ "kernel_arguments": {} })]),
            ("p2p", vec![json!({ "read": "ok" })], vec![json!({}), json!({ "pairs": [[0, 1]] })]),
            ("rdma_ports", vec![json!({ "count": 1 })], vec![json!({ "devices": "*" }), json!({ "gid": {} })]),
            (
                "topology",
                vec![json!({ "between": ["gpu", "nic"], "nics": "*", "require": "PIX" })],
                vec![
                    json!({ "between": ["gpu", "gpu"] }),
                    json!({ "between": ["gpu", "gpu"], "nics": "*", "require": "PIX" }),
                ],
            ),
        ] {
            assert!(good.iter().all(|value| of(kind, value)), "{kind}");
            bad.iter().for_each(|value| assert!(!of(kind, value), "{kind}: {value}"));
        }
        let sizes = |sizes: Value| of("collective", &json!({ "op": "all_reduce", "sizes": sizes }));
        assert!(sizes(json!({ "from": 8, "to": 64, "factor": 2, "step": null })));
        assert!(sizes(json!({ "from": 8, "to": 64, "step": "8" })));
        for slip in [
            json!({ "from": 8, "to": 64 }),
            json!({ "from": 8, "to": 64, "factor": 2, "step": 8 }),
            json!({ "from": 8, "to": 64, "factor": 1 }),
            json!({ "from": 8, "to": 64, "step": "0K" }),
            json!(["1M", "1M"]),
        ] {
            assert!(!sizes(slip.clone()), "{slip}");
        }
        let bound = |bound: Value| {
            of("collective", &json!({ "op": "all_reduce", "sizes": ["1M"], "expect": { "busbw": { "1M": bound } } }))
        };
        assert!(bound(json!({ "max": "1 GB/s", "note": "x" })));
        assert!(bound(json!({ "at_least": "85%", "of": "link" })));
        for slip in [json!({}), json!({ "of": "link" }), json!({ "min": "1 GB/s", "at_least": "85%", "of": "link" })] {
            assert!(!bound(slip.clone()), "{slip}");
        }
        let with = |key: &str, value: Value, other: &str, beside: Value| {
            fitting(&json!({ "name": "a", "gpu": { "count": 8 }, key: value, other: beside }))
        };
        assert!(with("level", json!("soak"), "duration", json!("12h")));
        assert!(with("title", json!("t"), "duration", json!("12h")), "the level may come from `defaults`");
        assert!(!with("level", json!("soak"), "duration", json!(null)));
        assert!(!with("level", json!("quick"), "duration", json!("12h")));
        assert!(!with("name", json!("machine"), "title", json!("the guard has this name")));
        assert!(!with("title", json!("t"), "matrix", json!({ "op": ["all_reduce"] })));
        assert!(!with("title", json!("t"), "matrix", json!({ "gpus": [1, 1] })));
        assert!(with("title", json!("t"), "matrix", json!({ "gpus": [1, 2] })));
        let parameter = |kind: &str, default: &str| {
            let params = json!({ "rate": { "type": kind, "default": default } });
            fits(&json!({ "linkspec": 1, "suite": "s", "params": params }), &schema)
        };
        assert!(parameter("rate", "400 Gb/s") && parameter("text", "400 GB/s"));
        assert!(!parameter("rate", "400 GB/s") && !parameter("size", "400 Gb/s"));
    }
}
