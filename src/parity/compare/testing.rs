use std::collections::BTreeMap;

use super::{Key, Pair, ParityReport, Setup, Times, Wall, compare};
use crate::collective::Sweep;

/// So many equal pairs of runs of two rows; the second, of 1 MiB in place, takes linkspec so many microseconds and
/// nccl-tests 200.
pub(super) fn report(pairs: usize, ours: f64) -> ParityReport {
    let [small, large] = [Key { size: 8, in_place: false }, Key { size: 1 << 20, in_place: true }];
    let of = |time| Times::from([(small, 10.0), (large, time)]);
    let comparison = compare(&vec![Pair { theirs: of(200.0), ours: of(ours) }; pairs]).unwrap();
    let sweep = Sweep { warmup: 1, ..Sweep::over(&[8, 1 << 20]) };
    let setup = Setup {
        sweep,
        gpus: vec!["GPU0 0000:1b:00.0".into(), "GPU1 0000:1c:00.0".into()],
        placement: "CPUs 0-3 | any".into(),
        environment: BTreeMap::from([("NCCL_NVLS_ENABLE".to_owned(), "0".to_owned())]),
        library: "NCCL 2.28.9, /opt/lib/libnccl.so.2.28.9".into(),
        reference: vec!["mpirun".into(), "-np".into(), "2".into(), "/opt/nccl tests/all_reduce_perf".into()],
        stand_in: false,
    };
    let wall = Wall { theirs: vec![3.0; pairs], ours: vec![1.5; pairs] };
    ParityReport { linkspec: "0.0.0".into(), setup, wall, comparison }
}
