//! Reads a root file and what it includes, each file once, included ones first.

use std::{collections::HashSet, sync::Arc};

use super::{Node, NodeValue, Place, SpecError, compose::compose, decoder::Errors, error::nearest};

/// How deep includes nest: more than any spec needs, and no danger to the stack.
const MAX_INCLUDES: usize = 32;
/// The keys of a fragment.
const FRAGMENT_KEYS: [&str; 6] = ["linkspec", "include", "params", "defaults", "tests", "sources"];

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

/// The trees of all files without their `include`, each after those that it includes, so that the root is last. None where the root is no map.
pub(super) fn gather(root: SourceFile, include: &Include<'_>, errors: &mut Errors) -> Option<Vec<Node>> {
    let mut gatherer = Gatherer { include, files: Vec::new(), known: HashSet::new(), chain: Vec::new(), errors };
    gatherer.known.insert(root.identity.clone());
    gatherer.file(root, true).then_some(gatherer.files)
}

struct Gatherer<'a> {
    include: &'a Include<'a>,
    files: Vec<Node>,
    known: HashSet<String>,
    /// The files that are being read, from the root: identity and name.
    chain: Vec<(String, Arc<str>)>,
    errors: &'a mut Errors,
}

impl Gatherer<'_> {
    /// Reads a file and what it includes; whether it is a map.
    fn file(&mut self, file: SourceFile, is_root: bool) -> bool {
        let mut tree = match compose(&file.text, &file.name) {
            Ok(tree) => tree,
            Err(errors) => {
                self.errors.0.extend(errors);
                return false;
            }
        };
        if tree.entries().is_none() {
            let message = format!("expected a spec, which is a map, found {}", tree.kind());
            self.errors.at_with_help(&tree, message, "a spec begins with `linkspec: 1`");
            return false;
        }
        self.check(&tree, is_root);
        self.chain.push((file.identity.clone(), file.name.clone()));
        if let Some((_, includes)) = tree.take("include") {
            self.includes(&file, &includes);
        }
        self.chain.pop();
        self.files.push(tree);
        true
    }

    fn includes(&mut self, file: &SourceFile, includes: &Node) {
        let NodeValue::List(items) = &includes.value else {
            let message = format!("expected a list of files, found {}", includes.kind());
            self.errors.at_with_help(includes, message, "write `include: [common/nvidia.yaml]`");
            return;
        };
        for item in items {
            if let Some(path) = item.scalar("the path of a file", self.errors) {
                self.one_include(file, item, path);
            }
        }
    }

    fn one_include(&mut self, file: &SourceFile, item: &Node, path: &str) {
        let included = match (self.include)(file, path) {
            Ok(included) => included,
            Err((message, Some(help))) => return self.errors.at_with_help(item, message, help),
            Err((message, None)) => return self.errors.at(item, message),
        };
        if let Some(at) = self.chain.iter().position(|(identity, _)| *identity == included.identity) {
            let names = self.chain.iter().skip(at).map(|(_, name)| &**name).chain([&*included.name]);
            let chain = names.collect::<Vec<_>>().join(" -> ");
            return self.errors.at(item, format!("the files include each other in a circle: {chain}"));
        }
        if self.chain.len() >= MAX_INCLUDES {
            return self.errors.at(item, format!("includes nest deeper than {MAX_INCLUDES} files"));
        }
        if self.known.insert(included.identity.clone()) {
            self.file(included, false);
        }
    }

    /// What holds of every file: the version, and of included ones that they are fragments.
    fn check(&mut self, tree: &Node, is_root: bool) {
        self.version(tree);
        if is_root {
            // The decoder of suites knows the keys of a root file.
            return;
        }
        for (name, place, _) in tree.entries().unwrap_or_default() {
            self.fragment_key(name, place);
        }
    }

    fn version(&mut self, tree: &Node) {
        let Some(version) = tree.entry("linkspec").filter(|node| node.value != NodeValue::Null) else {
            self.errors.at_with_help(tree, "the file lacks the key `linkspec`", "a spec begins with `linkspec: 1`");
            return;
        };
        let Some(text) = version.scalar("the version 1", self.errors) else { return };
        if text != "1" {
            let message = format!("the version `{text}` of the language is not known, expected `1`");
            self.errors.at(version, message);
        }
    }

    fn fragment_key(&mut self, name: &str, place: &Place) {
        if FRAGMENT_KEYS.contains(&name) {
            return;
        }
        let error = |message: String| SpecError::new(place, name.chars().count(), message);
        self.errors.0.push(match name {
            "suite" | "machine" | "title" => error(format!("an included file is a fragment and has no `{name}`"))
                .with_help("only the file that is run names the suite and its machine"),
            _ => error(format!("unknown key `{name}` in a fragment")).with_help(match nearest(name, FRAGMENT_KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("a fragment has the keys {}", FRAGMENT_KEYS.join(", ")),
            }),
        });
    }
}
