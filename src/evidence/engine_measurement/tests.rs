use super::*;
use crate::evidence::WrongElement;

const MIB: u64 = 1 << 20;

fn sweep(sizes: &[u64]) -> Sweep {
    Sweep::over(sizes)
}

fn placement(rank: u32) -> RankPlacement {
    RankPlacement {
        rank,
        gpu: rank,
        pci: format!("0000:{:02x}:00.0", 0x10 * (rank + 1)),
        name: Some("NVIDIA H200".into()),
        pid: 1000 + rank,
        asked_cpus: None,
        asked_nodes: None,
        cpus: None,
        nodes: None,
    }
}

fn sample(rank: u32, size: u64, in_place: bool, time: f64) -> RankSample {
    RankSample { rank, size, in_place, time, checked: Some(size), wrong: 0, first_wrong: None }
}

fn both(rank: u32, size: u64, time: f64) -> [RankSample; 2] {
    [false, true].map(|in_place| sample(rank, size, in_place, time))
}

fn measured(sweep: &Sweep, ranks: u32, samples: &[RankSample]) -> Measurement {
    let ranks: Vec<RankPlacement> = (0..ranks).map(placement).collect();
    let library =
        LoadedLibrary { name: "NCCL".into(), path: "/lib/libnccl.so.2".into(), version: "2.28.3".into(), fake: false };
    measurement_of(sweep, &ranks, Some("node0"), samples, Some(&library), BTreeMap::new(), None)
}

#[test]
fn the_time_of_a_size_is_the_mean_over_the_ranks() {
    // 1000000 bytes in 90, 100, 110 and 100 us: 100 us, 10 GB/s, and 1.5 times that on the links of 4 ranks.
    let times = [90.0, 100.0, 110.0, 100.0];
    let samples: Vec<RankSample> = (0..).zip(times).flat_map(|(rank, time)| both(rank, 1_000_000, time)).collect();
    let measurement = measured(&sweep(&[1_000_000]), 4, &samples);
    let [row] = &measurement.rows[..] else { panic!("{:?}", measurement.rows) };
    for sample in [row.out_of_place.unwrap(), row.in_place.unwrap()] {
        assert_eq!((sample.time.value, sample.algbw.value, sample.busbw.value), (100.0, 10.0, 15.0));
        assert_eq!(sample.wrong, Wrong::Elements(0));
        assert!(sample.is_of_size(1_000_000));
    }
    assert_eq!((row.count, row.root, row.redop.as_deref()), (Some(250_000), Some(-1), Some("sum")));
    assert_eq!((measurement.unfinished.as_deref(), measurement.whole_ranks()), (None, Some(4)));
    assert_eq!(measurement.ranks[3].pci.as_deref(), Some("0000:40:00"));
    assert_eq!(measurement.library.unwrap().to_string(), "2.28.3");
}

#[test]
fn a_size_is_trimmed_to_whole_elements() {
    let samples: Vec<RankSample> = (0..2).flat_map(|rank| both(rank, 1030, 2.0)).collect();
    let measurement = measured(&sweep(&[1030]), 2, &samples);
    let row = &measurement.rows[0];
    // 257 elements of 4 bytes; 1028 bytes in 2 us are 0.514 GB/s.
    assert_eq!((row.size, row.count), (1028, Some(257)));
    assert_eq!(row.out_of_place.unwrap().algbw.value, 0.514);
    assert_eq!(measurement.unfinished, None);
}

#[test]
fn what_a_rank_lacks_is_no_row_and_no_end() {
    let all: Vec<RankSample> =
        (0..2).flat_map(|rank| [both(rank, MIB, 10.0), both(rank, 2 * MIB, 20.0)]).flatten().collect();
    let of = |samples: &[RankSample]| measured(&sweep(&[MIB, 2 * MIB]), 2, samples);
    assert_eq!((of(&all).rows.len(), of(&all).unfinished), (2, None));
    // Rank 1 did not come to the larger size in place.
    let cut = of(&all[..all.len() - 1]);
    assert_eq!((cut.rows.len(), cut.rows[1].in_place), (2, None));
    assert_eq!(cut.unfinished.unwrap(), "not every rank measured 2097152 bytes in place");
    // A rank that measured something twice, one that no rank is, and times that are none.
    for change in [
        |samples: &mut Vec<RankSample>| samples.push(sample(1, MIB, false, 10.0)),
        |samples: &mut Vec<RankSample>| samples.push(sample(2, MIB, false, 10.0)),
        |samples: &mut Vec<RankSample>| samples[0].time = 0.0,
        |samples: &mut Vec<RankSample>| samples[0].time = f64::NAN,
        |samples: &mut Vec<RankSample>| samples[0].time = f64::INFINITY,
    ] {
        let mut samples = all.clone();
        change(&mut samples);
        let measurement = of(&samples);
        assert_eq!(measurement.rows[0].out_of_place, None);
        assert_eq!(measurement.unfinished.unwrap(), "not every rank measured 1048576 bytes out of place");
    }
    assert!(of(&[]).rows.is_empty() && of(&[]).unfinished.is_some());
}

#[test]
fn wrong_elements_add_up_and_what_was_not_checked_is_told() {
    let wrong = |change: fn(&mut RankSample)| {
        let mut samples: Vec<RankSample> = (0..2).flat_map(|rank| both(rank, MIB, 10.0)).collect();
        change(&mut samples[0]);
        samples[2].wrong = 3;
        change(&mut samples[2]);
        let measurement = measured(&sweep(&[MIB]), 2, &samples);
        (measurement.rows[0].out_of_place.unwrap().wrong, measurement.out_of_bounds.unwrap().count)
    };
    assert_eq!(wrong(|_| {}), (Wrong::Elements(3), 3));
    assert_eq!(wrong(|sample| sample.wrong += 1), (Wrong::Elements(5), 5));
    assert_eq!(wrong(|sample| sample.checked = None), (Wrong::Elements(3), 3));
    assert_eq!(
        wrong(|sample| {
            sample.checked = Some(0);
            sample.wrong = 0;
        }),
        (Wrong::Unchecked, 0)
    );
    // An element that is named counts.
    assert_eq!(
        wrong(|sample| {
            sample.wrong = 0;
            sample.first_wrong = Some(WrongElement { offset: 7, expected: "1".into(), found: "2".into() });
        }),
        (Wrong::Elements(2), 2)
    );
}

#[test]
fn an_operation_that_divides_is_of_its_share() {
    let gather = Sweep { operation: "all_gather".into(), ..sweep(&[400]) };
    let samples: Vec<RankSample> = (0..8).flat_map(|rank| both(rank, 400, 1.0)).collect();
    let row = &measured(&gather, 8, &samples).rows[0];
    assert_eq!((row.size, row.count, row.redop.as_deref()), (384, Some(12), Some("none")));
    let busbw = row.out_of_place.unwrap().busbw.value;
    assert!((busbw - 0.384 * 7.0 / 8.0).abs() < 1e-12, "{busbw}");
    let unknown = Sweep { operation: "all_to_none".into(), ..sweep(&[400]) };
    assert!(measured(&unknown, 8, &samples).rows.is_empty());
}
