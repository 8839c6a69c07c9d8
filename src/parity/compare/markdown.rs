use super::{Comparison, ParityReport, table};
use crate::units::Size;

/// The result as a page of Markdown.
pub fn markdown(report: &ParityReport) -> String {
    let setup = &report.setup;
    let mut text = format!("# linkspec {} and nccl-tests\n\n", report.linkspec);
    for said in table::conclusions(report) {
        text.push_str(&format!("- {}\n", escape(&said)));
    }
    text.push_str("\n| what | value |\n| --- | --- |\n");
    let sweep = &setup.sweep;
    let environment: Vec<String> = setup.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let sizes =
        sweep.sizes.first().map_or_else(String::new, |least| format!("{} to {}", Size(*least), Size(sweep.largest())));
    for (what, value) in [
        ("GPUs", setup.gpus.join(", ")),
        ("sizes", sizes),
        ("iterations", format!("{} timed, {} before", sweep.iterations, sweep.warmup)),
        ("placement", setup.placement.clone()),
        ("environment", environment.join(" ")),
        ("library", setup.library.clone()),
        ("nccl-tests", setup.reference.join(" ")),
    ] {
        text.push_str(&format!("| {what} | {} |\n", escape(&value)));
    }
    text.push('\n');
    text.push_str(&rows(&sweep.operation, &report.comparison));
    text
}

/// The rows as a table: times of one operation in microseconds.
fn rows(operation: &str, comparison: &Comparison) -> String {
    let mut text = "\
| op | size | place | theirs | ours | difference % | A/A of theirs % | theirs min..max | ours min..max | allowed | verdict |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
"
    .to_owned();
    let range = |(least, largest): (f64, f64)| format!("{least:.2}..{largest:.2}");
    for row in &comparison.rows {
        text.push_str(&format!(
            "| {operation} | {} | {} | {:.2} | {:.2} | {} | {} | {} | {} | {:.2} | {} |\n",
            Size(row.key.size),
            row.key.place(),
            row.their_median,
            row.our_median,
            row.shown_difference(),
            row.shown_own(),
            range(row.their_range),
            range(row.our_range),
            row.allowed,
            row.agreement.word(),
        ));
    }
    text
}

/// Text that is no markup. A vertical line would end the cell.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '[' | '\\') {
            escaped.push('\\');
        }
        escaped.push(if letter.is_control() { ' ' } else { letter });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;

    #[test]
    fn a_page_with_its_table() {
        let page = markdown(&report(7, 204.5));
        for line in [
            "# linkspec 0.0.0 and nccl-tests",
            "- OUTSIDE THE RULE: 1 of 2 rows outside",
            "| sizes | 8 to 1M |",
            "| placement | CPUs 0-3 \\| any |",
            "| environment | NCCL\\_NVLS\\_ENABLE=0 |",
            "| all_reduce | 8 | out | 10.00 | 10.00 | +0.00 | 0.00 | 10.00..10.00 | 10.00..10.00 | 0.50 | within |",
            "| all_reduce | 1M | in | 200.00 | 204.50 | +2.25 | 0.00 | 200.00..200.00 | 204.50..204.50 | 2.00 | far |",
        ] {
            assert!(page.lines().any(|of| of == line), "{line}\n{page}");
        }
    }

    #[test]
    fn every_row_has_the_columns_of_the_head() {
        let text = rows("all_reduce", &report(7, 200.0).comparison);
        let columns: Vec<usize> = text.lines().map(|line| line.matches('|').count()).collect();
        assert_eq!(columns, [12; 4]);
    }
}
