//! Mutated specs and outputs: no panic and no hang.
//!
//! A few thousand run with every `cargo test`; `LINKSPEC_MUTATIONS=1000000 cargo test --release --test mutations` runs
//! as many as one likes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use linkspec::{
    facts::{Facts, Origin},
    plan::{Selection, plan},
    probe::texts,
    spec::{Level, load},
    verdict::{Evidence, judge},
};

/// No mutation of a small file may take longer than this, in a debug build on a busy machine.
const LONGEST: Duration = Duration::from_secs(10);

/// A small generator: the same mutations every time, and no dependency.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // Constants of Knuth's MMIX generator; the high bits are good enough to choose by.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end.max(1)
    }
}

/// Fragments that parsers trip over.
const TRAPS: [&str; 24] = [
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\u{1b}[4m",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "<<: ",
    "~",
    "\"",
    "'",
    "$x",
    "---\n",
    "99999999999999999999",
    "-1",
    "N/A",
    "NODENODE",
    "é",
];

fn mutated(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        let end = (at + 1 + random.below(40)).min(chars.len());
        match random.below(6) {
            0 => chars.truncate(at),
            1 if at < end => drop(chars.drain(at..end)),
            2 if at < end => {
                let copied: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copied);
            }
            3 if at < chars.len() => chars[at] = char::from_u32(32 + u32::try_from(random.below(95)).unwrap()).unwrap(),
            4 if at < chars.len() => {
                let other = random.below(chars.len());
                chars.swap(at, other);
            }
            _ => drop(chars.splice(at..at, TRAPS[random.below(TRAPS.len())].chars())),
        }
    }
    chars.into_iter().collect()
}

fn count(default: usize) -> usize {
    std::env::var("LINKSPEC_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

#[test]
fn mutated_specs() {
    let mut specs = files("specs", "yaml");
    let shipped = specs.len();
    specs.extend(files("tests/golden/bad-specs", "yaml"));
    let texts: Vec<String> = specs.iter().filter_map(|spec| fs::read_to_string(spec).ok()).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mutated.yaml");
    let (mut random, mut accepted) = (Random(1), 0);
    let mut slowest = Duration::ZERO;
    let count = count(2_000);
    for _ in 0..count {
        // Every other one begins as a spec that is right, so that what comes after reading is reached too.
        let origin = if random.below(2) == 0 { random.below(shipped) } else { random.below(texts.len()) };
        let text = mutated(&texts[origin], &mut random);
        fs::write(&file, &text).unwrap();
        let began = Instant::now();
        match load(&file, &[]) {
            Ok(loaded) => {
                accepted += 1;
                if let Some(suite) = loaded.suite {
                    let everything = Selection { level: Some(Level::Soak), ..Selection::default() };
                    let _ = plan(&suite, &everything)
                        .map(|plan| plan.cases.iter().map(|case| case.name().len()).sum::<usize>());
                }
            }
            Err(error) => assert!(!error.render(false).trim().is_empty(), "an error that says nothing:\n{text}"),
        }
        slowest = slowest.max(began.elapsed());
        assert!(began.elapsed() < LONGEST, "{:?} for:\n{text}", began.elapsed());
    }
    println!("{count} mutated specs, {accepted} accepted, the slowest took {slowest:?}");
}

#[test]
fn mutated_outputs() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/h200-x2.yaml");
    // A spec that the recording violates, so that the judge has findings to write.
    let violated = fs::read_to_string(spec).unwrap().replace("require: NV18", "require: NV12");
    let violated =
        violated.replace("nvlinks_active: 18", "nvlinks_active: 12").replace("read: ok", "read: not-supported");
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("violated.yaml");
    fs::write(&spec, violated).unwrap();
    let suite = load(&spec, &[]).unwrap().suite.unwrap();
    let cases = plan(&suite, &Selection::default()).unwrap().cases;
    let cases: Vec<_> =
        cases.iter().filter(|case| ["nvlink-mesh", "peer-to-peer", "nvlinks"].contains(&case.test_name())).collect();
    assert_eq!(cases.len(), 3);
    let names: Vec<&str> = texts::file_names().collect();
    let recorded: BTreeMap<String, String> =
        names.iter().filter_map(|name| Some(((*name).to_owned(), fs::read_to_string(recording(name)).ok()?))).collect();
    let (mut random, count) = (Random(2), count(1_000));
    for _ in 0..count {
        let mut files = recorded.clone();
        for _ in 0..=random.below(2) {
            // Any text may also stand under another tool's name.
            let from = recorded.keys().nth(random.below(recorded.len())).unwrap();
            let to = if random.below(4) == 0 { names[random.below(names.len())] } else { from };
            let text = mutated(&recorded[from], &mut random);
            files.insert(to.to_owned(), text);
        }
        let began = Instant::now();
        let facts = texts::read_all(&files, Facts::new(Origin::Saved { path: "mutated".into() }));
        for case in &cases {
            let evidence = Evidence {
                before: &facts,
                after: None,
                command: None,
                collectives: &BTreeMap::new(),
                operator: None,
                live: false,
            };
            judge(case, &evidence);
        }
        assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    }
    println!("{count} mutated folders");
}

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/h200-x2").join(name)
}
