use super::{Agreement, Comparison, LEAST_PAIRS, ParityReport, Row, Verdict};
use crate::units::Size;

/// The result for people, in lines of no more than 80 columns where the times allow it.
pub fn text(report: &ParityReport) -> String {
    let sweep = &report.setup.sweep;
    let mut text = format!(
        "{} {} {}, {} GPUs, {} iterations, {}\n",
        sweep.operation,
        sweep.datatype.name(),
        sweep.reduction.name(),
        report.setup.gpus.len(),
        sweep.iterations,
        pairs(report.comparison.pairs),
    );
    text.push_str("times of one operation in us; medians of all runs, and the least\n\n");
    text.push_str(&line("size", "place", ["theirs", "ours", "min th.", "min ours"], ["differ %", "A/A %"], "verdict"));
    for row in &report.comparison.rows {
        text.push_str(&row_line(row));
    }
    text.push('\n');
    for said in conclusions(report) {
        text.push_str(&said);
        text.push('\n');
    }
    text
}

fn row_line(row: &Row) -> String {
    let times = [row.their_median, row.our_median, row.their_range.0, row.our_range.0].map(|time| format!("{time:.2}"));
    let [theirs, ours, least_theirs, least_ours] = &times;
    line(
        &Size(row.key.size).to_string(),
        row.key.place(),
        [theirs, ours, least_theirs, least_ours],
        [&row.shown_difference(), &row.shown_own()],
        row.agreement.word(),
    )
}

fn line(size: &str, place: &str, times: [&str; 4], [differ, own]: [&str; 2], verdict: &str) -> String {
    let [theirs, ours, least_theirs, least_ours] = times;
    format!(
        "{size:>7} {place:<5} {theirs:>9} {ours:>9} {differ:>8} {own:>6} {least_theirs:>9} {least_ours:>9} {verdict}\n"
    )
}

/// What the figures come to, a sentence each: the rows outside, the time of whole runs, the verdict.
pub(super) fn conclusions(report: &ParityReport) -> Vec<String> {
    let comparison = &report.comparison;
    let outside = comparison.rows.iter().filter(|row| row.agreement != Agreement::Within);
    let mut said: Vec<String> = outside.map(missed).collect();
    if let Some((ours, theirs, ratio)) = report.wall.medians() {
        said.push(format!("whole run: linkspec {ours:.2} s, nccl-tests {theirs:.2} s, {ratio:.2} times"));
    }
    let without = report.setup.without();
    if !without.is_empty() {
        said.push(format!("linkspec ran without {}: the verdict shows what that is worth", without.join(", ")));
    }
    said.push(match report.setup.stand_in {
        true => "NOTHING WAS MEASURED: a library was a stand-in".to_owned(),
        false => verdict(comparison),
    });
    said
}

/// How a row misses, in figures that differ as they are shown.
fn missed(row: &Row) -> String {
    let off = row.our_median - row.their_median;
    let (longer, allowed) = (if off > 0.0 { "more" } else { "less" }, row.allowed);
    let differ = |decimals: &usize| format!("{:.decimals$}", off.abs()) != format!("{allowed:.decimals$}");
    let decimals = (2..=12).find(differ).unwrap_or(12);
    format!("{}: linkspec takes {:.decimals$} us {longer}, allowed {allowed:.decimals$} us", row.key, off.abs(),)
}

fn verdict(comparison: &Comparison) -> String {
    let outside = comparison.rows.iter().filter(|row| row.agreement != Agreement::Within).count();
    let rows = comparison.rows.len();
    match comparison.verdict {
        Verdict::Within => format!("WITHIN THE RULE: {outside} of {rows} rows outside"),
        Verdict::Outside => format!("OUTSIDE THE RULE: {outside} of {rows} rows outside"),
        Verdict::Orientation => format!(
            "ORIENTATION ONLY: {outside} of {rows} rows outside; a verdict needs {LEAST_PAIRS} pairs, there are {}",
            comparison.pairs
        ),
    }
}

fn pairs(count: usize) -> String {
    if count == 1 { "1 pair of runs".to_owned() } else { format!("{count} pairs of runs") }
}

impl Agreement {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Within => "within",
            Self::Outside => "outside",
            Self::Far => "far",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;
    use crate::collective::Ablation;

    #[test]
    fn a_table_of_80_columns() {
        let text = text(&report(7, 204.5));
        let expected = "\
all_reduce float sum, 2 GPUs, 20 iterations, 7 pairs of runs
times of one operation in us; medians of all runs, and the least

   size place    theirs      ours differ %  A/A %   min th.  min ours verdict
      8 out       10.00     10.00    +0.00   0.00     10.00     10.00 within
     1M in       200.00    204.50    +2.25   0.00    200.00    204.50 far

1M in place: linkspec takes 4.50 us more, allowed 2.00 us
whole run: linkspec 1.50 s, nccl-tests 3.00 s, 0.50 times
OUTSIDE THE RULE: 1 of 2 rows outside
";
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| line.len() <= 80));
    }

    #[test]
    fn each_verdict_has_its_words() {
        assert!(text(&report(7, 200.0)).ends_with("WITHIN THE RULE: 0 of 2 rows outside\n"));
        let few = text(&report(1, 200.0));
        assert!(few.ends_with("\nORIENTATION ONLY: 0 of 2 rows outside; a verdict needs 7 pairs, there are 1\n"));
        assert!(few.contains("1 pair of runs\n") && few.contains("    - "), "{few}");
    }

    #[test]
    fn an_ablation_is_told_beside_the_verdict() {
        let mut report = report(7, 200.0);
        report.setup.sweep.ablations = vec![Ablation::Rotation, Ablation::Data];
        assert!(text(&report).contains("linkspec ran without rotation, data: the verdict shows what that is worth\n"));
    }

    #[test]
    fn stand_ins_get_no_verdict() {
        let mut report = report(7, 200.0);
        report.setup.stand_in = true;
        let text = text(&report);
        assert!(
            text.ends_with("\nNOTHING WAS MEASURED: a library was a stand-in\n") && !text.contains("RULE"),
            "{text}"
        );
    }

    #[test]
    fn a_narrow_miss_is_told_as_one() {
        let told = text(&report(7, 197.999));
        assert!(told.contains("1M in place: linkspec takes 2.001 us less, allowed 2.000 us"), "{told}");
    }
}
