//! What linkspec's own engine measured, as every report shows it.

use linkspec::{
    collective::{Datatype, Reduction, Sweep},
    evidence::{
        CollectiveEvidence, EngineRun, LoadedLibrary, RankPlacement, RankSample, Trouble, TroubleKind, measurement_of,
    },
    record::RunRecord,
    report::{Style, console, html, json, junit, markdown},
    verdict::{Finding, FindingCode, Severity, Verdict},
};

use crate::{
    machine,
    records::{case, ended, measured, place},
};

/// A case that passed, and one whose first collective did not end.
pub fn run() -> RunRecord {
    let values = vec![measured("busbw at 1G out of place", "476.50 GB/s", ">= 440 GB/s", Some(0.082_955))];
    let note = "of large sizes each rank checked a part of its data: 96M of 1G";
    let note = Finding::new(FindingCode::DataUnchecked, Severity::Note, note);
    let mut passes = case("all-reduce", "collective", 12.4, Verdict::from_findings(vec![note], values));
    passes.collective = Some(Box::new(evidence(None)));
    let message = "rank 2 (GPU2) is in the timed loop at 1G, iteration 3, since 60 s";
    let mut hang = Finding::new(FindingCode::HangFirstCollective, Severity::Error, message);
    hang.device = Some("GPU2".into());
    hang.place = Some(place(55, 33, "          expect: { busbw: { 1G: 330 GB/s, 8G: 340 GB/s } }"));
    hang.hint = Some("look at ACS and IOMMU first".into());
    let detail = "the library's last words: none";
    let detail = Finding::new(FindingCode::HangFirstCollective, Severity::Note, detail);
    let mut hangs = case("all-reduce-p2p", "collective", 60.5, Verdict::from_findings(vec![hang, detail], vec![]));
    hangs.collective = Some(Box::new(evidence(Some(message))));
    ended(machine::live(), vec![passes, hangs])
}

fn evidence(hang: Option<&str>) -> CollectiveEvidence {
    let sizes = vec![64 << 20, 1 << 30];
    let sweep = Sweep {
        operation: "all_reduce".into(),
        datatype: Datatype::Float,
        reduction: Reduction::Sum,
        root: 0,
        sizes: sizes.clone(),
        iterations: 20,
        warmup: 5,
        out_of_place: true,
        in_place: true,
        checked: true,
        whole_check: 96 << 20,
        ablations: Vec::new(),
    };
    let sample = |rank: u32, size: u64, in_place: bool| RankSample {
        rank,
        size,
        in_place,
        time: size as f64 / 272_000.0 + f64::from(rank),
        checked: Some(size.min(96 << 20)),
        wrong: 0,
        first_wrong: None,
    };
    let places = sizes.iter().flat_map(|size| [(*size, false), (*size, true)]);
    let samples = places.flat_map(|(size, in_place)| (0..4).map(move |rank| sample(rank, size, in_place)));
    let samples: Vec<RankSample> = samples.filter(|_| hang.is_none()).collect();
    let library = |name: &str, file: &str, version: &str| LoadedLibrary {
        name: name.into(),
        path: format!("/usr/lib/x86_64-linux-gnu/{file}"),
        version: version.into(),
        fake: false,
    };
    let engine = EngineRun {
        libraries: vec![
            library("CUDA driver", "libcuda.so.580.95.05", "13.0"),
            library("NCCL", "libnccl.so.2.28.3", "2.28.3"),
        ],
        placements: (0..4).map(placement).collect(),
        samples,
        warnings: Vec::new(),
        trouble: hang.map(|message| Trouble {
            kind: TroubleKind::FirstCollectiveHang,
            rank: Some(2),
            message: message.into(),
            details: vec!["the library's last words: none".into()],
        }),
        ends_without_p2p: None,
        repeats: Vec::new(),
        fake: false,
    };
    let EngineRun { placements, samples, libraries, .. } = &engine;
    let host = Some("node0");
    let unfinished = hang.map(str::to_owned);
    let measurement =
        measurement_of(&sweep, placements, host, samples, libraries.last(), Default::default(), unfinished);
    CollectiveEvidence {
        measurement: Some(measurement).filter(|_| hang.is_none()),
        engine: Some(engine),
        ..CollectiveEvidence::default()
    }
}

fn placement(rank: u32) -> RankPlacement {
    let list = |text: &str| Some(text.parse().unwrap());
    RankPlacement {
        rank,
        gpu: rank,
        pci: format!("0000:{:02x}:00.0", 0x18 + rank),
        name: Some("NVIDIA H100 80GB HBM3".into()),
        pid: 4711 + rank,
        asked_cpus: list("0-47"),
        asked_nodes: list("0"),
        cpus: list("0-47"),
        nodes: list("0"),
    }
}

/// Every report of a record by its name.
fn reports(record: &RunRecord) -> [(&'static str, String); 5] {
    [
        (
            "console",
            format!(
                "{}{}",
                record.cases.iter().map(|case| console::case(case, Style::PLAIN)).collect::<String>(),
                console::end(record, None, Style::PLAIN)
            ),
        ),
        ("junit", junit::render(record).unwrap()),
        ("html", html::render(record)),
        ("markdown", markdown::render(record)),
        ("json", json::render(record).unwrap()),
    ]
}

#[test]
fn every_report_names_the_library() {
    for (name, text) in reports(&run()) {
        let words = ["2.28.3", "libnccl.so.2.28.3"];
        let text = text.replace('\\', "");
        assert!(words.iter().all(|word| text.contains(word)), "{name}: {text}");
    }
}

#[test]
fn the_page_has_the_placement_of_each_rank() {
    let page = html::render(&run());
    assert!(page.contains("<summary>Ranks (4); data checked: 96M of 1G</summary>"), "{page}");
    let row = "<th scope=\"row\" class=\"number\">3</th><td>GPU3</td><td class=\"mono\">0000:1b:00.0</td>";
    assert_eq!(page.matches(row).count(), 2);
    // 2^30 bytes at 272 GB/s, and 3 us more.
    assert!(page.contains("<td class=\"number\">3950.58</td>"), "{page}");
}

#[test]
fn no_report_takes_a_stand_in_for_a_measurement() {
    let mut record = run();
    let measured = record.cases[0].collective.as_mut().unwrap();
    measured.engine.as_mut().unwrap().fake = true;
    for (name, text) in reports(&record) {
        let marks = match name {
            "json" => vec!["\"fake\": true"],
            "junit" => {
                vec!["value=\"fake: no measurement of any machine\"", "origin: fake: no measurement of any machine"]
            }
            "markdown" => vec!["stand-ins for the vendors' libraries, no measurement"],
            _ => vec!["stand-ins for the vendors' libraries: no measurement of any machine"],
        };
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("&#39;", "'");
        for mark in marks {
            assert!(flat.contains(mark), "{name}: {mark}\n{text}");
        }
    }
    assert_eq!(junit::render(&record).unwrap().matches("fake: no measurement").count(), 2, "the other case is real");
}
