use serde::Deserialize;
use serde_json::value::RawValue;

use super::source::Source;
use crate::{
    evidence::{Figure, Sample, Wrong},
    facts::Damage,
};

/// `out_of_place` and `in_place` of a result.
#[derive(Deserialize)]
struct Place<'a> {
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    cpu_time: Option<&'a RawValue>,
    #[serde(borrow)]
    alg_bw: Option<&'a RawValue>,
    #[serde(borrow)]
    bus_bw: Option<&'a RawValue>,
    #[serde(borrow)]
    nwrong: Option<&'a RawValue>,
}

/// What was measured in one place, or why it cannot be relied on. `checked` is false where the configuration says that no
/// data is checked: whatever stands there is then no count.
pub(super) fn read<'a>(
    part: &'a RawValue,
    path: &str,
    checked: bool,
    source: &Source<'a>,
) -> Result<Sample, Box<Damage>> {
    let place: Place<'a> = source.object(part, path)?;
    if place.cpu_time.is_some() {
        let reason = format!("{path}: its times are those of the host's calls (-C 1), not of the operations");
        return Err(Box::new(source.damage(part, reason)));
    }
    let of = |key: &str, value: Option<&RawValue>| {
        figure(value).map_err(|why| Box::new(source.damage(part, format!("{path}.{key} {why}"))))
    };
    let wrong = match place.nwrong.filter(|_| checked) {
        Some(count) => Wrong::Elements(
            elements(count).ok_or_else(|| Box::new(source.damage(part, format!("{path}.nwrong is no count"))))?,
        ),
        None => Wrong::Unchecked,
    };
    let (time, algbw, busbw) = (of("time", place.time)?, of("alg_bw", place.alg_bw)?, of("bus_bw", place.bus_bw)?);
    Ok(Sample { time, algbw, busbw, wrong })
}

/// Half of the last of six decimals: both tools write figures with `%lf`. Zeros at the end may be lost to a formatter.
const ROUNDING: f64 = 5e-7;

/// A number with its rounding; nccl-tests writes the text `nan` for what is none.
pub(super) fn figure(value: Option<&RawValue>) -> Result<Figure, &'static str> {
    let text = value.ok_or("is missing")?.get();
    if text.eq_ignore_ascii_case("\"nan\"") || text.eq_ignore_ascii_case("\"-nan\"") {
        return Err("is nan");
    }
    let figure = Figure::printed(text).filter(|figure| figure.value >= 0.0).ok_or("is no number of 0 or more")?;
    Ok(Figure { rounding: ROUNDING, ..figure })
}

/// A count, which nccl-tests writes as a floating-point number.
fn elements(value: &RawValue) -> Option<u64> {
    let (whole, fraction) = value.get().split_once('.').unwrap_or((value.get(), ""));
    let count = whole.parse().ok()?;
    fraction.bytes().all(|digit| digit == b'0').then_some(count)
}
