//! Every shipped pack against the recordings of its servers, one libtest case per case of the pack, so that
//! `cargo nextest` lists, filters and reports them like any other test.
//!
//! Listing reads specs only. A case fails here when it fails or could not be judged; one that the recording's file
//! `expected` names after `fail` must fail, as `#[should_panic]` has it; a skip is ignored. With `LINKSPEC_SPEC` and
//! `LINKSPEC_HOST` set, that spec is driven on that recorded host instead.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where it stopped")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, OnceLock},
};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use linkspec::{
    plan::{IgnoredTests, OperatorEnvironment, Plan, Selection, plan},
    probe,
    record::{CaseRecord, RunRecord},
    run::{Happening, Interrupt, Machine, MeasureOptions, RepeatCommand, SuiteRun},
    spec::load,
    verdict::Outcome,
};

/// One spec on one recorded host; judged once, whichever of its cases is asked for first.
struct Bench {
    name: String,
    plan: Plan,
    host: PathBuf,
    must_fail: Vec<String>,
    judged: OnceLock<BTreeMap<String, CaseRecord>>,
}

impl Bench {
    fn new(name: &str, spec: &Path, host: PathBuf, must_fail: Vec<String>) -> Arc<Self> {
        let loaded = load(spec, &[]).unwrap_or_else(|error| panic!("{}", error.render(false)));
        let suite = loaded.suite.unwrap_or_else(|| panic!("{} is a fragment", spec.display()));
        let plan = plan(&suite, &Selection::default()).unwrap();
        Arc::new(Self { name: name.to_owned(), plan, host, must_fail, judged: OnceLock::new() })
    }

    fn judged(&self) -> &BTreeMap<String, CaseRecord> {
        self.judged.get_or_init(|| {
            let machine = Machine::Saved(Box::new(probe::open(&self.host).unwrap()));
            let run = SuiteRun {
                plan: &self.plan,
                machine: &machine,
                operator: &OperatorEnvironment::default(),
                ignored: IgnoredTests::Shown,
                commands_allowed: false,
                repeat: &RepeatCommand::default(),
                interrupt: &Interrupt::listen().unwrap(),
                warnings: Vec::new(),
                finished: BTreeMap::new(),
                folder: PathBuf::new(),
                measure: MeasureOptions::default(),
            };
            let mut events = Vec::new();
            let header = run.header(machine.before());
            run.run(header, &mut |happening| {
                if let Happening::Event(event) = happening {
                    events.push(event);
                }
                Ok(())
            })
            .unwrap();
            let record = RunRecord::from_events(events).unwrap();
            record.cases.into_iter().map(|case| (case.name.clone(), case)).collect()
        })
    }

    fn case(&self, name: &str) -> Result<Completion, Failed> {
        let case = self.judged().get(name).unwrap_or_else(|| panic!("{name} was not judged"));
        let findings: Vec<&str> = case.verdict.findings.iter().map(|finding| finding.message.as_str()).collect();
        let told = format!("{}: {}", case.verdict.outcome, findings.join("\n  "));
        match (case.verdict.outcome, self.must_fail.iter().any(|known| known == name)) {
            (Outcome::Pass, false) | (Outcome::Fail, true) => Ok(Completion::Completed),
            (Outcome::Skip, false) => {
                Ok(Completion::ignored_with(case.verdict.skip_reason.clone().unwrap_or_default()))
            }
            (_, true) => Err(format!("this case must fail on the recording, but: {told}").into()),
            (Outcome::Fail | Outcome::Error, false) => Err(told.into()),
        }
    }
}

fn trials(bench: &Arc<Bench>) -> Vec<Trial> {
    let trial = |name: String| {
        let bench = Arc::clone(bench);
        Trial::ignorable_test(format!("{}::{name}", bench.name), move || bench.case(&name))
    };
    bench.plan.cases.iter().map(|case| trial(case.name())).collect()
}

/// The benches of the shipped recordings.
fn shipped() -> Vec<Arc<Bench>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root.join("recordings")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let expected = fs::read_to_string(folder.join("expected")).unwrap();
            let (first, rest) = expected.split_once('\n').unwrap();
            let pack = first.split_whitespace().next().unwrap();
            let must_fail = rest.lines().filter_map(|line| line.strip_prefix("fail ")).map(str::to_owned).collect();
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            Bench::new(&name, &root.join(format!("specs/{pack}.yaml")), folder, must_fail)
        })
        .collect()
}

/// This binary driven as nextest drives it, on a spec and a host of its own.
fn driven(host: &Path, spec: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spec.yaml");
    fs::write(&file, spec).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).env("LINKSPEC_SPEC", file).env("LINKSPEC_HOST", host);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// The protocol between a test binary and nextest, without nextest.
fn protocol() -> Vec<Trial> {
    const SPEC: &str = "\
linkspec: 1
suite: s
tests:
  - { name: right, topology: { between: [gpu, gpu], require: NV18 } }
  - { name: wrong, topology: { between: [gpu, gpu], require: NV12 } }
  - { name: unknown, rdma_ports: { devices: [mlx5_0], state: Active } }
  - { name: skipped, skip_when: { gpus: 2, reason: two GPUs }, host: { numa_nodes: 7 } }
";
    let host = || Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/h200-x2");
    let listing = || {
        let listed = driven(Path::new("/no/such/host"), SPEC, &["--list", "--format", "terse"]);
        let names = ["right", "wrong", "unknown", "skipped"].map(|name| format!("host::s::{name}: test\n"));
        assert_eq!(listed, (Some(0), names.concat()));
        Ok(())
    };
    let one_case = move || {
        for (name, code, word) in [
            ("right", 0, "... ok"),
            ("wrong", 101, "... FAILED"),
            ("unknown", 101, "... FAILED"),
            ("skipped", 0, "... ignored"),
        ] {
            let (got, text) = driven(&host(), SPEC, &[&format!("host::s::{name}"), "--exact", "--nocapture"]);
            assert_eq!((got, text.contains(word)), (Some(code), true), "{name}: {text}");
            assert!(text.contains("running 1 test"), "{text}");
        }
        Ok(())
    };
    vec![
        Trial::test("protocol::listing_reads_no_host", listing),
        Trial::test("protocol::one_case_runs_by_its_exact_name", one_case),
    ]
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match (std::env::var_os("LINKSPEC_SPEC"), std::env::var_os("LINKSPEC_HOST")) {
        (Some(spec), Some(host)) => trials(&Bench::new("host", Path::new(&spec), host.into(), Vec::new())),
        _ => shipped().iter().flat_map(trials).chain(protocol()).collect(),
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
