//! Reads specs: the only file of the language that touches the disk.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Explained, SpecError, Suite, Warning,
    decoder::Errors,
    error::{nearest, render, render_plain},
    explain::explained,
    packs,
    resolve::{Include, Resolved, SourceFile, resolve},
};

/// No spec is near this; something else was named.
const MAX_BYTES: u64 = 16 << 20;

/// What a spec file holds.
#[derive(Debug)]
pub struct Loaded {
    /// The suite; none if the file is a fragment, made to be included.
    pub suite: Option<Arc<Suite>>,
    /// What can't be right, though it can be run.
    pub warnings: Vec<Warning>,
    /// Every value of the tests and where it is from.
    pub values: Vec<Explained>,
}

/// Why a spec cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// As it was given.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The file is larger than 16 MiB.
    #[error("{} is larger than {} MiB", path.display(), MAX_BYTES >> 20)]
    TooLarge {
        /// As it was given.
        path: PathBuf,
    },
    /// The file is no text in UTF-8.
    #[error("{} is not text in UTF-8", path.display())]
    NotUtf8 {
        /// As it was given.
        path: PathBuf,
    },
    /// The spec is wrong.
    #[error("the spec has {} errors", .0.len())]
    Spec(Vec<SpecError>),
}

impl LoadError {
    /// The error as a person reads it, with a cure where there is one.
    pub fn render(&self, color: bool) -> String {
        match self {
            Self::Read { path, cause } => {
                let help = read_help(path, cause);
                render_plain(&format!("{}: {cause}", path.display()), &help, color)
            }
            Self::TooLarge { .. } => render_plain(&self.to_string(), "a spec is YAML of some kilobytes", color),
            Self::NotUtf8 { .. } => render_plain(&self.to_string(), "save the spec as UTF-8", color),
            Self::Spec(errors) => render(errors, color),
        }
    }
}

fn read_help(path: &Path, cause: &io::Error) -> String {
    let name = path.to_str().and_then(pack_name);
    match (name, cause.kind()) {
        (Some(name), _) => pack_help(name),
        (None, io::ErrorKind::IsADirectory) => "name a spec file in it".to_owned(),
        (None, _) => format!("specs are YAML files; built in are {}", pack_list()),
    }
}

/// Reads a spec and all that it includes. `path` may be `pack:NAME`, a built-in spec; `parameters` are names and
/// values as `--param` gives them.
pub fn load(path: &Path, parameters: &[(String, String)]) -> Result<Loaded, LoadError> {
    let (root, folder) = read_root(path)?;
    load_root(root, &|from, name| read_include(from, name, folder.as_deref()), parameters)
}

/// Reads a spec whose files are given: names and texts, the spec first and then what it may include. The disk is not
/// touched. This is for those that try many texts.
#[doc(hidden)]
pub fn load_texts(files: &[(&str, &str)], parameters: &[(String, String)]) -> Result<Loaded, LoadError> {
    let given = |name: &str| {
        let (name, text) = files.iter().find(|(known, _)| *known == name)?;
        Some(SourceFile { identity: (*name).to_owned(), name: (*name).into(), text: (*text).to_owned() })
    };
    let include = |_: &SourceFile, name: &str| match pack_name(name) {
        Some(name) => include_pack(name),
        None => given(name).ok_or_else(|| (format!("cannot include {name}: it is not given"), None)),
    };
    let root = files.first().and_then(|(name, _)| given(name)).ok_or_else(|| LoadError::Spec(Vec::new()))?;
    load_root(root, &include, parameters)
}

fn load_root(root: SourceFile, include: &Include<'_>, parameters: &[(String, String)]) -> Result<Loaded, LoadError> {
    let file = root.name.clone();
    let mut errors = Errors::default();
    let resolved = resolve(root, include, parameters, &mut errors);
    let Some(resolved) = resolved else { return Err(LoadError::Spec(once(errors))) };
    let suite = decode(&resolved, &file, &mut errors);
    if !errors.0.is_empty() {
        return Err(LoadError::Spec(once(errors)));
    }
    let suite = suite.map(Arc::new);
    let warnings = suite.as_deref().map(super::lint::lint).unwrap_or_default();
    Ok(Loaded { suite, warnings, values: explained(&resolved) })
}

