//! The reader over small whole outputs.

mod damaged;
mod mutation;
mod outline;
mod shapes;
mod split;

use super::NcclTestsReader;
use crate::evidence::{Measurement, Row, Wrong};

/// An output of today's shape: 2 ranks, so that busbw is algbw; sizes of 1 and 2 million bytes.
const WHOLE: &str = "\
# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=23007
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 2 minBytes 1000000 maxBytes 2000000 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4021 on     gpu-07 device  0 [0000:1b:00] NVIDIA H200
#  Rank  1 Group  0 Pid   4021 on     gpu-07 device  1 [0000:2c:00] NVIDIA H200
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
     1000000        250000     float     sum      -1   100.00   10.00   10.00       0    80.00   12.50   12.50       0
     2000000        500000     float     sum      -1   125.00   16.00   16.00       0   100.00   20.00   20.00       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 14.625 
#
# Collective test concluded: all_reduce_perf
#
";
const HEADER: &str = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong";
const LABEL: &str =
    "#                                                              out-of-place                       in-place";
const FIRST: &str = "     1000000        250000     float     sum      -1   100.00   10.00   10.00       0    80.00   12.50   12.50       0";
const SECOND: &str = "     2000000        500000     float     sum      -1   125.00   16.00   16.00       0   100.00   20.00   20.00       0";
const END: &str = "# Out of bounds values : 0 OK";

fn read(text: &str) -> Measurement {
    let mut reader = NcclTestsReader::new("t.txt");
    text.split('\n').for_each(|line| reader.line(line));
    reader.finish()
}

fn read_lines(lines: &[&str]) -> Measurement {
    read(&lines.join("\n"))
}

/// Size, busbw out of place and in place.
fn busbw(row: &Row) -> (u64, Option<f64>, Option<f64>) {
    let of = |sample: Option<crate::evidence::Sample>| sample.map(|sample| sample.busbw.value);
    (row.size, of(row.out_of_place), of(row.in_place))
}

fn all_busbw(measurement: &Measurement) -> Vec<(u64, Option<f64>, Option<f64>)> {
    measurement.rows.iter().map(busbw).collect()
}

fn wrongs(measurement: &Measurement) -> Vec<(Option<Wrong>, Option<Wrong>)> {
    let of = |sample: Option<crate::evidence::Sample>| sample.map(|sample| sample.wrong);
    measurement.rows.iter().map(|row| (of(row.out_of_place), of(row.in_place))).collect()
}

/// The lines that damage was found on.
fn damaged(measurement: &Measurement) -> Vec<u32> {
    measurement.damage.iter().map(|damage| damage.line).collect()
}

/// Both rows of [`WHOLE`].
const BOTH: [(u64, Option<f64>, Option<f64>); 2] =
    [(1_000_000, Some(10.0), Some(12.5)), (2_000_000, Some(16.0), Some(20.0))];
