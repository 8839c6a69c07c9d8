//! What linkspec's own engine measured, judged again from the record of its run.

use linkspec::{
    collective::{Datatype, Reduction, Sweep},
    evidence::{
        CollectiveEvidence, EngineRun, LoadedLibrary, RankPlacement, RankSample, Trouble, TroubleKind, WrongElement,
        measurement_of,
    },
    record::RunRecord,
    report::json,
};

use crate::support::{Bench, Ran};

const SPEC: &str = "\
linkspec: 1
suite: two
tests:
  - name: all-reduce
    collective:
      op: all_reduce
      sizes: [1M, 1G]
      expect: { busbw: { 1G: 300 GB/s } }
";

const FILES: [&str; 5] = ["run.json", "run.jsonl", "junit.xml", "summary.md", "report.html"];

/// Two ranks that need 22 us for 1 MiB and 3350 us for 1 GiB: 320.52 GB/s.
fn engine() -> EngineRun {
    let placement = |rank: u32| RankPlacement {
        rank,
        gpu: rank,
        pci: format!("0000:{:02x}:00.0", 0x17 + rank),
        name: Some("NVIDIA TEST".into()),
        pid: 4711 + rank,
        asked_cpus: "0-7".parse().ok(),
        asked_nodes: None,
        cpus: "0-7".parse().ok(),
        nodes: None,
    };
    let sample = |rank, size: u64, in_place, time| RankSample {
        rank,
        size,
        in_place,
        time,
        checked: Some(size),
        wrong: 0,
        first_wrong: None,
    };
    let sizes = [(1 << 20, 22.0), (1 << 30, 3350.0)];
    let of_rank = |rank| {
        sizes.into_iter().flat_map(move |(size, time)| [false, true].map(|in_place| sample(rank, size, in_place, time)))
    };
    let path = "/opt/nccl/libnccl.so.2.28.3".into();
    EngineRun {
        libraries: vec![LoadedLibrary { name: "NCCL".into(), path, version: "2.28.3".into(), fake: false }],
        placements: (0..2).map(placement).collect(),
        samples: (0..2).flat_map(of_rank).collect(),
        trouble: None,
        warnings: Vec::new(),
        ends_without_p2p: None,
        repeats: Vec::new(),
        fake: false,
    }
}

fn evidence(engine: EngineRun) -> CollectiveEvidence {
    let sweep = Sweep {
        operation: "all_reduce".into(),
        datatype: Datatype::Float,
        reduction: Reduction::Sum,
        root: 0,
        sizes: vec![1 << 20, 1 << 30],
        iterations: 20,
        warmup: 5,
        out_of_place: true,
        in_place: true,
        checked: true,
        whole_check: 1 << 30,
        ablations: Vec::new(),
    };
    let EngineRun { placements, samples, libraries, .. } = &engine;
    let unfinished = engine.trouble.as_ref().map(|trouble| trouble.message.clone());
    let library = libraries.last();
    let measurement = measurement_of(&sweep, placements, Some("box"), samples, library, [].into(), unfinished);
    let measurement = Some(measurement).filter(|_| !samples.is_empty());
    CollectiveEvidence { measurement, engine: Some(engine), ..CollectiveEvidence::default() }
}

/// Judges the record of a run with this evidence, twice: the second time from the record of the first.
fn judged(change: impl FnOnce(&mut EngineRun), code: i32, texts: &[&str]) -> Bench {
    let mut engine = engine();
    change(&mut engine);
    let bench = Bench::new().file("spec.yaml", SPEC).file("empty/README", "");
    bench.run(&["spec.yaml", "--host", "empty", "--out", "nothing"]).expect(3, &[]);
    let mut record: RunRecord = json::read(&bench.read("nothing/two/run.json")).unwrap();
    record.cases[0].collective = Some(Box::new(evidence(engine)));
    let bench = bench.file("run.json", &json::render(&record).unwrap());
    let ran: Ran = bench.run(&["spec.yaml", "--host", "run.json", "--out", "first"]);
    ran.expect(code, texts);
    bench.run(&["spec.yaml", "--host", "first/two/run.json", "--out", "second"]).expect(code, texts);
    bench
}

#[test]
fn a_whole_measurement_passes_again_and_names_its_library() {
    let bench = judged(|_| {}, 0, &["320.52 GB/s", "NCCL 2.28.3 (/opt/nccl/libnccl.so.2.28.3)"]);
    for file in FILES {
        assert!(bench.read(&format!("second/two/{file}")).contains("2.28.3"), "{file}");
    }
    // The same measurement under another spec.
    let bench = bench.replace("spec.yaml", "300 GB/s", "330 GB/s");
    bench.run(&["spec.yaml", "--host", "second/two/run.json", "--out", "third"]).expect(1, &["320.52 GB/s"]);
}

#[test]
fn trouble_is_the_one_error_of_its_case() {
    let message = "rank 1 (GPU1) is in the first collective since 60 s";
    let trouble = |engine: &mut EngineRun| {
        engine.samples.clear();
        let kind = TroubleKind::FirstCollectiveHang;
        engine.trouble = Some(Trouble { kind, rank: Some(1), message: message.into(), details: Vec::new() });
    };
    let bench = judged(trouble, 3, &["error[hang-first-collective]", message, "ACS and IOMMU"]);
    let junit = bench.read("second/two/junit.xml");
    assert!(junit.contains("type=\"hang-first-collective\""), "{junit}");
    assert!(junit.contains("codes: hang-first-collective\n"), "no other finding beside it: {junit}");
}

#[test]
fn wrong_data_names_rank_gpu_and_element() {
    let wrong = |engine: &mut EngineRun| {
        engine.samples[5].wrong = 7;
        engine.samples[5].first_wrong = Some(WrongElement { offset: 12, expected: "3".into(), found: "2".into() });
    };
    let said = ["1M in place: 7 wrong elements at rank 1 (GPU1)", "element 12, 2 instead of 3"];
    judged(wrong, 1, &said);
}

#[test]
fn a_stand_in_is_marked_in_every_file() {
    let bench = judged(|engine| engine.fake = true, 0, &["stand-in", "no measurement of any machine"]);
    for file in FILES {
        let text = bench.read(&format!("second/two/{file}"));
        assert!(text.contains("stand-in"), "{file}: {text}");
    }
}