/// Decodes, without the errors that only follow from those of resolving.
fn decode(resolved: &Resolved, file: &Arc<str>, errors: &mut Errors) -> Option<Suite> {
    let before = errors.0.len();
    let suite = Suite::decode(resolved, file, errors);
    let decoded = errors.0.split_off(before);
    errors.0.extend(decoded.into_iter().filter(|error| !resolved.unreadable.contains(&error.place)));
    suite
}

/// Each error once: the `defaults` of a file are read for each of its tests.
fn once(errors: Errors) -> Vec<SpecError> {
    let mut different: Vec<SpecError> = Vec::new();
    for error in errors.0 {
        if !different.contains(&error) {
            different.push(error);
        }
    }
    different
}

/// The root file, and its folder with links resolved, which included files must not leave.
fn read_root(path: &Path) -> Result<(SourceFile, Option<PathBuf>), LoadError> {
    let cannot = |cause: io::Error| LoadError::Read { path: path.to_owned(), cause };
    if let Some(name) = path.to_str().and_then(pack_name) {
        let missing = || cannot(io::Error::new(io::ErrorKind::NotFound, "no built-in spec has this name"));
        return read_pack(name).map(|file| (file, None)).ok_or_else(missing);
    }
    let canonical = fs::canonicalize(path).map_err(cannot)?;
    let text = match read_text(&canonical) {
        Ok(text) => text,
        Err(Unreadable::Io(cause)) => return Err(cannot(cause)),
        Err(Unreadable::TooLarge) => return Err(LoadError::TooLarge { path: path.to_owned() }),
        Err(Unreadable::NotUtf8) => return Err(LoadError::NotUtf8 { path: path.to_owned() }),
    };
    let folder = canonical.parent().map(Path::to_path_buf);
    Ok((source(path, &canonical, text), folder))
}

fn source(path: &Path, canonical: &Path, text: String) -> SourceFile {
    SourceFile {
        identity: canonical.to_string_lossy().into_owned(),
        name: path.to_string_lossy().as_ref().into(),
        text,
    }
}

fn read_include(from: &SourceFile, name: &str, folder: Option<&Path>) -> Result<SourceFile, (String, Option<String>)> {
    if let Some(name) = pack_name(name) {
        return include_pack(name);
    }
    if let Some(pack) = pack_name(&from.identity) {
        return include_pack(&beside_pack(pack, name));
    }
    let path = Path::new(&*from.name).parent().unwrap_or(Path::new("")).join(name);
    let cannot = |cause: &dyn std::fmt::Display| (format!("cannot include {}: {cause}", path.display()), None);
    let canonical = fs::canonicalize(&path).map_err(|cause| cannot(&cause))?;
    if !folder.is_some_and(|folder| canonical.starts_with(folder)) {
        let help = "included files stay under the folder of the spec that is run, also through links";
        return Err((format!("{} leaves the folder of the spec", path.display()), Some(help.to_owned())));
    }
    match read_text(&canonical) {
        Ok(text) => Ok(source(&path, &canonical, text)),
        Err(Unreadable::Io(cause)) => Err(cannot(&cause)),
        Err(Unreadable::TooLarge) => Err(cannot(&format!("it is larger than {} MiB", MAX_BYTES >> 20))),
        Err(Unreadable::NotUtf8) => Err(cannot(&"it is not text in UTF-8")),
    }
}

/// Why there is no text.
enum Unreadable {
    Io(io::Error),
    TooLarge,
    NotUtf8,
}

fn read_text(path: &Path) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    // The size that the system tells of is 0 for pipes, so that the bytes are counted as they come.
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(Unreadable::Io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Unreadable::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)
}

fn pack_name(text: &str) -> Option<&str> {
    text.strip_prefix("pack:")
}

fn read_pack(name: &str) -> Option<SourceFile> {
    let identity = format!("pack:{name}");
    packs::pack(name).map(|text| SourceFile { name: identity.as_str().into(), identity, text: text.to_owned() })
}

fn include_pack(name: &str) -> Result<SourceFile, (String, Option<String>)> {
    read_pack(name).ok_or_else(|| (format!("no built-in file has the name `{name}`"), Some(pack_help(name))))
}

