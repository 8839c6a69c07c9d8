//! YAML text to a tree in which every value knows its place.

use std::{collections::HashMap, sync::Arc};

use granit_parser::{ErrorKind, Event, Marker, Options, Parser, ScalarStyle, Span, StrInput};

use super::{Node, NodeValue, Place, SpecError, lines::Lines, map_builder::MapBuilder, yaml_error};

/// How many values a file may have with its aliases written out. A large spec has some thousands; a few lines of
/// aliases to aliases would otherwise fill the memory.
const MAX_NODES: usize = 1_000_000;
/// So many bytes of text count as one more value, so that aliases of long texts are bounded too.
const BYTES_PER_NODE: usize = 64;
/// How deep values may nest with aliases written out, so that no recursion over the tree exhausts the stack.
const MAX_DEPTH: usize = 64;

/// Reads one YAML document. All errors that do not stop the parser are collected.
pub(super) fn compose(text: &str, file: &Arc<str>) -> Result<Node, Vec<SpecError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut options = Options::default();
    options.emit_comments = false;
    options.emit_unresolved_aliases = true;
    let mut composer = Composer {
        text,
        parser: Parser::new_from_str_with_options(text, options),
        lines: Lines::new(text, file),
        anchors: HashMap::new(),
        nodes: 0,
        errors: Vec::new(),
    };
    let root = composer.document();
    match root {
        Ok(root) if composer.errors.is_empty() => Ok(root),
        Ok(_) => Err(composer.errors),
        Err(Stop) => Err(composer.errors),
    }
}

/// The rest of the file cannot be read; the error is noted.
struct Stop;

/// An anchored value: how many values and levels it has is known before a copy is made.
struct Anchored {
    node: Node,
    nodes: usize,
    height: usize,
}

struct Composer<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    lines: Lines<'a>,
    anchors: HashMap<usize, Anchored>,
    nodes: usize,
    errors: Vec<SpecError>,
}

