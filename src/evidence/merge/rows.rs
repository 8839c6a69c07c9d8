use super::{joined, ranks::agree, statements};
use crate::evidence::{Figure, Row, Sample, Wrong};

/// The rows of both, each size once; those of only one of them as they are, since the other may be cut.
pub(super) fn merged(one: Vec<Row>, mut two: Vec<Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(one.len().max(two.len()));
    for row in one {
        // A size that was measured several times is paired in its order.
        match two.iter().position(|other| same(&row, other)) {
            Some(at) => rows.push(pair(row, two.remove(at))),
            None => rows.push(row),
        }
    }
    rows.append(&mut two);
    rows
}

/// Whether both can be the same size of the same sweep.
fn same(one: &Row, two: &Row) -> bool {
    one.size == two.size
        && agree(one.datatype.as_ref(), two.datatype.as_ref())
        && agree(one.redop.as_ref(), two.redop.as_ref())
        && agree(one.root.as_ref(), two.root.as_ref())
}

fn pair(one: Row, two: Row) -> Row {
    let names = (place(&one), place(&two));
    let mut doubts: Vec<String> = [one.doubt, two.doubt].into_iter().flatten().collect();
    let mut differs = |what: &str, first: String, second: String| {
        let of = |name: &str, value: &str| format!("{name} says {value}{what}");
        doubts.push(statements(of(&names.0, &first), of(&names.1, &second)));
    };
    if let Some((first, second)) = one.count.zip(two.count).filter(|(first, second)| first != second) {
        differs(" elements", first.to_string(), second.to_string());
    }
    let out_of_place = sample(one.out_of_place, two.out_of_place, " out of place", &mut differs);
    let in_place = sample(one.in_place, two.in_place, " in place", &mut differs);
    Row {
        size: one.size,
        count: one.count.or(two.count),
        datatype: one.datatype.or(two.datatype),
        redop: one.redop.or(two.redop),
        root: one.root.or(two.root),
        out_of_place,
        in_place,
        doubt: joined(doubts),
        source: one.source,
        line: one.line,
    }
}

/// The row's place, as doubts name it.
fn place(row: &Row) -> String {
    if row.line == 0 { row.source.clone() } else { format!("{}:{}", row.source, row.line) }
}

fn sample(
    one: Option<Sample>,
    two: Option<Sample>,
    place: &str,
    differs: &mut impl FnMut(&str, String, String),
) -> Option<Sample> {
    let (Some(one), Some(two)) = (one, two) else { return one.or(two) };
    let mut figure = |first: Figure, second: Figure, unit: &str, what: &str| {
        if !equal(first, second) {
            let of = |figure: Figure| format!("{} {unit}", figure.value);
            differs(&format!("{place} {what}"), of(first), of(second));
        }
    };
    figure(one.busbw, two.busbw, "GB/s", "busbw");
    figure(one.algbw, two.algbw, "GB/s", "algbw");
    figure(one.time, two.time, "us", "time");
    if one.wrong != two.wrong {
        differs(place, worded(one.wrong), worded(two.wrong));
    }
    Some(Sample {
        time: kept(one.time, two.time, f64::max),
        algbw: kept(one.algbw, two.algbw, f64::min),
        busbw: kept(one.busbw, two.busbw, f64::min),
        wrong: worse(one.wrong, two.wrong),
    })
}

/// Whether both can be the same number, each rounded in its own way.
fn equal(one: Figure, two: Figure) -> bool {
    let close = 1e-9 * one.value.abs().max(two.value.abs());
    (one.value - two.value).abs() <= one.rounding + two.rounding + close
}

/// The more precise of two that are equal, else the worse one: a doubtful row can fail, never pass.
fn kept(one: Figure, two: Figure, worse: fn(f64, f64) -> f64) -> Figure {
    let first = if equal(one, two) && one.rounding != two.rounding {
        one.rounding < two.rounding
    } else {
        worse(one.value, two.value) == one.value
    };
    if first { one } else { two }
}

fn worded(wrong: Wrong) -> String {
    match wrong {
        Wrong::Elements(count) => format!("{count} wrong"),
        Wrong::Deviation(deviation) => format!("a deviation of {deviation:e}"),
        Wrong::Unchecked => "unchecked".to_owned(),
    }
}

/// Wrong elements outweigh everything, and what is not checked outweighs a count of zero.
fn worse(one: Wrong, two: Wrong) -> Wrong {
    let weight = |wrong: Wrong| match wrong {
        Wrong::Elements(0) => (0, 0),
        Wrong::Deviation(deviation) => (1, deviation.to_bits()),
        Wrong::Unchecked => (2, 0),
        Wrong::Elements(count) => (3, count),
    };
    if weight(one) >= weight(two) { one } else { two }
}
