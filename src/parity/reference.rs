use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{
    RunError, Wanted,
    command::command,
    compare,
    leftovers::{MARK, end_leftovers},
    stripped::stripped,
    told::refused,
    turns::Run,
};
use crate::{
    evidence::{LoadedLibrary, Measurement, read_nccl_tests_json},
    ground::Placement,
    plan::{EnvironmentOrigin, ResolvedVariable},
    run::{Interrupt, replace_atomically, run_command},
    spec::EnvironmentValue,
    sys::place,
    verdict::CommandOutput,
};

/// How long one run of nccl-tests may take.
const DEADLINE: Duration = Duration::from_secs(600);
/// The line that names the file of the figures (nccl-tests: src/util.cu).
const ANNOUNCED: &str = "# Writing JSON output to ";
/// How many lines of an output an error quotes.
const QUOTED: usize = 3;

/// An installed nccl-tests, and how it is run.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The program, with its path.
    pub program: PathBuf,
    /// The launcher, word by word.
    pub launcher: Vec<String>,
    /// The GPUs' PCI addresses in the order of the ranks.
    pub gpus: Vec<String>,
    /// The sweep.
    pub wanted: Wanted,
    /// Where all of its processes run.
    pub placement: Placement,
    /// Variables over this process's own; `None` removes one.
    pub environment: BTreeMap<String, Option<String>>,
    /// The folder that keeps the figures of each run.
    pub out: PathBuf,
}

/// The program below the folder that was named: as installed, or as built.
pub fn find(folder: &Path, wanted: &Wanted) -> Result<PathBuf, String> {
    let program = wanted.program();
    let places = [folder.join(&program), folder.join("build").join(&program)];
    // A launcher may start its processes elsewhere.
    let found = places.into_iter().find(|path| path.is_file()).map(|path| path.canonicalize());
    match found {
        Some(path) => path.map_err(|error| format!("{}: {error}", folder.display())),
        None => Err(format!(
            "{}: neither {program} nor build/{program} is there; name the folder where nccl-tests was built with \
             `make MPI=1`",
            folder.display()
        )),
    }
}

impl Reference {
    /// The command line of a run that writes its figures into `json`.
    pub fn command(&self, json: &Path) -> Vec<String> {
        let ranks = u32::try_from(self.gpus.len()).unwrap_or(u32::MAX);
        command(&self.launcher, ranks, &self.program, &self.wanted, json)
    }

    /// Makes a run.
    pub fn run(&self, run: usize, interrupt: &Interrupt) -> Result<Run, RunError> {
        // Its file holds the whole environment: only this user may read it, and it goes.
        let folder = tempfile::tempdir().map_err(|error| RunError::Failed(format!("a temporary folder: {error}")))?;
        let json = folder.path().join("figures.json");
        let (output, seconds) = self.launch(run, &json, interrupt)?;
        let (measurement, jobs) = self.figures(&output, run).map_err(RunError::Failed)?;
        if let Some(why) = refused(&measurement, jobs, &self.wanted, &self.gpus) {
            return Err(RunError::Failed(why));
        }
        let times = compare::theirs(&measurement).map_err(|error| RunError::Failed(error.to_string()))?;
        let library = measurement.library.map(|version| version.0);
        let version = library.ok_or_else(|| RunError::Failed("it tells no version of its library".to_owned()))?;
        let library = LoadedLibrary { name: "NCCL".to_owned(), path: String::new(), version, fake: false };
        Ok(Run { times, library, stand_in: false, seconds })
    }

