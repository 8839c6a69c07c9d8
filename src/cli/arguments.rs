//! The command line as clap reads it.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::parity::ParityArguments;
use crate::{probe::SourceName, spec::Level};

/// Acceptance tests for the links of GPU servers.
#[derive(Debug, Parser)]
#[command(name = "linkspec", version, about, after_help = AFTER_HELP, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

const AFTER_HELP: &str = "\
`linkspec SPEC...` is `linkspec run SPEC...`.

Exit codes:
  0    all passed; of `demo` that it was shown, of `capture` that it was written, of `parity` that the figures agree
  1    a case failed, which wins over 3; of `parity` that the figures do not agree
  2    wrong usage, spec or output place
  3    a case could not be judged; of `parity` that nothing could be compared
  4    nothing selected, or nothing but skips
  130  interrupted";

/// The verbs.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Run specs against this machine, or against a recorded one with --host
    Run(RunArguments),
    /// List the cases of specs; no machine is looked at
    List(ListArguments),
    /// Read specs and warn of what can't be right
    Check(CheckArguments),
    /// Show the resolved spec, or what a case would run
    Explain(ExplainArguments),
    /// Print a JSON schema
    Schema(SchemaArguments),
    /// Render the reports of a run again from its journal
    Report(ReportArguments),
    /// Judge two constructed servers that are built in; no GPU and no file is needed
    Demo(DemoArguments),
    /// Write what is known of this machine into a folder that --host judges
    Capture(CaptureArguments),
    /// Compare linkspec's own figures with those of an installed nccl-tests, by turns
    Parity(ParityArguments),
    /// Read one source of this machine's facts
    #[command(hide = true)]
    ProbeSource(ProbeSourceArguments),
    /// Drive one GPU as a rank of a measurement
    #[command(hide = true)]
    Worker(WorkerArguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The names of the verbs, to tell them from specs and filters.
pub(super) const VERBS: [&str; 13] = [
    "run",
    "list",
    "check",
    "explain",
    "schema",
    "report",
    "demo",
    "capture",
    "parity",
    "probe-source",
    "worker",
    "completions",
    "help",
];

/// Specs, and which of their cases.
#[derive(Debug, Args)]
pub(super) struct CaseArguments {
    /// Specs (names that end in .yaml, .yml or .json, or pack:NAME) and name filters (anything else)
    #[arg(value_name = "SPEC|FILTER", required = true)]
    pub(super) positionals: Vec<String>,
    /// Filters and --skip are whole names
    #[arg(long)]
    pub(super) exact: bool,
    /// Leave out cases whose name contains this
    #[arg(long, value_name = "FILTER")]
    pub(super) skip: Vec<String>,
    /// Run this level and all below [default: standard]
    #[arg(long, value_enum)]
    pub(super) level: Option<Level>,
    /// Only cases of tests with this tag
    #[arg(long)]
    pub(super) tag: Vec<String>,
    /// Only tests that say `ignore`
    #[arg(long, conflicts_with = "include_ignored")]
    pub(super) ignored: bool,
    /// Also tests that say `ignore`
    #[arg(long)]
    pub(super) include_ignored: bool,
    /// Set a parameter of the spec
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) param: Vec<String>,
    /// Set an environment variable for every case; NAME alone removes it
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) env: Vec<String>,
    /// Set an environment variable that no spec may change; also LINKSPEC_PIN_ENV, with blanks between several
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) pin_env: Vec<String>,
    /// Colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

/// `run`.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) cases: CaseArguments,
    /// Judge saved outputs instead of this machine: a folder, a facts.json, a run.json, or the built-in demo:healthy and
    /// demo:faulty
    #[arg(long, value_name = "PATH")]
    pub(super) host: Option<PathBuf>,
    /// The folder for results; each suite gets a folder in it
    #[arg(long, value_name = "DIR", default_value = "linkspec-out")]
    pub(super) out: PathBuf,
    /// Go on with the run whose journal is in the results
    #[arg(long)]
    pub(super) resume: bool,
    /// Run no `command` tests
    #[arg(long)]
    pub(super) no_command: bool,
    /// Only list the cases
    #[arg(long)]
    pub(super) list: bool,
    /// Print libtest's lines instead of the console report
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Show what commands print
    #[arg(long)]
    pub(super) nocapture: bool,
    /// Seconds that one phase of a measurement (making the communicator, the timed loop of a size, ...) may take at most
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) phase_deadline: Option<Duration>,
    /// Accepted for libtest's sake: cases run one at a time
    #[arg(long, value_name = "N", hide = true)]
    pub(super) test_threads: Option<usize>,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

