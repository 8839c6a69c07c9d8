//! What linkspec's work takes: median of several runs of the real binary, and its peak memory, as a Markdown table.
//!
//! `cargo bench` prints it, and `cargo bench -- WORD` the rows with that word. Stand-ins are made by
//! `cargo build --release --examples`. No test depends on it.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot go on says where it stopped")]

#[path = "../tests/fakes/library.rs"]
mod library;
#[path = "../tests/machines/mod.rs"]
#[expect(dead_code, unused_imports, reason = "tests have more machines, and change them in many ways")]
mod machines;

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use library::stand_in;
use machines::{Machine, Rebuilt, hgx_h100};

const RUNS: usize = 7;

/// One row of the table.
#[derive(Clone)]
struct Work {
    name: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
    /// What it ends with, where that shows that it did the work.
    code: Option<i32>,
    /// What it may take at most on two cores, in seconds and MiB.
    bar: Option<(f64, u64)>,
}

impl Work {
    fn new(name: impl Into<String>, arguments: &[&str], bar: Option<(f64, u64)>) -> Self {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self { name: name.into(), arguments, environment: Vec::new(), code: None, bar }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|word| word == "--one-run") {
        return one_run(&arguments[at + 1..]);
    }
    let folder = tempfile::tempdir().unwrap();
    let (hgx, bare) = (hgx_h100().build(), bare().build());
    let work = [work(folder.path()), live(&hgx, &bare, folder.path())].concat();
    println!("| work | median | peak memory | bar |\n| --- | --- | --- | --- |");
    let wanted = arguments.iter().skip(1).find(|word| !word.starts_with("--"));
    for row in work.iter().filter(|row| wanted.is_none_or(|word| row.name.contains(word.as_str()))) {
        let (median, peak) = measure(row, folder.path());
        let bar = row.bar.map_or_else(String::new, |(seconds, mib)| format!("{seconds} s, {mib} MiB"));
        println!("| {} | {:.3} s | {:.1} MiB | {bar} |", row.name, median.as_secs_f64(), peak as f64 / 1024.0);
    }
}

fn work(folder: &Path) -> Vec<Work> {
    let mut rows = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    rows.push(Work::new("`--version`", &["--version"], Some((0.005, 20))));
    let pack = largest_pack(&root.join("specs"));
    let name = pack.file_name().unwrap().to_string_lossy();
    rows.push(Work::new(format!("`list` of specs/{name}"), &["list", pack.to_str().unwrap()], Some((0.015, 20))));
    for cases in [1_000, 10_000, 100_000] {
        let spec = matrix(folder, cases);
        let bar = (cases == 100_000).then_some((0.3, 150));
        rows.push(Work::new(format!("`list` of {cases} cases"), &["list", &spec], bar));
    }
    let host = root.join("recordings/h200-x2");
    for cases in [1_000, 10_000, 100_000] {
        let spec = matrix(folder, cases);
        let bar = (cases == 10_000).then_some((0.8, 200));
        let judged = ["run", &spec, "--host", host.to_str().unwrap(), "--out", "out"];
        rows.push(Work::new(format!("{cases} cases judged, all reports"), &judged, bar));
    }
    for megabytes in [1, 10, 100] {
        for (name, place, line) in TEXTS {
            let host = text(folder, place, line, megabytes);
            let spec = one_size(folder);
            let bar = (megabytes == 100).then_some((0.5, 50));
            let read = ["run", &spec, "--host", &host, "--out", "out"];
            rows.push(Work::new(format!("{name} of {megabytes} MB read and judged"), &read, bar));
        }
    }
    rows
}

/// What reads a machine where it stands, rebuilt in a folder, with stand-ins for the vendors' libraries.
fn live(hgx: &Rebuilt, bare: &Rebuilt, folder: &Path) -> Vec<Work> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/hgx-h100.yaml");
    let quick = [spec.to_str().unwrap(), "--level", "quick", "--out", "out"];
    let (read, captured, judged) = ("read and judged", "captured", "a capture of it judged");
    let hgx_is = |what: &str| format!("HGX H100 of 8 GPUs and 12 NICs, {what}");
    let capture = folder.join("capture");
    let host = ["--host", capture.to_str().unwrap()];
    vec![
        Work { code: Some(0), ..Work::new(hgx_is(read), &quick, Some((0.06, 50))) }.on(hgx),
        Work { code: Some(3), ..Work::new("a server without GPUs, read and judged", &quick, Some((0.5, 50))) }.on(bare),
        Work { code: Some(0), ..Work::new(hgx_is(captured), &["capture", "capture"], Some((0.06, 50))) }.on(hgx),
        Work { code: Some(0), ..Work::new(hgx_is(judged), &[&quick[..], &host].concat(), None) },
    ]
}