    fn launch(&self, run: usize, json: &Path, interrupt: &Interrupt) -> Result<(CommandOutput, f64), RunError> {
        let mark = format!("{}-{run}", std::process::id());
        let words = self.command(json);
        let variables = self.variables(&mark);
        let began = Instant::now();
        let placed = || {
            // Placed is the thread, and what it starts: never this process.
            place(self.placement.cpus.as_ref(), self.placement.nodes.as_ref())?;
            Ok(run_command(&words, &variables, DEADLINE, interrupt))
        };
        let output = thread::scope(|scope| scope.spawn(placed).join());
        let seconds = began.elapsed().as_secs_f64();
        let left = end_leftovers(&mark);
        if interrupt.is_set() {
            return Err(RunError::Interrupted);
        }
        let output: CommandOutput =
            output.unwrap_or_else(|_| Err("its thread ended".to_owned())).map_err(RunError::Failed)?;
        left.and_then(|()| ended(&output, &self.launcher)).map_err(RunError::Failed)?;
        Ok((output, seconds))
    }

    fn variables(&self, mark: &str) -> Vec<ResolvedVariable> {
        let mark = (MARK.to_owned(), Some(mark.to_owned()));
        let variables = self.environment.clone().into_iter().chain([mark]);
        let resolved = variables.map(|(name, value)| ResolvedVariable {
            name,
            value: value.map_or(EnvironmentValue::Removed, EnvironmentValue::Set),
            origin: EnvironmentOrigin::CommandLine,
        });
        resolved.collect()
    }

    /// What it measured, which is kept, and how many files of figures it announced.
    fn figures(&self, output: &CommandOutput, run: usize) -> Result<(Measurement, usize), String> {
        let announced: Vec<&str> =
            output.stdout.lines().filter_map(|line| line.trim().split_once(ANNOUNCED)).map(|(_, path)| path).collect();
        let [path, ..] = announced.as_slice() else {
            let skipped = output.stdout.lines().find(|line| line.contains("skipping json output"));
            return Err(match skipped {
                Some(line) => format!("it wrote no figures: {}", line.trim()),
                None => "it announced no file of figures: nccl-tests 2.17.4 and newer have -J".to_owned(),
            });
        };
        let path = path.trim();
        let text = fs::read_to_string(path).map_err(|error| format!("its figures, {path}: {error}"))?;
        let name = format!("nccl-tests-{run}.json");
        if let Some(kept) = stripped(&text) {
            let place = self.out.join(&name);
            replace_atomically(&place, &kept).map_err(|error| format!("{}: {error}", place.display()))?;
        }
        Ok((read_nccl_tests_json(&text, &name), announced.len()))
    }
}

/// Whether the launcher came to its end and says that all is well.
fn ended(output: &CommandOutput, launcher: &[String]) -> Result<(), String> {
    match (&output.problem, output.exit) {
        (None, Some(0)) => Ok(()),
        (Some(problem), _) if problem.contains("could not be started") => {
            let launcher = launcher.first().map_or("", String::as_str);
            Err(format!("{problem}; install what provides {launcher}, or name another launcher with --launcher"))
        }
        (Some(problem), _) => Err(with_words(problem, output)),
        (None, Some(code)) => Err(with_words(&format!("it ended with exit code {code}"), output)),
        (None, None) => Err(with_words("how it ended is not known", output)),
    }
}

