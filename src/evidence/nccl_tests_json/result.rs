use serde::Deserialize;
use serde_json::value::RawValue;

use super::{place, source::Source};
use crate::evidence::{Measurement, Row, Sample};

/// One element of `results` of nccl-tests.
#[derive(Deserialize)]
struct ResultPart<'a> {
    size: u64,
    count: Option<u64>,
    #[serde(rename = "type")]
    datatype: Option<String>,
    redop: Option<String>,
    #[serde(borrow)]
    root: Option<&'a RawValue>,
    #[serde(borrow)]
    out_of_place: Option<&'a RawValue>,
    #[serde(borrow)]
    in_place: Option<&'a RawValue>,
}

/// Puts the results into the measurement, whose `validation` is already read.
pub(super) fn read<'a>(parts: &'a RawValue, source: &Source<'a>, measurement: &mut Measurement) {
    match source.part::<Vec<&'a RawValue>>(parts, "results") {
        Ok(parts) => {
            for part in parts {
                row(part, source, measurement);
            }
        }
        Err(damage) => measurement.damage.push(damage),
    }
}

fn row<'a>(part: &'a RawValue, source: &Source<'a>, measurement: &mut Measurement) {
    let result: ResultPart<'a> = match source.object(part, "results") {
        Ok(result) => result,
        Err(damage) => return measurement.damage.push(damage),
    };
    let root = match result.root.map(|root| (root, whole(root))) {
        None => None,
        Some((_, Some(root))) => Some(root),
        Some((_, None)) => return measurement.damage.push(source.damage(part, "results.root is no rank")),
    };
    let shown = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let out_of_place = sample(result.out_of_place, "results.out_of_place", source, measurement);
    let in_place = sample(result.in_place, "results.in_place", source, measurement);
    measurement.rows.push(Row {
        size: result.size,
        count: result.count,
        datatype: shown(result.datatype),
        redop: shown(result.redop),
        root,
        out_of_place,
        in_place,
        doubt: None,
        source: source.file.to_owned(),
        line: u32::try_from(source.line(part)).unwrap_or(u32::MAX),
    });
}

fn sample<'a>(
    part: Option<&'a RawValue>,
    path: &str,
    source: &Source<'a>,
    measurement: &mut Measurement,
) -> Option<Sample> {
    match place::read(part?, path, measurement.validation != Some(false), source) {
        Ok(sample) => Some(sample),
        Err(damage) => {
            measurement.damage.push(*damage);
            None
        }
    }
}

/// The root, which nccl-tests writes as a text padded to six characters.
fn whole(value: &RawValue) -> Option<i64> {
    value.get().trim_matches('"').trim().parse().ok()
}