impl<'a> Composer<'a> {
    fn document(&mut self) -> Result<Node, Stop> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(..) if root.is_some() => {
                    let place = self.lines.place(span.start);
                    let message = "a second document begins here: a spec file holds one";
                    self.errors.push(SpecError::new(&place, 3, message));
                    return Err(Stop);
                }
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, &span, 1)?.0),
            }
        }
        match root {
            Some(root) if root.value != NodeValue::Null => Ok(root),
            _ => {
                let place = self.lines.place(Marker::new(0, 1, 0));
                let message = "the file is empty: a spec begins with `linkspec: 1`";
                self.errors.push(SpecError::new(&place, 1, message));
                Err(Stop)
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Stop> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                let tab =
                    if yaml_error::is_tab(error.kind()) { self.lines.indenting_tab(*error.marker()) } else { None };
                let place = self.lines.place(tab.unwrap_or(*error.marker()));
                if *error.kind() == ErrorKind::RecursionLimitExceeded {
                    return self.too_deep(&place);
                }
                let (message, help) = yaml_error::explain(error.kind());
                let error = SpecError::new(&place, 1, message);
                self.errors.push(match help {
                    Some(help) => error.with_help(help),
                    None => error,
                });
                Err(Stop)
            }
            None => Ok((Event::StreamEnd, Span::empty(Marker::new(0, 1, 0)))),
        }
    }

    /// The value that an event begins, and how many levels it has. A scalar is one level.
    fn node(&mut self, event: Event<'a>, span: &Span, depth: usize) -> Result<(Node, usize), Stop> {
        let place = self.lines.place(span.start);
        self.refuse_tag(&event, span);
        if let Event::Alias(id) = event {
            return self.alias(id, span, &place, depth);
        }
        if depth > MAX_DEPTH {
            return self.too_deep(&place);
        }
        let before = self.nodes;
        let length = event.scalar().map_or(0, |(text, _)| text.len());
        self.count(1 + length / BYTES_PER_NODE, || "the file".to_owned(), &place)?;
        let anchor = event.anchor_id();
        let (value, height) = match event {
            Event::Scalar(text, style, ..) => (scalar(&text, style), 1),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.map(depth)?,
            Event::UnresolvedAlias(name) => {
                let message = format!("the alias `*{name}` has no anchor `&{name}` before it");
                self.errors.push(SpecError::new(&place, name.chars().count() + 1, message));
                (NodeValue::Null, 1)
            }
            _ => (NodeValue::Null, 1),
        };
        let node = Node { value, place, parameter: None };
        if let Some(id) = anchor {
            let nodes = self.nodes - before;
            self.count(nodes, || "the file".to_owned(), &node.place)?;
            self.anchors.insert(id, Anchored { node: node.clone(), nodes, height });
        }
        Ok((node, height))
    }

    fn alias(&mut self, id: usize, span: &Span, place: &Place, depth: usize) -> Result<(Node, usize), Stop> {
        let name = span.slice(self.text).unwrap_or("*").to_owned();
        let Some(Anchored { nodes, height, .. }) = self.anchors.get(&id) else {
            let message = format!("the alias `{name}` stands inside the value that it names");
            self.errors.push(SpecError::new(place, name.chars().count(), message));
            return Err(Stop);
        };
        let (nodes, height) = (*nodes, *height);
        if depth + height - 1 > MAX_DEPTH {
            return self.too_deep(place);
        }
        self.count(nodes, || format!("with the alias `{name}` written out, the file"), place)?;
        let node = self.anchors.get(&id).map(|anchored| anchored.node.clone());
        node.map(|node| (node, height)).ok_or(Stop)
    }

    fn list(&mut self, depth: usize) -> Result<(NodeValue, usize), Stop> {
        let mut items = Vec::new();
        let mut below = 0;
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd | Event::StreamEnd) {
                return Ok((NodeValue::List(items), below + 1));
            }
            let (item, height) = self.node(event, &span, depth + 1)?;
            below = below.max(height);
            items.push(item);
        }
    }

    fn map(&mut self, depth: usize) -> Result<(NodeValue, usize), Stop> {
        let mut map = MapBuilder::default();
        let mut below = 0;
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd | Event::StreamEnd) {
                return Ok((NodeValue::Map(map.finish(&mut self.errors)), below + 1));
            }
            let (key, _) = self.node(event, &span, depth + 1)?;
            let (event, span) = self.next()?;
            let (value, height) = self.node(event, &span, depth + 1)?;
            below = below.max(height);
            map.add(key, value, &mut self.errors);
        }
    }

    fn refuse_tag(&mut self, event: &Event<'_>, span: &Span) {
        let Some(tag) = event.tag() else { return };
        let place = self.lines.place(span.tag_start().unwrap_or(span.start));
        let tag = tag.original();
        let error = SpecError::new(&place, tag.chars().count(), format!("a spec has no tags, found `{tag}`"));
        self.errors.push(error.with_help("leave the tag out; quotes make a value text"));
    }

    fn count(&mut self, nodes: usize, what: impl FnOnce() -> String, place: &Place) -> Result<(), Stop> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        self.errors.push(SpecError::new(place, 1, format!("{} has more than {MAX_NODES} values", what())));
        Err(Stop)
    }

    fn too_deep<T>(&mut self, place: &Place) -> Result<T, Stop> {
        self.errors.push(SpecError::new(place, 1, format!("values nest deeper than {MAX_DEPTH} levels")));
        Err(Stop)
    }
}

