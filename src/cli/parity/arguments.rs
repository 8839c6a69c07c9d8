use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::{
    cli::arguments::MachineArguments,
    collective::{Ablation, Datatype, Reduction},
    parity::Wanted,
    spec::{GpuSelection, Operation, Pin},
    units::Size,
};

/// `parity`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ParityArguments {
    /// The folder of an installed nccl-tests or rccl-tests that was built with MPI: all_reduce_perf, or build/ with it
    #[arg(long, value_name = "DIR")]
    pub(super) nccl_tests: PathBuf,
    /// The operation
    #[arg(long, value_name = "NAME", default_value = "all_reduce", value_parser = operation)]
    pub(super) op: Operation,
    /// The least size
    #[arg(long, value_name = "SIZE", default_value = "8")]
    pub(super) from: Size,
    /// The largest size; it also decides the buffers, so that only runs to the same size compare
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    pub(super) to: Size,
    /// What each size is multiplied with for the next
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..))]
    pub(super) factor: u64,
    /// Timed iterations per size
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) iterations: u32,
    /// Iterations before the timed ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) warmup: u32,
    /// Pairs of runs; fewer than 7 are for orientation only
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) pairs: u16,
    /// The GPUs: all, a count, or a list such as 4-7 or 0,2
    #[arg(long, value_name = "GPUS", default_value = "all")]
    pub(super) gpus: GpuSelection,
    /// The type of the elements
    #[arg(long, value_name = "NAME", default_value = "float", value_parser = datatype)]
    pub(super) datatype: Datatype,
    /// The reduction
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = reduction)]
    pub(super) redop: Reduction,
    /// What starts nccl-tests' processes, with {ranks} for their number; no shell reads it [default: mpirun -np {ranks}
    /// --bind-to none, and -x for each variable]
    #[arg(long, value_name = "COMMAND")]
    pub(super) launcher: Option<String>,
    /// Where all processes of both sides run: gpu-local, gpu-remote, node:N, cpus:LIST or none [default: gpu-local where
    /// that is one place for all]
    #[arg(long, value_name = "PIN")]
    pub(super) pin: Option<Pin>,
    /// Set an environment variable for both sides; NAME alone removes it
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) env: Vec<String>,
    /// Pin an environment variable, for both sides; also LINKSPEC_PIN_ENV, with blanks between several
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) pin_env: Vec<String>,
    /// The folder for parity.md, parity.json, the figures of each run of nccl-tests, and logs
    #[arg(long, value_name = "DIR", default_value = "linkspec-out/parity")]
    pub(super) out: PathBuf,
    /// Take out of linkspec's side what decides a figure, to see what it is worth: rotation, library-memory,
    /// shared-barrier, quiet-log, centric-scheduling, blocking-communicator or data. The verdict is then only shown
    #[arg(long, value_name = "NAME", value_parser = ablation)]
    pub(super) without: Vec<Ablation>,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

impl ParityArguments {
    /// The sweep that both sides run.
    pub(super) fn wanted(&self) -> Result<Wanted> {
        let wanted = Wanted {
            operation: self.op,
            datatype: self.datatype,
            reduction: self.redop,
            from: self.from.bytes(),
            to: self.to.bytes(),
            factor: self.factor,
            iterations: self.iterations,
            warmup: self.warmup,
        };
        if wanted.from < self.datatype.bytes() {
            bail!("--from {}: an element of {} takes {} bytes", self.from, self.datatype.name(), self.datatype.bytes());
        }
        if !wanted.arrives() {
            let (from, to, factor) = (self.from, self.to, self.factor);
            bail!(
                "--to {to}: {from} and its multiples by {factor} do not arrive there; nccl-tests would make its buffers \
                 larger than its largest size, and linkspec not"
            );
        }
        Ok(wanted)
    }
}

fn operation(text: &str) -> Result<Operation, String> {
    match text {
        "all_reduce" => Ok(Operation::AllReduce),
        _ => Err("all_reduce is the one that linkspec compares".to_owned()),
    }
}

fn datatype(text: &str) -> Result<Datatype, String> {
    Datatype::named(text).ok_or_else(|| one_of(&Datatype::NAMES))
}

fn reduction(text: &str) -> Result<Reduction, String> {
    Reduction::named(text).ok_or_else(|| one_of(&Reduction::NAMES))
}

fn ablation(text: &str) -> Result<Ablation, String> {
    let found = Ablation::NAMES.iter().find(|(name, _)| *name == text);
    found.map(|(_, ablation)| *ablation).ok_or_else(|| one_of(&Ablation::NAMES))
}

fn one_of<T>(names: &[(&str, T)]) -> String {
    let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    format!("one of {}", names.join(", "))
}
