use super::Wanted;
use crate::evidence::Measurement;

/// Why a run of nccl-tests is not the one that was asked for, as a fragment with a cure; `None` where it is. `jobs` is how
/// many figures files the run announced, `gpus` the PCI addresses in the order of the ranks.
pub fn refused(measurement: &Measurement, jobs: usize, wanted: &Wanted, gpus: &[String]) -> Option<String> {
    other_ranks(measurement, jobs, gpus)
        .or_else(|| measurement.unfinished.clone())
        .or_else(|| measurement.rows_doubt.clone())
        .or_else(|| measurement.damage.first().map(|damage| damage.reason.clone()))
        .or_else(|| other_sweep(measurement, wanted))
        .or_else(|| other_gpus(measurement, gpus))
}

fn other_ranks(measurement: &Measurement, jobs: usize, gpus: &[String]) -> Option<String> {
    if jobs > 1 {
        return Some(format!(
            "its ranks list shows {jobs} separate jobs, not one of {} ranks: it was built without MPI, build it with \
             `make MPI=1`",
            gpus.len()
        ));
    }
    if let Some(doubt) = &measurement.ranks_doubt {
        return Some(doubt.clone());
    }
    let ranks = measurement.whole_ranks();
    let is_asked = ranks.and_then(|ranks| usize::try_from(ranks).ok()) == Some(gpus.len());
    (!is_asked).then(|| format!("its ranks list shows {} ranks, not 0 to {}", measurement.ranks.len(), gpus.len() - 1))
}

fn other_sweep(measurement: &Measurement, wanted: &Wanted) -> Option<String> {
    let asked = [
        ("operation", measurement.operation.clone(), wanted.operation.name().to_owned()),
        ("least size", measurement.range.map(|range| range.from.to_string()), wanted.from.to_string()),
        ("largest size", measurement.range.map(|range| range.to.to_string()), wanted.to.to_string()),
        ("number of iterations", measurement.iterations.map(|count| count.to_string()), wanted.iterations.to_string()),
        ("warm-up", measurement.warmup.map(|count| count.to_string()), wanted.warmup.to_string()),
    ];
    let (what, told, asked) = asked.into_iter().find(|(_, told, asked)| told.as_ref() != Some(asked))?;
    Some(match told {
        // It cuts the largest size where memory is short.
        Some(told) => format!("its {what} is {told}, not {asked}"),
        None => format!("it does not tell its {what}"),
    })
}

/// Ranks that sit on other GPUs than linkspec's. Old outputs tell the bus alone, and prove nothing.
fn other_gpus(measurement: &Measurement, gpus: &[String]) -> Option<String> {
    let told = |rank: u32| measurement.ranks.iter().find(|listed| listed.rank == rank)?.pci.as_deref();
    (0..).zip(gpus).find_map(|(rank, ours)| {
        let theirs = told(rank).filter(|theirs| theirs.contains(':'))?;
        let is_same = ours.to_ascii_lowercase().starts_with(&theirs.to_ascii_lowercase());
        (!is_same).then(|| {
            format!(
                "its rank {rank} is on GPU {theirs}, linkspec's on {ours}: CUDA_VISIBLE_DEVICES may stand in the way"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::wanted::tests::WANTED;
    use super::*;
    use crate::evidence::{Rank, SizeRange};
    use crate::facts::Damage;

    fn rank(rank: u32, pci: &str) -> Rank {
        Rank { rank, host: None, device: Some(rank), pci: Some(pci.to_owned()), name: None }
    }

    fn good() -> Measurement {
        Measurement {
            operation: Some("all_reduce".into()),
            range: Some(SizeRange { from: 8, to: 32 }),
            iterations: Some(20),
            warmup: Some(1),
            ranks: vec![rank(0, "0000:1B:00"), rank(1, "0000:1c:00")],
            ..Measurement::default()
        }
    }

    fn of(measurement: &Measurement, jobs: usize) -> Option<String> {
        refused(measurement, jobs, &WANTED, &["0000:1b:00.0".into(), "0000:1c:00.0".into()])
    }

    #[test]
    fn the_run_that_was_asked_for() {
        assert_eq!(of(&good(), 1), None);
    }

    #[test]
    fn a_build_without_mpi() {
        let alone = Measurement { ranks: vec![rank(0, "0000:1b:00")], ..good() };
        let told = of(&alone, 2).unwrap();
        assert!(told.starts_with("its ranks list shows 2 separate jobs, not one of 2 ranks"), "{told}");
        assert!(told.ends_with("`make MPI=1`"), "{told}");
        assert_eq!(of(&alone, 1).unwrap(), "its ranks list shows 1 ranks, not 0 to 1");
    }

    #[test]
    fn what_is_no_whole_run() {
        let doubt = |text: &str| Some(text.to_owned());
        assert_eq!(of(&Measurement { ranks_doubt: doubt("a"), ..good() }, 1), doubt("a"));
        assert_eq!(of(&Measurement { unfinished: doubt("b"), ..good() }, 1), doubt("b"));
        assert_eq!(of(&Measurement { rows_doubt: doubt("c"), ..good() }, 1), doubt("c"));
        let damage = vec![Damage::of_file("a.json", "d".to_owned())];
        assert_eq!(of(&Measurement { damage, ..good() }, 1), doubt("d"));
    }

    #[test]
    fn another_sweep() {
        for (measurement, told) in [
            (Measurement { operation: Some("reduce".into()), ..good() }, "its operation is reduce, not all_reduce"),
            (Measurement { range: Some(SizeRange { from: 8, to: 16 }), ..good() }, "its largest size is 16, not 32"),
            (Measurement { range: None, ..good() }, "it does not tell its least size"),
            (Measurement { iterations: Some(5), ..good() }, "its number of iterations is 5, not 20"),
            (Measurement { warmup: Some(5), ..good() }, "its warm-up is 5, not 1"),
        ] {
            assert_eq!(of(&measurement, 1).as_deref(), Some(told));
        }
    }

    #[test]
    fn other_gpus_than_ours() {
        let swapped = Measurement { ranks: vec![rank(0, "0000:1c:00"), rank(1, "0000:1b:00")], ..good() };
        let told = of(&swapped, 1).unwrap();
        assert!(told.starts_with("its rank 0 is on GPU 0000:1c:00, linkspec's on 0000:1b:00.0"), "{told}");
        let old = Measurement { ranks: vec![rank(0, "0x9"), rank(1, "0x8")], ..good() };
        assert_eq!(of(&old, 1), None);
    }
}