fn scalar(text: &str, style: ScalarStyle) -> NodeValue {
    let quoted = style != ScalarStyle::Plain;
    match text {
        "" | "~" | "null" if !quoted => NodeValue::Null,
        _ => NodeValue::Scalar { text: text.to_owned(), quoted },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::tree::shown;

    fn good(text: &str) -> Node {
        compose(text, &"t.yaml".into()).expect("no error")
    }

    /// Each error as `LINE:COLUMN message`.
    fn bad(text: &str) -> Vec<String> {
        let errors = compose(text, &"t.yaml".into()).expect_err("an error");
        errors.iter().map(|e| format!("{}:{} {}", e.place.line, e.place.column, e.message)).collect()
    }

    fn get<'a>(node: &'a Node, key: &str) -> (&'a Place, &'a Node) {
        let NodeValue::Map(entries) = &node.value else { unreachable!("a map") };
        let (_, place, node) = entries.iter().find(|(name, ..)| name == key).expect("the key");
        (place, node)
    }

    #[test]
    fn scalars_keep_their_spelling_and_nothing_is_null() {
        let text = "a: 010\nb: 'no'\nc: ~\nd: null\ne:\nf: '~'\ng: \"\"\nh: yes\ni: 1e3\nj: |\n  x\n";
        let tree = r#"{a: 010, b: "no", c: ~, d: ~, e: ~, f: "~", g: "", h: yes, i: 1e3, j: "x\n"}"#;
        assert_eq!(shown(&good(text)), tree);
    }

    #[test]
    fn every_value_and_key_knows_its_place() {
        let tree = good("\u{feff}a: 1\r\nü: { k: [x, 'y'] }  # note\r\n");
        let (key, map) = get(&tree, "ü");
        assert_eq!((key.line, key.column, &*key.text), (2, 1, "ü: { k: [x, 'y'] }  # note"));
        let (_, list) = get(map, "k");
        let NodeValue::List(items) = &list.value else { unreachable!("a list") };
        assert_eq!((items[1].place.line, items[1].place.column), (2, 13));
        assert!(Arc::ptr_eq(&items[0].place.text, &items[1].place.text));
        assert_eq!((get(&tree, "a").1.place.line, get(&tree, "a").1.place.column), (1, 4));
    }

    #[test]
    fn an_alias_is_the_value_that_it_names() {
        assert_eq!(shown(&good("a: &x { k: 1 }\nb: *x\nc: [*x]")), "{a: {k: 1}, b: {k: 1}, c: [{k: 1}]}");
        assert_eq!(bad("a: *x"), ["1:4 the alias `*x` has no anchor `&x` before it"]);
        assert_eq!(bad("a: &x [*x]"), ["1:8 the alias `*x` stands inside the value that it names"]);
    }

    #[test]
    fn own_keys_win_over_merged_ones_and_earlier_merged_ones_over_later() {
        assert_eq!(shown(&good("a: &a { k: 1, l: 2 }\nb: { <<: *a, k: 3 }")), "{a: {k: 1, l: 2}, b: {k: 3, l: 2}}");
        let two = "a: &a { k: 1 }\nb: &b { k: 2, l: 3 }\nc: { <<: [*a, *b] }";
        assert!(shown(&good(two)).ends_with("c: {k: 1, l: 3}}"));
        assert_eq!(shown(&good("\"<<\": 1")), "{<<: 1}");
        assert_eq!(bad("a: { <<: 1 }"), ["1:10 `<<` merges a map or a list of maps, found a plain value"]);
    }

    #[test]
    fn all_duplicate_keys_are_told_at_their_second_place() {
        let errors = bad("a: 1\nb: { c: 1, c: 2 }\na: 2\n");
        let message = |key: &str, line: u32| format!("the key `{key}` is already in this map, in line {line}");
        assert_eq!(errors, [format!("2:12 {}", message("c", 2)), format!("3:1 {}", message("a", 1))]);
    }

    #[test]
    fn keys_are_plain_text() {
        assert_eq!(bad("? [a, b]\n: 1\n"), ["1:3 a key is plain text, found a list"]);
        assert_eq!(bad("~: 1"), ["1:1 a key is plain text, found nothing"]);
    }

    #[test]
    fn a_file_holds_one_document_that_is_not_empty() {
        assert_eq!(bad("a: 1\n---\nb: 2\n"), ["2:1 a second document begins here: a spec file holds one"]);
        for empty in ["", "\n", "# only this\n", "---\n", "~", "\u{feff}"] {
            assert_eq!(bad(empty), ["1:1 the file is empty: a spec begins with `linkspec: 1`"], "{empty:?}");
        }
    }

    #[test]
    fn tags_are_refused() {
        assert_eq!(bad("a: !!str 1"), ["1:4 a spec has no tags, found `!!str`"]);
        assert_eq!(bad("a: !foo { b: 1 }"), ["1:4 a spec has no tags, found `!foo`"]);
    }

    #[test]
    fn what_is_no_yaml_has_a_place_and_a_cure() {
        let errors = compose("a:\n\tb: 1\n", &"t.yaml".into()).expect_err("an error");
        assert_eq!((errors[0].place.line, errors[0].message.as_str()), (2, "a tab cannot indent YAML"));
        assert_eq!(errors[0].help.as_deref(), Some("indent with spaces"));
        assert_eq!(bad("a:\n  - b: c\n\n\td: 1\n"), ["4:1 a tab cannot indent YAML"]);
        assert_eq!(bad("a:\n  - b: c\n  \td: 1\n"), ["3:3 a tab cannot indent YAML"]);
        assert!(bad("a: [1, 2\n")[0].contains("never closed"), "{:?}", bad("a: [1, 2\n"));
        assert!(bad("a: \"x\n")[0].contains("never closed"), "{:?}", bad("a: \"x\n"));
    }

    #[test]
    fn aliases_of_aliases_are_counted_before_they_are_written_out() {
        let mut text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n".to_owned();
        for level in 1..10 {
            let alias = format!("*a{}", level - 1);
            text += &format!("a{level}: &a{level} [{}]\n", vec![alias; 10].join(", "));
        }
        let errors = bad(&text);
        assert!(errors[0].contains("with the alias `*a"), "{errors:?}");
        assert!(errors[0].ends_with("written out, the file has more than 1000000 values"), "{errors:?}");
    }

    #[test]
    fn a_long_text_counts_for_more_than_one_value() {
        let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(64_000), vec!["*a"; 1000].join(", "));
        assert!(bad(&text)[0].contains("more than 1000000 values"));
    }

    #[test]
    fn depth_is_limited_also_through_aliases() {
        let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
        assert!(compose(&nested(63), &"t.yaml".into()).is_ok());
        for depth in [64, 200, 300, 100_000] {
            assert!(bad(&nested(depth))[0].ends_with("values nest deeper than 64 levels"), "{depth}");
        }
        let mut text = "a0: &a0 [1]\n".to_owned();
        for level in 1..100 {
            text += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
        }
        assert!(bad(&text)[0].ends_with("values nest deeper than 64 levels"));
    }

    const VALID: &str = "linkspec: 1\nsuite: x\nbase: &base { a: [1, 'two'], b: ~ }\ntests:\n  - name: t\n    <<: *base\n    \
                         text: |\n      lines\n    ? key\n    : \"v\\n\"\n";

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC*") {
            let _result = compose(&text, &"t.yaml".into());
        }

        #[test]
        fn no_yaml_like_text_makes_it_panic(text in "[-\\[\\]{}:,&*!|>'\"%@`#?~<a1 \t\r\n\u{feff}ü$]{0,80}") {
            let _result = compose(&text, &"t.yaml".into());
        }

        #[test]
        fn no_change_of_a_valid_text_makes_it_panic(at in 0..VALID.len(), length in 0..20_usize, new in "\\PC{0,3}|[\t\r\n:*&]") {
            let end = (at + length).min(VALID.len());
            let text = format!("{}{new}{}", &VALID[..at], &VALID[end..]);
            let _result = compose(&text, &"t.yaml".into());
        }
    }
}
