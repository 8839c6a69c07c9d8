//! Saved files that nothing reads: under another name an output is as good as not there.

use super::{files::Files, texts::file_names};

/// The files of linkspec's own that lie beside outputs. `topology.txt` is for people.
const OWN: [&str; 8] = [
    "facts.json",
    "facts-after.json",
    "topology.txt",
    "run.json",
    "run.jsonl",
    "junit.xml",
    "report.html",
    "summary.md",
];

/// The folders of outputs per case, and the endings that are read in each.
const FOLDERS: [(&str, &[&str]); 4] =
    [("nccl-tests", &["txt", "json"]), ("nccl-log", &["txt"]), ("nccl-ras", &["txt"]), ("command", &["txt"])];

/// So many are named; the others are counted.
const MOST: usize = 8;

/// A warning that names the files that look like outputs and are not read, each with the name that was likely meant.
pub(super) fn unread(files: Files<'_>) -> Option<String> {
    // What is built in is whole, and nobody can rename it.
    if matches!(files, Files::BuiltIn(_)) {
        return None;
    }
    let mut found: Vec<String> = files.list("").iter().filter(|name| is_unread(name)).map(|name| told(name)).collect();
    for (folder, endings) in FOLDERS {
        let names = files.list(folder);
        let others = names.iter().filter(|name| !name.starts_with('.') && !endings.contains(&parts(name).1));
        found.extend(others.map(|name| told_in(folder, name, &names)));
    }
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    (!found.is_empty()).then(|| format!("not read: {}{more}", found.join(", ")))
}

/// The name before its ending, and the ending.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

fn is_unread(name: &str) -> bool {
    let is_output = !name.starts_with('.') && ["txt", "json", "xml"].contains(&parts(name).1);
    is_output && !OWN.contains(&name) && !file_names().any(|known| known == name)
}

fn told(name: &str) -> String {
    near(name).map_or_else(|| name.to_owned(), |near| format!("{name} (did you mean {near}?)"))
}

/// The file of the same case with an ending that is read, unless that is there too.
fn told_in(folder: &str, name: &str, names: &[String]) -> String {
    let text = format!("{}.txt", parts(name).0);
    if names.contains(&text) {
        return format!("{folder}/{name}");
    }
    format!("{folder}/{name} (did you mean {folder}/{text}?)")
}

/// The known name with all words of this one and the fewest others, as `nvidia-smi-topo-m.txt` for `topo.txt`; or else
/// the one that is nearest by its letters.
fn near(name: &str) -> Option<&'static str> {
    let stem = parts(name).0.to_lowercase();
    let ours = words(&stem);
    let holds_ours = |known: &&str| {
        let theirs = parts(known).0.to_lowercase();
        let theirs = words(&theirs);
        ours.iter().all(|word| theirs.contains(word))
    };
    let by_words = file_names().filter(holds_ours).min_by_key(|known| words(known).len());
    by_words.or_else(|| {
        // Without the endings, which are alike in all.
        let near = crate::spec::nearest(&stem, file_names().map(|known| parts(known).0))?;
        file_names().find(|known| parts(known).0 == near)
    })
}

fn words(stem: &str) -> Vec<&str> {
    stem.split(['-', '_', '.', ' ']).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_name_that_was_meant() {
        for (name, meant) in [
            ("topo.txt", Some("nvidia-smi-topo-m.txt")),
            ("nvidia-smi-topo.txt", Some("nvidia-smi-topo-m.txt")),
            ("nvidia_smi_topo_m.txt", Some("nvidia-smi-topo-m.txt")),
            ("nvidia-smi-q.json", Some("nvidia-smi-q.xml")),
            ("numactl.txt", Some("numactl-H.txt")),
            ("lscpi-vvv.txt", Some("lspci-vvv.txt")),
            ("holiday.txt", None),
        ] {
            assert_eq!(near(name), meant, "{name}");
        }
    }

    #[test]
    fn what_is_read_or_own_or_no_output_is_not_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::Folder(folder.path());
        for name in file_names().chain(OWN).chain(["README.md", ".hidden.txt"]) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        for (within, endings) in FOLDERS {
            fs::create_dir(folder.path().join(within)).unwrap();
            for ending in endings {
                fs::write(folder.path().join(within).join(format!("a.{ending}")), "").unwrap();
            }
        }
        assert_eq!(unread(files), None);
        fs::write(folder.path().join("nccl-tests/a.log"), "").unwrap();
        fs::write(folder.path().join("nccl-log/b"), "").unwrap();
        let told = "not read: nccl-tests/a.log, nccl-log/b (did you mean nccl-log/b.txt?)";
        assert_eq!(unread(files).as_deref(), Some(told));
        (0..9).for_each(|at| fs::write(folder.path().join(format!("zz{at}.txt")), "").unwrap());
        assert!(unread(files).is_some_and(|told| told.ends_with(", and 3 more")));
    }
}