/// The name of what a pack includes as a file: `common/node.yaml` beside `h100` is `common/node`.
fn beside_pack(pack: &str, file: &str) -> String {
    let mut parts: Vec<&str> = pack.split('/').collect();
    parts.pop();
    for part in file.strip_suffix(".yaml").unwrap_or(file).split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn pack_help(name: &str) -> String {
    match nearest(name, packs::names()) {
        Some(near) => format!("did you mean `pack:{near}`?"),
        None => format!("built in are {}", pack_list()),
    }
}

fn pack_list() -> String {
    packs::names().map(|name| format!("pack:{name}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "tests: [{ name: a, p2p: { read: ok } }]\n";

    /// A folder with files, some in folders of their own.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn suite(include: &str) -> String {
        format!("linkspec: 1\nsuite: s\ninclude: [{include}]\n{TEST}")
    }

    /// The errors of a spec as `FILE:LINE: message`, without the folder's path.
    fn bad(folder: &tempfile::TempDir, name: &str) -> Vec<String> {
        match load(&folder.path().join(name), &[]) {
            Err(LoadError::Spec(errors)) => errors
                .iter()
                .map(|error| format!("{}:{}: {}", error.place.file, error.place.line, error.message))
                .map(|text| text.replace(&format!("{}/", folder.path().display()), ""))
                .collect(),
            other => unreachable!("errors of the spec, not {other:?}"),
        }
    }

    fn names(loaded: &Loaded) -> Vec<&str> {
        let suite = loaded.suite.as_ref().expect("a suite");
        suite.tests.iter().map(|test| test.name.as_str()).collect()
    }

    #[test]
    fn includes_are_relative_to_the_including_file() {
        let folder = folder(&[
            ("s.yaml", &suite("parts/one.yaml")),
            ("parts/one.yaml", "linkspec: 1\ninclude: [more/two.yaml]\n"),
            ("parts/more/two.yaml", "linkspec: 1\ninclude: [../three.yaml]\n"),
            ("parts/three.yaml", "linkspec: 1\ntests: [{ name: three, p2p: { read: ok } }]\n"),
        ]);
        let loaded = load(&folder.path().join("s.yaml"), &[]).expect("a spec");
        assert_eq!(names(&loaded), ["three", "a"]);
        let value = loaded.values.iter().find(|value| value.path == "tests.three.p2p.read").expect("a value");
        assert!(value.place.as_ref().is_some_and(|place| place.file.ends_with("three.yaml")), "{value:?}");
    }

    #[test]
    fn a_file_that_is_not_there_is_told_where_it_is_included() {
        let folder = folder(&[("s.yaml", &suite("parts/none.yaml"))]);
        let errors = bad(&folder, "s.yaml");
        assert!(errors[0].starts_with("s.yaml:3: cannot include parts/none.yaml: "), "{errors:?}");
    }

    #[test]
    fn a_file_outside_the_folder_is_not_read() {
        let folder = folder(&[("in/s.yaml", &suite("../out.yaml")), ("out.yaml", "linkspec: 1\n")]);
        let errors = bad(&folder, "in/s.yaml");
        assert_eq!(errors, ["in/s.yaml:3: in/../out.yaml leaves the folder of the spec"]);
        let absolute = folder.path().join("out.yaml");
        fs::write(folder.path().join("in/s.yaml"), suite(&absolute.display().to_string())).expect("a file");
        assert_eq!(bad(&folder, "in/s.yaml").len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_must_not_leave_the_folder_either() {
        let folder = folder(&[
            ("in/s.yaml", &suite("link.yaml")),
            ("in/real.yaml", "linkspec: 1\n"),
            ("out.yaml", "linkspec: 1\n"),
        ]);
        let link = folder.path().join("in/link.yaml");
        std::os::unix::fs::symlink("../out.yaml", &link).expect("a link");
        assert_eq!(bad(&folder, "in/s.yaml"), ["in/s.yaml:3: in/link.yaml leaves the folder of the spec"]);
        fs::remove_file(&link).expect("removed");
        std::os::unix::fs::symlink("real.yaml", &link).expect("a link");
        assert_eq!(names(&load(&folder.path().join("in/s.yaml"), &[]).expect("a spec")), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_circle_through_a_link_is_seen() {
        let folder = folder(&[("s.yaml", &suite("a.yaml")), ("a.yaml", "linkspec: 1\ninclude: [b.yaml]\n")]);
        std::os::unix::fs::symlink("a.yaml", folder.path().join("b.yaml")).expect("a link");
        assert_eq!(bad(&folder, "s.yaml"), ["a.yaml:2: the files include each other in a circle: a.yaml -> b.yaml"]);
    }

    #[test]
    fn what_is_no_spec_file_is_told_with_a_cure() {
        let folder = folder(&[("binary.yaml", "")]);
        let missing = load(&folder.path().join("none.yaml"), &[]).expect_err("an error").render(false);
        assert!(missing.starts_with("error: ") && missing.contains("none.yaml: "), "{missing}");
        assert!(missing.contains("pack:h200-x2"), "{missing}");
        let directory = load(folder.path(), &[]).expect_err("an error").render(false);
        assert!(directory.contains("name a spec file in it"), "{directory}");
        let path = folder.path().join("binary.yaml");
        fs::write(&path, [0xff, 0xfe]).expect("a file");
        assert!(matches!(load(&path, &[]), Err(LoadError::NotUtf8 { .. })));
        File::create(&path).and_then(|file| file.set_len(MAX_BYTES + 1)).expect("a file");
        let large = load(&path, &[]).expect_err("an error");
        assert!(large.render(false).contains("is larger than 16 MiB"), "{large}");
    }

    #[test]
    fn built_in_specs_are_read_by_name() {
        let loaded = load(Path::new("pack:h200-x2"), &[]).expect("a spec");
        assert_eq!(loaded.suite.map(|suite| suite.file.to_string()).as_deref(), Some("pack:h200-x2"));
        let text = load(Path::new("pack:h200-x3"), &[]).expect_err("an error").render(false);
        assert!(text.contains("did you mean `pack:h200-x2`?"), "{text}");
        let folder = folder(&[("s.yaml", &suite("pack:zzz"))]);
        assert_eq!(bad(&folder, "s.yaml"), ["s.yaml:3: no built-in file has the name `zzz`"]);
    }

    #[test]
    fn what_a_pack_includes_as_a_file_is_a_pack_beside_it() {
        assert_eq!(beside_pack("h100", "common/node.yaml"), "common/node");
        assert_eq!(beside_pack("common/node", "./health.yaml"), "common/health");
        assert_eq!(beside_pack("common/node", "../h100.yaml"), "h100");
    }

    #[test]
    fn a_fragment_is_checked_and_has_no_suite() {
        let folder =
            folder(&[("f.yaml", &format!("linkspec: 1\n{TEST}")), ("w.yaml", "linkspec: 1\ntests: [{ nam: a }]")]);
        let loaded = load(&folder.path().join("f.yaml"), &[]).expect("a fragment");
        assert!(loaded.suite.is_none());
        let paths: Vec<&str> = loaded.values.iter().map(|value| value.path.as_str()).collect();
        let defaults = ["tests.a.level", "tests.a.pin", "tests.a.gpus"];
        assert_eq!(paths, [&["linkspec", "tests.a.name", "tests.a.p2p.read"], &defaults[..]].concat());
        assert!(!bad(&folder, "w.yaml").is_empty());
    }

    #[test]
    fn a_value_that_is_not_known_is_one_error_and_no_more() {
        let text = "linkspec: 1\nsuite: s\ndefaults: { timeout: $t }\ntests:\n  - { name: a, p2p: { read: $n } }\n  \
                    - { name: b, p2p: { read: ok } }\n";
        let folder = folder(&[("s.yaml", text)]);
        let expected = ["s.yaml:3: the parameter `$t` is not defined", "s.yaml:5: the parameter `$n` is not defined"];
        assert_eq!(
            bad(&folder, "s.yaml").into_iter().collect::<std::collections::BTreeSet<_>>(),
            expected.map(str::to_owned).into()
        );
    }

    #[test]
    fn a_suite_whose_only_test_is_wrong_is_not_told_to_have_none() {
        let folder = folder(&[("s.yaml", "linkspec: 1\nsuite: s\ntests: [{ name: a, extends: true }]\n")]);
        let errors = bad(&folder, "s.yaml");
        assert_eq!(errors, ["s.yaml:3: the test `a` extends no test: no included file has one of this name"]);
    }

    #[test]
    fn an_error_of_defaults_is_told_once() {
        let text = "linkspec: 1\nsuite: s\ndefaults: { timeout: soon }\ntests:\n  - { name: a, p2p: { read: ok } }\n  \
                    - { name: b, p2p: { read: ok } }\n";
        let folder = folder(&[("s.yaml", text)]);
        assert_eq!(bad(&folder, "s.yaml").len(), 1);
    }
}
