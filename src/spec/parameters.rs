//! Parameters: their tables, what `--param` says, and their use in place of whole scalars.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
    sync::Arc,
};

use super::{
    Node, NodeValue, Parameter, ParameterKind, Place, SpecError,
    decoder::{Errors, MapReader},
    error::nearest,
    link_class,
    rule::Rule,
    shape::{Key, Shape, names, required},
    values,
};
use crate::{
    facts::LinkClass,
    units::{Bandwidth, Rate, Size, Span, UnitError},
};

/// The types as a spec names them, with what a default can be; a whole number may be quoted.
const KINDS: [(&str, Shape); 7] = [
    ("text", Shape::Text),
    ("integer", Shape::Any(&[Shape::Integer, Shape::Pattern("^[0-9]+$", "8")])),
    ("size", Shape::Size),
    ("bandwidth", Shape::Bandwidth),
    ("rate", Shape::Rate),
    ("duration", Shape::Duration),
    ("link_class", link_class::WANTED),
];

/// The keys of a parameter.
pub(super) const KEYS: &[Key] = &[
    required("type", Shape::Words(&names(&KINDS)), "what its value is, so that it can only stand where that can stand"),
    required("default", Shape::Text, "its value unless `--param` or an including file says otherwise"),
];

/// What a parameter can be.
pub(super) const SHAPE: Shape = Shape::Ruled(KEYS, &[Rule::ShapeBy { key: "default", by: "type", shapes: &KINDS }]);

/// The parameters of a spec with their values.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    known: BTreeMap<String, Known>,
    used: BTreeSet<String>,
    unreadable: Vec<Place>,
}

#[derive(Debug)]
struct Known {
    place: Place,
    /// None where the definition is wrong, which is an error already.
    value: Option<Value>,
}

#[derive(Debug)]
struct Value {
    text: String,
    parameter: Arc<Parameter>,
}