/// A problem with the last lines of what was said.
fn with_words(problem: &str, output: &CommandOutput) -> String {
    let said = |text: &str| text.lines().any(|line| !line.trim().is_empty());
    let text = if said(&output.stderr) { &output.stderr } else { &output.stdout };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(QUOTED)..).unwrap_or_default();
    if last.is_empty() { problem.to_owned() } else { format!("{problem}: {}", last.join(" / ")) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::parity::{compare::Key, default_launcher, wanted::tests::WANTED};

    /// An nccl-tests that is played, with a fault or none.
    struct Bench {
        folder: tempfile::TempDir,
        reference: Reference,
    }

    impl Bench {
        fn new(fault: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let script = |name: &str, text: &str| {
                let path = folder.path().join(name);
                fs::write(&path, text).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
                path
            };
            fs::create_dir(folder.path().join("build")).unwrap();
            script("build/all_reduce_perf", include_str!("../../tests/fakes/nccl-tests/all_reduce_perf"));
            let mpirun = script("mpirun", include_str!("../../tests/fakes/nccl-tests/mpirun"));
            let set = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
            let environment =
                [set("FAKE_FAULT", fault), set("NCCL_ALGO", "Ring"), ("NCCL_GONE".to_owned(), None)].into();
            let mut launcher = default_launcher(true, ["NCCL_ALGO"]);
            launcher[0] = mpirun.display().to_string();
            let reference = Reference {
                program: find(folder.path(), &WANTED).unwrap(),
                launcher,
                gpus: vec!["0000:1b:00.0".into(), "0000:1c:00.0".into()],
                wanted: WANTED,
                placement: Placement::default(),
                environment,
                out: folder.path().to_owned(),
            };
            Self { folder, reference }
        }

        fn run(&self) -> Result<Run, RunError> {
            self.reference.run(1, &Interrupt::default())
        }

        fn cause(&self) -> String {
            match self.run() {
                Err(RunError::Failed(cause)) => cause,
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_run_gives_its_figures_and_keeps_them_without_secrets() {
        let bench = Bench::new("");
        let run = bench.run().unwrap();
        let keys: Vec<Key> = run.times.keys().copied().collect();
        assert_eq!(keys.len(), 6);
        assert_eq!(keys.last(), Some(&Key { size: 32, in_place: true }));
        assert!(run.times.values().all(|time| *time == 10.0));
        assert_eq!((run.library.version.as_str(), run.stand_in), ("2.28.9", false));
        assert!(run.seconds > 0.0);
        let kept = fs::read_to_string(bench.folder.path().join("nccl-tests-1.json")).unwrap();
        assert!(kept.contains("NCCL_ALGO=Ring") && kept.contains("NCCL_GONE=gone"), "{kept}");
        assert!(!kept.contains("hunter2"), "{kept}");
    }

    #[test]
    fn what_goes_wrong_is_told_with_its_cure() {
        for (fault, told) in [
            ("no-mpi", "its ranks list shows 2 separate jobs, not one of 2 ranks: it was built without MPI"),
            ("fail", "it ended with exit code 3: Test NCCL failure common.cu:1 'unhandled cuda error'"),
            ("unwritable", "it wrote no figures: # skipping json output; "),
            ("wrong", "8 out of place: 2 elements arrived wrong"),
        ] {
            let cause = Bench::new(fault).cause();
            assert!(cause.starts_with(told), "{fault}: {cause}");
        }
        let mut bench = Bench::new("");
        bench.reference.launcher[0] = "/no/such/mpirun".into();
        let cause = bench.cause();
        assert!(cause.starts_with("/no/such/mpirun could not be started: "), "{cause}");
        assert!(cause.ends_with("or name another launcher with --launcher"), "{cause}");
    }

    #[test]
    fn an_interruption_leaves_nothing() {
        let bench = Bench::new("hang");
        let interrupt = Interrupt::default();
        let asked = interrupt.clone();
        let began = Instant::now();
        let ended = thread::scope(|scope| {
            let run = scope.spawn(|| bench.reference.run(77, &interrupt));
            thread::sleep(Duration::from_millis(500));
            asked.ask();
            run.join().unwrap()
        });
        assert_eq!(ended, Err(RunError::Interrupted));
        assert!(began.elapsed() < Duration::from_secs(60));
        let mark = format!("{MARK}={}-77", std::process::id());
        let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        });
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_folder_without_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let why = find(folder.path(), &WANTED).unwrap_err();
        assert!(why.contains(": neither all_reduce_perf nor build/all_reduce_perf is there; "), "{why}");
        fs::write(folder.path().join("all_reduce_perf"), "").unwrap();
        assert!(find(folder.path(), &WANTED).unwrap().ends_with("all_reduce_perf"));
    }
}