/// A server without a driver, ROCm and RDMA.
fn bare() -> Machine {
    let mut machine = hgx_h100();
    machine.pci.clear();
    machine.rdma.clear();
    machine.host.modules.clear();
    machine.nvml = serde_json::Value::Null;
    machine
}

impl Work {
    /// The same on a rebuilt machine.
    fn on(mut self, machine: &Rebuilt) -> Self {
        let library = |name: &str| stand_in(name).to_str().unwrap().to_owned();
        self.arguments.extend(["--sysroot".to_owned(), machine.root().to_str().unwrap().to_owned()]);
        if machine.root().join("proc/driver/nvidia").exists() {
            self.arguments.extend(["--nvml-library".to_owned(), library("fake_nvml")]);
            self.arguments.extend(["--verbs-library".to_owned(), library("fake_verbs")]);
        }
        self.environment = vec![("LINKSPEC_FAKE_NVML", machine.nvml()), ("LINKSPEC_FAKE_VERBS", machine.verbs())];
        self
    }
}

/// What large outputs are made of.
const TEXTS: [(&str, &str, &str); 3] = [
    (
        "a log of NCCL's choices",
        "nccl-log",
        "box:1697:1708 [0] NCCL INFO AllReduce: 8388608 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n",
    ),
    (
        "a log of NCCL's connections",
        "nccl-log",
        "box:1697:1708 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer\n",
    ),
    (
        "nccl-tests' output with log lines",
        "nccl-tests",
        "box:1697:1708 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f sendbuff 0x7f count 2 datatype 7 op 0 root 0 comm 0x5 [nranks=2] stream 0x5\n",
    ),
];

fn text(folder: &Path, place: &str, line: &str, megabytes: usize) -> String {
    let host = folder.join(format!("host-{place}-{}-{megabytes}", line.len()));
    fs::create_dir_all(host.join(place)).unwrap();
    let mut file = BufWriter::new(File::create(host.join(place).join("all-reduce.txt")).unwrap());
    for _ in 0..megabytes * 1_000_000 / line.len() {
        file.write_all(line.as_bytes()).unwrap();
    }
    file.flush().unwrap();
    host.to_str().unwrap().to_owned()
}

fn one_size(folder: &Path) -> String {
    let spec = "linkspec: 1\nsuite: s\ntests:\n  - name: all-reduce\n    collective: { op: all_reduce, sizes: [1G] }\n";
    let path = folder.join("one-size.yaml");
    fs::write(&path, spec).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A spec whose matrix has so many cells.
fn matrix(folder: &Path, cases: usize) -> String {
    let values = |count: usize| (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>().join(", ");
    let spec = format!(
        "linkspec: 1\nsuite: many\ntests:\n  - name: links\n    topology: {{ between: [gpu, gpu], require: NV18 }}\n    \
         matrix: {{ env: {{ BENCH_A: [{}], BENCH_B: [{}] }} }}\n",
        values(100),
        values(cases / 100)
    );
    let path = folder.join(format!("matrix-{cases}.yaml"));
    fs::write(&path, spec).unwrap();
    path.to_str().unwrap().to_owned()
}

fn largest_pack(folder: &Path) -> PathBuf {
    let packs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    packs
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap()
}

/// The median time and the largest peak memory in KiB.
fn measure(work: &Work, folder: &Path) -> (Duration, u64) {
    let mut times = Vec::new();
    let mut peak = 0;
    for _ in 0..RUNS {
        if work.arguments[0] == "capture" {
            // Nothing is captured over what is there.
            let _ = fs::remove_dir_all(folder.join(&work.arguments[1]));
        }
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.envs(work.environment.iter().map(|(name, value)| (name, value)));
        let output = command.arg("--one-run").args(&work.arguments).current_dir(folder).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let [nanoseconds, kib, code] = text.split_whitespace().collect::<Vec<_>>().try_into().unwrap();
        assert!(work.code.is_none_or(|wanted| code == wanted.to_string()), "{} ended with {code}", work.name);
        times.push(Duration::from_nanos(nanoseconds.parse().unwrap()));
        peak = peak.max(kib.parse().unwrap());
    }
    times.sort();
    (times[RUNS / 2], peak)
}

/// One run in a process of its own, whose only child it is: so that the peak memory is that child's.
fn one_run(arguments: &[String]) {
    let began = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkspec"));
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let took = began.elapsed();
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).unwrap();
    println!("{} {} {}", took.as_nanos(), usage.max_rss(), status.code().unwrap_or(-1));
}
