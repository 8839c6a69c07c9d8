//! Reads a root file and what it includes, each file once, included ones first.

use std::{collections::HashSet, sync::Arc};

use super::{Node, NodeValue, SpecError, compose::compose, decode_suite, decoder::Errors, error::nearest};

/// How deep includes nest: more than any spec needs, and no danger to the stack.
const MAX_INCLUDES: usize = 32;

/// A file of a spec.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// What makes it the same file, by whatever path it was named.
    pub(super) identity: String,
    /// The name in places.
    pub(super) name: Arc<str>,
    /// What it holds.
    pub(super) text: String,
}

/// Reads what a file includes by a name; else says why not, and the cure.
pub(super) type Include<'a> = dyn Fn(&SourceFile, &str) -> Result<SourceFile, (String, Option<String>)> + 'a;

/// The trees of all files without their `include`, each after those that it includes, so that the root is last. None where one is missing.
pub(super) fn gather(root: SourceFile, include: &Include<'_>, errors: &mut Errors) -> Option<Vec<Node>> {
    let (files, known) = (Vec::new(), HashSet::from([root.identity.clone()]));
    let mut gatherer = Gatherer { include, files, known, chain: Vec::new(), lost: false, errors };
    gatherer.file(root, true);
    (!gatherer.lost).then_some(gatherer.files)
}

struct Gatherer<'a> {
    include: &'a Include<'a>,
    files: Vec<Node>,
    known: HashSet<String>,
    /// The files that are being read, from the root: identity and name.
    chain: Vec<(String, Arc<str>)>,
    /// Whether a file is missing: what it defines would be told to be undefined.
    lost: bool,
    errors: &'a mut Errors,
}

impl Gatherer<'_> {
    /// Reads a file and what it includes.
    fn file(&mut self, file: SourceFile, is_root: bool) {
        let mut tree = match compose(&file.text, &file.name) {
            Ok(tree) => tree,
            Err(errors) => {
                self.errors.0.extend(errors);
                self.lost = true;
                return;
            }
        };
        if tree.entries().is_none() {
            let message = format!("expected a spec, which is a map, found {}", tree.kind());
            return self.lose(&tree, message, Some("a spec begins with `linkspec: 1`"));
        }
        self.version(&tree);
        if !is_root {
            self.fragment_keys(&tree);
        }
        self.chain.push((file.identity.clone(), file.name.clone()));
        if let Some((_, includes)) = tree.take("include") {
            self.includes(&file, &includes);
        }
        self.chain.pop();
        self.files.push(tree);
    }

    fn includes(&mut self, file: &SourceFile, includes: &Node) {
        let NodeValue::List(items) = &includes.value else {
            let message = format!("expected a list of files, found {}", includes.kind());
            return self.lose(includes, message, Some("write `include: [common/node.yaml]`"));
        };
        for item in items {
            match item.scalar("the path of a file", self.errors) {
                Some(path) => self.one_include(file, item, path),
                None => self.lost = true,
            }
        }
    }

    fn one_include(&mut self, file: &SourceFile, item: &Node, path: &str) {
        let included = match (self.include)(file, path) {
            Ok(included) => included,
            Err((message, help)) => return self.lose(item, message, help.as_deref()),
        };
        if let Some(at) = self.chain.iter().position(|(identity, _)| *identity == included.identity) {
            let names = self.chain.iter().skip(at).map(|(_, name)| &**name).chain([&*included.name]);
            let chain = names.collect::<Vec<_>>().join(" -> ");
            return self.lose(item, format!("the files include each other in a circle: {chain}"), None);
        }
        if self.chain.len() >= MAX_INCLUDES {
            return self.lose(item, format!("includes nest deeper than {MAX_INCLUDES} files"), None);
        }
        if self.known.insert(included.identity.clone()) {
            self.file(included, false);
        }
    }

    /// An error for which what a file defines is not known.
    fn lose(&mut self, at: &Node, message: String, help: Option<&str>) {
        self.lost = true;
        match help {
            Some(help) => self.errors.at_with_help(at, message, help),
            None => self.errors.at(at, message),
        }
    }

    fn version(&mut self, tree: &Node) {
        match tree.entry("linkspec").filter(|node| node.value != NodeValue::Null) {
            // A file of another version has other keys: nothing more is said of it.
            Some(version) => self.lost |= !is_known_version(version, self.errors),
            None => {
                let message = "the file lacks the key `linkspec`, the version of the language";
                self.errors.at_with_help(tree, message, "a spec begins with `linkspec: 1`");
            }
        }
    }

    fn fragment_keys(&mut self, tree: &Node) {
        let known: Vec<&str> = decode_suite::FRAGMENT.iter().map(|key| key.name).collect();
        let entries = tree.entries().unwrap_or_default();
        for (name, place, _) in entries.iter().filter(|(name, ..)| !known.contains(&name.as_str())) {
            let (message, help) = match name.as_str() {
                "suite" | "machine" | "title" => (
                    format!("an included file is a fragment and has no `{name}`"),
                    "only the file that is run names the suite and its machine".to_owned(),
                ),
                _ => (
                    format!("unknown key `{name}` in a fragment"),
                    match nearest(name, known.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("a fragment has the keys {}", known.join(", ")),
                    },
                ),
            };
            self.errors.0.push(SpecError::new(place, name.chars().count(), message).with_help(help));
        }
    }
}

fn is_known_version(node: &Node, errors: &mut Errors) -> bool {
    match node.scalar("the version of the language, 1", errors) {
        None => false,
        Some("1") => true,
        Some(text) => {
            let message = format!("this linkspec reads version 1 of the language, the file is of version {text}");
            errors.at(node, message);
            false
        }
    }
}
