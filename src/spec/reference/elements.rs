//! The elements of the language: every table of keys that a spec can reach, once, under a name.

use super::super::{
    decode_suite::{FRAGMENT, SUITE},
    rule::Rule,
    shape::{Key, Shape},
};

/// A map whose keys are in front of these has no part in the names of what is inside: `matrix`, not `tests.matrix`.
const OUTERMOST: [&str; 4] = ["suite", "fragment", "tests", "defaults"];

/// A table of keys.
pub(super) struct Element {
    /// The keys that lead to it, joined by dots.
    pub(super) name: String,
    /// What it means.
    pub(super) about: &'static str,
    /// Its keys.
    pub(super) keys: &'static [Key],
    /// What holds between them.
    pub(super) rules: &'static [Rule],
    /// The names of the elements that have it, with the key under which they do.
    pub(super) within: Vec<(String, &'static str)>,
}

/// Every element, the two files first and each of the others after the first that has it.
pub(super) fn elements() -> Vec<Element> {
    let file = |name: &str, about, keys| Element { name: name.to_owned(), about, keys, rules: &[], within: Vec::new() };
    let mut found = vec![
        file("suite", "the file that is run", SUITE),
        file("fragment", "a file that is made to be included, by suites and by other fragments", FRAGMENT),
    ];
    for at in [0, 1] {
        inside(&found[at].name.clone(), found[at].keys, &mut found);
    }
    found
}

fn inside(name: &str, keys: &'static [Key], found: &mut Vec<Element>) {
    for key in keys {
        visit(&key.shape, name, key, found);
    }
}

fn visit(shape: &Shape, name: &str, key: &'static Key, found: &mut Vec<Element>) {
    match *shape {
        Shape::Map(keys) => add(keys, &[], name, key, found),
        Shape::Ruled(keys, rules) => add(keys, rules, name, key, found),
        Shape::NotEmpty(keys) => add(keys, &[Rule::MoreThan(&[])], name, key, found),
        Shape::Wanted(inner) | Shape::List(inner) | Shape::Distinct(inner) | Shape::MapOf(inner) => {
            visit(inner, name, key, found);
        }
        Shape::Any(shapes) => shapes.iter().for_each(|shape| visit(shape, name, key, found)),
        _ => {}
    }
}

fn add(keys: &'static [Key], rules: &'static [Rule], outer: &str, key: &'static Key, found: &mut Vec<Element>) {
    let within = (outer.to_owned(), key.name);
    if let Some(known) = found.iter_mut().find(|known| known.keys == keys) {
        if !known.within.contains(&within) {
            known.within.push(within);
        }
        return;
    }
    let name = if OUTERMOST.contains(&outer) { key.name.to_owned() } else { format!("{outer}.{}", key.name) };
    found.push(Element { name: name.clone(), about: key.about, keys, rules, within: vec![within] });
    inside(&name, keys, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_name_of_its_own() {
        let mut names: Vec<String> = elements().into_iter().map(|element| element.name).collect();
        for name in ["suite", "fragment", "tests", "collective.expect", "matrix.override", "retries", "params"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