/// How the machine is read.
#[derive(Debug, Args)]
pub(super) struct MachineArguments {
    /// Read the machine below another root than /
    #[arg(long, value_name = "DIR", default_value = "/", hide = true)]
    pub(super) sysroot: PathBuf,
    /// Load NVML from here [default: libnvidia-ml.so.1 where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) nvml_library: Option<PathBuf>,
    /// Load libibverbs from here [default: libibverbs.so.1 where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) verbs_library: Option<PathBuf>,
    /// Load the CUDA driver from here [default: libcuda.so.1 where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) cuda_library: Option<PathBuf>,
    /// Load HIP from here [default: libamdhip64.so where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) hip_library: Option<PathBuf>,
    /// Load NCCL from here [default: libnccl.so.2 where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) nccl_library: Option<PathBuf>,
    /// Load RCCL from here [default: librccl.so.1 where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(super) rccl_library: Option<PathBuf>,
    /// Seconds that one step of reading the machine may take; what takes longer is unknown [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) probe_deadline: Option<Duration>,
}

impl MachineArguments {
    /// The libraries that are named, each with its option.
    pub(super) fn libraries(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let Self {
            sysroot: _,
            nvml_library,
            verbs_library,
            cuda_library,
            hip_library,
            nccl_library,
            rccl_library,
            probe_deadline: _,
        } = self;
        let named = [
            ("--nvml-library", nvml_library),
            ("--verbs-library", verbs_library),
            ("--cuda-library", cuda_library),
            ("--hip-library", hip_library),
            ("--nccl-library", nccl_library),
            ("--rccl-library", rccl_library),
        ];
        named.into_iter().filter_map(|(name, path)| path.as_ref().map(|path| (name, path)))
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "not a number of seconds above 0".to_owned())
}

/// `probe-source`: what linkspec runs as its own child.
#[derive(Debug, Args)]
pub(super) struct ProbeSourceArguments {
    /// The source
    #[arg(value_parser = source)]
    pub(super) source: SourceName,
    /// The process that hears the answers
    #[arg(long)]
    pub(super) parent: i32,
    /// Read one thing after another
    #[arg(long)]
    pub(super) alone: bool,
    /// Leave a thing out
    #[arg(long, value_name = "LANE")]
    pub(super) without: Vec<String>,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

fn source(text: &str) -> Result<SourceName, String> {
    SourceName::ALL.into_iter().find(|source| source.name() == text).ok_or_else(|| "no such source".to_owned())
}

/// `list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    pub(super) cases: CaseArguments,
    /// pretty and terse: one name per line; json: an array of objects
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(super) format: Format,
}

/// `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Specs and fragments
    #[arg(value_name = "SPEC", required = true)]
    pub(super) specs: Vec<PathBuf>,
    /// Set a parameter of the spec
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) param: Vec<String>,
    /// Colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

/// `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    #[command(flatten)]
    pub(super) cases: CaseArguments,
}

/// `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// Which one
    #[arg(value_enum, default_value_t = Schema::Spec)]
    pub(super) schema: Schema,
}

/// `report`.
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// A suite's folder of results, or a run.jsonl or run.json
    #[arg(value_name = "PATH")]
    pub(super) path: PathBuf,
    /// Where the reports go [default: beside the journal]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

/// `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArguments {
    /// The folder for results; each server gets a folder in it
    #[arg(long, value_name = "DIR", default_value = "linkspec-out/demo")]
    pub(super) out: PathBuf,
    /// Colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

/// `capture`.
#[derive(Debug, Args)]
pub(super) struct CaptureArguments {
    /// The folder; what it holds stays
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Write facts-after.json beside the facts.json of before a workload, so that counters can be judged
    #[arg(long)]
    pub(super) after: bool,
    /// Keep host names, serial numbers, UUIDs, GUIDs and addresses as they are
    #[arg(long)]
    pub(super) keep_identifiers: bool,
    /// Set an environment variable for what reads the machine; also LINKSPEC_PIN_ENV, with blanks between several
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) pin_env: Vec<String>,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

/// `worker`.
#[derive(Debug, Args)]
pub(super) struct WorkerArguments {
    /// The process that started this one
    #[arg(long, value_name = "PID")]
    pub(super) parent: i32,
}

/// The schemas.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Schema {
    /// Of specs and fragments
    Spec,
    /// Of facts.json
    Facts,
    /// Of run.json
    Run,
}

/// libtest's formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One line per case
    Pretty,
    /// Short
    Terse,
    /// Machine-readable
    Json,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether to colour what goes to a stream.
    pub(super) fn on(self, stream: &impl std::io::IsTerminal) -> bool {
        let wanted = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                stream.is_terminal()
                    && !wanted("NO_COLOR")
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}
