use serde::Deserialize;
use serde_json::value::RawValue;

use super::{place::figure, source::Source};
use crate::{
    evidence::{Measurement, Rank, Row, Sample, Wrong},
    facts::Damage,
};

/// One result of rccl-tests: one size in one place.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "numCycle")]
    cycle: Option<u64>,
    name: Option<String>,
    nodes: Option<u32>,
    /// Processes, not ranks.
    ranks: Option<u32>,
    #[serde(rename = "gpusPerRank", alias = "gpus")]
    gpus: Option<u32>,
    size: u64,
    #[serde(rename = "type")]
    datatype: Option<String>,
    redop: Option<String>,
    #[serde(rename = "inPlace")]
    in_place: u8,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow, rename = "algBw")]
    algbw: Option<&'a RawValue>,
    #[serde(borrow, rename = "busBw")]
    busbw: Option<&'a RawValue>,
    #[serde(rename = "wrong", alias = "#wrong")]
    wrong: Option<String>,
}

/// More ranks than this are a damaged number, not a job.
const MOST_RANKS: u32 = 1 << 16;

/// The list that rccl-tests writes once its run is done: where it is closed, the run came to its end.
pub(super) fn read<'a>(value: &'a RawValue, source: &Source<'a>) -> Result<Measurement, Damage> {
    let parts: Vec<&'a RawValue> = source.part(value, "results")?;
    let mut measurement = Measurement { tool: Some("rccl-tests".to_owned()), ..super::nothing(source.file) };
    let mut last: Option<(Option<u64>, Row)> = None;
    let mut said = Said::default();
    for part in parts {
        let (line, sample) =
            match source.object(part, "results").and_then(|line| Ok((sample(&line, part, source)?, line))) {
                Ok((sample, line)) => (line, sample),
                Err(damage) => {
                    measurement.damage.push(damage);
                    continue;
                }
            };
        said.see(&line);
        let row = row(&line, sample, u32::try_from(source.line(part)).unwrap_or(u32::MAX), source.file);
        match &mut last {
            Some((cycle, before)) if *cycle == line.cycle && fits(before, &row) => before.in_place = row.in_place,
            _ => measurement.rows.extend(last.replace((line.cycle, row)).map(|(_, row)| row)),
        }
    }
    measurement.rows.extend(last.map(|(_, row)| row));
    said.put(&mut measurement);
    measurement.unfinished = measurement.rows.is_empty().then(|| "it shows no results".to_owned());
    Ok(measurement)
}

/// Whether a row holds the in-place half of the one before.
fn fits(before: &Row, row: &Row) -> bool {
    (before.size, &before.datatype, &before.redop) == (row.size, &row.datatype, &row.redop)
        && before.in_place.is_none()
        && row.out_of_place.is_none()
}

fn row(line: &Line<'_>, sample: Sample, number: u32, file: &str) -> Row {
    Row {
        size: line.size,
        count: None,
        datatype: line.datatype.clone(),
        redop: line.redop.clone(),
        root: None,
        out_of_place: (line.in_place == 0).then_some(sample),
        in_place: (line.in_place == 1).then_some(sample),
        doubt: None,
        source: file.to_owned(),
        line: number,
    }
}

fn sample<'a>(line: &Line<'a>, part: &'a RawValue, source: &Source<'a>) -> Result<Sample, Damage> {
    let of = |key: &str, value| figure(value).map_err(|why| source.damage(part, format!("results.{key} {why}")));
    let wrong = match line.wrong.as_deref().map(str::trim) {
        None | Some("N/A") => Wrong::Unchecked,
        Some(count) => match count.parse() {
            Ok(count) => Wrong::Elements(count),
            Err(_) => return Err(source.damage(part, "results.wrong is no count")),
        },
    };
    if line.in_place > 1 {
        return Err(source.damage(part, "results.inPlace is neither 0 nor 1"));
    }
    let (time, algbw, busbw) = (of("time", line.time)?, of("algBw", line.algbw)?, of("busBw", line.busbw)?);
    Ok(Sample { time, algbw, busbw, wrong })
}

/// What every line says again: it holds for the whole file only where all say the same.
#[derive(Default)]
struct Said {
    operations: Vec<Option<String>>,
    ranks: Vec<Option<u32>>,
}

impl Said {
    fn see(&mut self, line: &Line<'_>) {
        let operation = line.name.as_deref().map(operation);
        if !self.operations.contains(&operation) {
            self.operations.push(operation);
        }
        let ranks = ranks(line);
        if !self.ranks.contains(&ranks) {
            self.ranks.push(ranks);
        }
    }

    fn put(self, measurement: &mut Measurement) {
        match self.operations.as_slice() {
            [operation] => measurement.operation.clone_from(operation),
            [] => {}
            _ => measurement.rows_doubt = Some("its rows are of several operations".to_owned()),
        }
        match self.ranks.as_slice() {
            [Some(count)] => {
                let rank = |rank| Rank { rank, host: None, device: None, pci: None, name: None };
                measurement.ranks = (0..*count).map(rank).collect();
            }
            [] => {}
            _ => measurement.ranks_doubt = Some("its rows do not say the number of ranks for certain".to_owned()),
        }
    }
}

/// The number of ranks where one node or one process makes it certain: versions of rccl-tests count the processes of a
/// node differently.
fn ranks(line: &Line<'_>) -> Option<u32> {
    let processes = match (line.ranks, line.nodes) {
        (Some(processes), Some(1)) => processes,
        (None, None) => 1,
        _ => return None,
    };
    processes.checked_mul(line.gpus?).filter(|count| (1..=MOST_RANKS).contains(count))
}

/// The name that nccl-tests has for an operation: `all_reduce` for `AllReduce`, `alltoall` for `AlltoAll`.
fn operation(name: &str) -> String {
    match name.to_ascii_lowercase().replace(['_', '-'], "").as_str() {
        "allreduce" => "all_reduce".to_owned(),
        "allgather" => "all_gather".to_owned(),
        "reducescatter" => "reduce_scatter".to_owned(),
        other => other.to_owned(),
    }
}