impl Parameters {
    /// Reads the `params` of the files, a later one over an earlier, and then what `--param` says.
    pub(super) fn read<'a>(
        tables: impl IntoIterator<Item = &'a Node>,
        arguments: &[(String, String)],
        errors: &mut Errors,
    ) -> Self {
        let mut read = Self::default();
        for table in tables {
            read.table(table, errors);
        }
        for (name, text) in arguments {
            read.argument(name, text, errors);
        }
        read
    }

    fn table(&mut self, table: &Node, errors: &mut Errors) {
        let Some(entries) = table.entries() else {
            if table.value != NodeValue::Null {
                errors.at(table, format!("expected a map of parameters, found {}", table.kind()));
            }
            return;
        };
        for (name, place, node) in entries {
            if !is_name(name) {
                let message = format!("`{name}` is no name of a parameter");
                let error = SpecError::new(place, name.chars().count(), message);
                errors.0.push(error.with_help("a name has letters, digits, `_` and `-`, and begins with a letter"));
                continue;
            }
            let known = Known { place: place.clone(), value: definition(name, node, errors) };
            self.known.insert(name.clone(), known);
        }
    }

    fn argument(&mut self, name: &str, text: &str, errors: &mut Errors) {
        let argument = format!("{name}={text}");
        let place = Place { file: "--param".into(), line: 1, column: 1, text: argument.as_str().into() };
        let mut wrong = |message: String, help: Option<String>| {
            let error = SpecError::new(&place, argument.chars().count(), message);
            errors.0.push(match help {
                Some(help) => error.with_help(help),
                None => error,
            });
        };
        let Some(known) = self.known.get_mut(name) else {
            let names: Vec<&str> = self.known.keys().map(String::as_str).collect();
            let there =
                if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
            let help = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
            return wrong(format!("--param: the spec has no parameter `{name}`; {there}"), help);
        };
        let Some(value) = &mut known.value else { return };
        match check(value.parameter.kind, text) {
            Ok(()) => {
                text.clone_into(&mut value.text);
                value.parameter = Arc::new(Parameter { origin: "--param".to_owned(), ..(*value.parameter).clone() });
            }
            Err(expected) => wrong(format!("--param {name}: expected {expected}, found `{text}`"), None),
        }
    }

    /// Puts values in place of the parameters in a tree. Keys are never parameters.
    pub(super) fn substitute(&mut self, node: &mut Node, errors: &mut Errors) {
        match &mut node.value {
            NodeValue::Null => {}
            NodeValue::List(items) => items.iter_mut().for_each(|item| self.substitute(item, errors)),
            NodeValue::Map(entries) => entries.iter_mut().for_each(|(_, _, node)| self.substitute(node, errors)),
            NodeValue::Scalar { text, .. } => {
                let Some(name) = text.strip_prefix('$') else { return };
                if name.starts_with('$') {
                    *text = name.to_owned();
                    return;
                }
                let name = name.to_owned();
                self.substitute_scalar(node, &name, errors);
            }
        }
    }

    fn substitute_scalar(&mut self, node: &mut Node, name: &str, errors: &mut Errors) {
        let Some(known) = self.known.get(name) else {
            let help = match nearest(name, self.known.keys().map(String::as_str)) {
                Some(near) => format!("did you mean `${near}`? `$$` is a plain dollar"),
                None => "define it in `params`, or write `$$` for a plain dollar".to_owned(),
            };
            errors.at_with_help(node, format!("the parameter `${name}` is not defined"), help);
            self.unreadable.push(node.place.clone());
            return;
        };
        self.used.insert(name.to_owned());
        let Some(value) = &known.value else {
            self.unreadable.push(node.place.clone());
            return;
        };
        let quoted = value.parameter.kind == ParameterKind::Text;
        node.value = NodeValue::Scalar { text: value.text.clone(), quoted };
        node.parameter = Some(value.parameter.clone());
    }

    /// Where a parameter stands whose value is not known: its error is told, and others there only follow from it.
    pub(super) fn into_unreadable(self) -> Vec<Place> {
        self.unreadable
    }

    /// Every parameter has to be used.
    pub(super) fn check_used(&self, errors: &mut Errors) {
        for (name, known) in self.known.iter().filter(|(name, _)| !self.used.contains(*name)) {
            let message = format!("the parameter `{name}` is never used");
            let error = SpecError::new(&known.place, name.chars().count(), message);
            errors.0.push(error.with_help(format!("write `${name}` in place of a value, or remove it")));
        }
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn definition(name: &str, node: &Node, errors: &mut Errors) -> Option<Value> {
    let reader = MapReader::open(node, "a parameter", KEYS, errors)?;
    let kind = reader.read("type", errors, |node, errors| values::word(node, "type", &ParameterKind::NAMES, errors));
    let default = reader.get("default")?;
    let text = default.scalar("a value", errors)?;
    let kind = kind?;
    if let Err(expected) = check(kind, text) {
        errors.at(default, format!("the default of `{name}` is no {kind}: expected {expected}, found `{text}`"));
        return None;
    }
    let origin = format!("default at {}:{}", default.place.file, default.place.line);
    let parameter = Arc::new(Parameter { name: name.to_owned(), kind, origin });
    Some(Value { text: text.to_owned(), parameter })
}

/// Whether a text is a value of a type; else what was expected.
fn check(kind: ParameterKind, text: &str) -> Result<(), &'static str> {
    match kind {
        ParameterKind::Text => Ok(()),
        ParameterKind::Integer if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
        ParameterKind::Integer => Err("a whole number"),
        ParameterKind::Size => unit::<Size>(text),
        ParameterKind::Bandwidth => unit::<Bandwidth>(text),
        ParameterKind::Rate => unit::<Rate>(text),
        ParameterKind::Duration => unit::<Span>(text),
        // A topology can ask for NVLink of any width.
        ParameterKind::LinkClass if text == "NVLink" => Ok(()),
        ParameterKind::LinkClass => unit::<LinkClass>(text),
    }
}

