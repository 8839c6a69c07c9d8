//! A recorded machine is judged the same with its identifiers replaced.

use std::path::Path;

use linkspec::{
    capture::without_identifiers,
    facts::Facts,
    plan::{Case, Selection, plan},
    probe::{Saved, open},
    spec::{Level, load},
    verdict::{Evidence, FindingCode, Outcome, judge},
};

/// What is judged of a case: its outcome, and the code and device of each finding.
fn judged(case: &Case, saved: &Saved, before: &Facts) -> (Outcome, Vec<(FindingCode, Option<String>)>) {
    let evidence =
        Evidence { before, after: None, command: None, collectives: &saved.collectives, operator: None, live: false };
    let verdict = judge(case, &evidence);
    (verdict.outcome, verdict.findings.into_iter().map(|finding| (finding.code, finding.device)).collect())
}

#[test]
fn packs_judge_recordings_without_identifiers_as_they_are() {
    for (pack, recording) in [("h200-x2", "h200-x2"), ("hgx-h100", "hgx-h100-healthy"), ("hgx-h100", "hgx-h100-faulty")]
    {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let saved = open(&root.join("recordings").join(recording)).unwrap();
        let replaced = without_identifiers(saved.before.clone());
        assert_ne!(replaced, saved.before, "{recording}: nothing was replaced");
        let suite = load(&root.join(format!("specs/{pack}.yaml")), &[]).unwrap().suite.unwrap();
        let all = Selection { level: Some(Level::Soak), ..Selection::default() };
        for case in plan(&suite, &all).unwrap().cases {
            let (theirs, ours) = (judged(&case, &saved, &replaced), judged(&case, &saved, &saved.before));
            assert_eq!(theirs, ours, "{recording}: {}", case.name());
        }
    }
}