fn unit<T: FromStr<Err = UnitError>>(text: &str) -> Result<(), &'static str> {
    text.parse::<T>().map(drop).map_err(|error| error.expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{compose::compose, tree::shown};

    const TABLE: &str = "ib_rate: { type: rate, default: 400 Gb/s }\ncount: { type: integer, default: \"8\" }\n";

    fn tree(text: &str) -> Node {
        compose(text, &"t.yaml".into()).expect("a tree")
    }

    /// Reads tables and arguments and substitutes in a tree: the tree and the errors.
    fn substituted(tables: &[&str], arguments: &[(&str, &str)], text: &str) -> (Node, Vec<SpecError>) {
        let mut errors = Errors::default();
        let tables: Vec<Node> = tables.iter().map(|text| tree(text)).collect();
        let arguments: Vec<(String, String)> =
            arguments.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut parameters = Parameters::read(&tables, &arguments, &mut errors);
        let mut node = tree(text);
        parameters.substitute(&mut node, &mut errors);
        parameters.check_used(&mut errors);
        (node, errors.0)
    }

    fn messages(errors: &[SpecError]) -> Vec<&str> {
        errors.iter().map(|error| error.message.as_str()).collect()
    }

    #[test]
    fn a_whole_scalar_is_replaced_plain_or_quoted_and_nothing_else() {
        let text = "{ $count: $count, b: ['$ib_rate', \"$$x\", $$, a $count], c: ~ }";
        let (node, errors) = substituted(&[TABLE], &[], text);
        assert_eq!(errors, []);
        assert_eq!(shown(&node), "{$count: 8, b: [400 Gb/s, \"$x\", $, a $count], c: ~}");
    }

    #[test]
    fn a_replaced_value_names_its_parameter_and_keeps_its_own_place() {
        let (node, _) = substituted(&[TABLE], &[], "a: $ib_rate\nb: $count");
        let rate = node.entry("a").expect("the key");
        let parameter = rate.parameter.as_deref().expect("a parameter");
        assert_eq!((parameter.name.as_str(), parameter.kind), ("ib_rate", ParameterKind::Rate));
        assert_eq!(parameter.origin, "default at t.yaml:1");
        assert_eq!(&*rate.place.text, "a: $ib_rate");
    }

    #[test]
    fn a_later_table_and_then_an_argument_win() {
        let later = "count: { type: integer, default: 4 }";
        let (node, _) = substituted(&[TABLE, later], &[], "[$count, $ib_rate]");
        assert_eq!(shown(&node), "[4, 400 Gb/s]");
        let (node, errors) = substituted(&[TABLE, later], &[("count", "2")], "[$count, $ib_rate]");
        assert_eq!((shown(&node).as_str(), errors), ("[2, 400 Gb/s]", vec![]));
        let NodeValue::List(items) = &node.value else { unreachable!("a list") };
        assert_eq!(items[0].parameter.as_ref().map(|parameter| parameter.origin.as_str()), Some("--param"));
    }

    #[test]
    fn text_is_text_whatever_it_looks_like() {
        let (node, _) = substituted(&["x: { type: text, default: ~x }"], &[("x", "~")], "[$x]");
        assert_eq!(shown(&node), "[\"~\"]");
    }

    #[test]
    fn undefined_and_unused_parameters_are_errors() {
        let (_, errors) = substituted(&[TABLE], &[], "[$ib_rat, $zzz, $ib_rate]");
        let expected = [
            "the parameter `$ib_rat` is not defined",
            "the parameter `$zzz` is not defined",
            "the parameter `count` is never used",
        ];
        assert_eq!(messages(&errors), expected);
        assert_eq!(errors[0].help.as_deref(), Some("did you mean `$ib_rate`? `$$` is a plain dollar"));
        assert_eq!((errors[2].place.line, errors[2].place.column), (2, 1));
    }

    #[test]
    fn a_wrong_argument_names_itself_and_what_there_is() {
        let (_, errors) = substituted(&[TABLE], &[("ib", "1"), ("count", "many")], "[$ib_rate, $count]");
        let expected = [
            "--param: the spec has no parameter `ib`; it has count, ib_rate",
            "--param count: expected a whole number, found `many`",
        ];
        assert_eq!(messages(&errors), expected);
        assert_eq!((&*errors[1].place.file, &*errors[1].place.text), ("--param", "count=many"));
        let (_, errors) = substituted(&[], &[("a", "1")], "[]");
        assert_eq!(messages(&errors), ["--param: the spec has no parameter `a`; it has none"]);
    }

    #[test]
    fn a_wrong_definition_is_one_error_however_often_it_is_used() {
        let (_, errors) = substituted(&["a: { type: size, default: big }"], &[("a", "8M")], "[$a, $a]");
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].message.starts_with("the default of `a` is no size: expected "), "{errors:?}");
        for wrong in ["a: { type: siz, default: 1 }", "a: { type: size }", "a: { default: 1 }", "a: 1", "1x: {}", "[]"]
        {
            let (_, errors) = substituted(&[wrong], &[], if wrong.starts_with('a') { "[$a]" } else { "[]" });
            assert_eq!(errors.len(), 1, "{wrong}: {errors:?}");
        }
    }

    #[test]
    fn a_value_is_of_its_type() {
        let good = [
            (ParameterKind::Text, ""),
            (ParameterKind::Size, "8M"),
            (ParameterKind::Bandwidth, "440 GB/s"),
            (ParameterKind::Rate, "400 Gb/s"),
            (ParameterKind::Duration, "5m"),
            (ParameterKind::LinkClass, "NV18"),
            (ParameterKind::LinkClass, "NVLink"),
        ];
        for (kind, text) in good {
            assert_eq!(check(kind, text), Ok(()), "{kind}");
        }
        for kind in ParameterKind::NAMES.iter().map(|(_, kind)| *kind).filter(|kind| *kind != ParameterKind::Text) {
            assert!(check(kind, "-1 parsec").is_err(), "{kind}");
            assert!(check(kind, "").is_err(), "{kind}");
        }
    }

    #[test]
    fn the_schema_knows_every_type() {
        assert_eq!(ParameterKind::NAMES.map(|(name, _)| name), names(&KINDS));
    }
}
