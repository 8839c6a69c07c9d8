//! Values of the library's variables that no version of it knows.

use super::{EnvironmentValue, Place, Test, cells::Cell, collective_expect};

const ALGORITHM: &str = "NCCL_ALGO";
const PROTOCOL: &str = "NCCL_PROTO";

/// The name that `CollNetDirect` and `CollNetChain` had while there was one of them.
const OLD_ALGORITHMS: &[&str] = &["CollNet"];

/// Reports the values of `NCCL_ALGO` and `NCCL_PROTO` that no version of NCCL or RCCL takes.
pub(super) fn lint(test: &Test, mut warn: impl FnMut(&Place, String)) {
    for (name, what, known) in
        [(ALGORITHM, "algorithm", collective_expect::ALGORITHMS), (PROTOCOL, "protocol", collective_expect::PROTOCOLS)]
    {
        for (place, value) in values(test, name) {
            let old = if name == ALGORITHM { OLD_ALGORITHMS } else { &[] };
            let is_known = |word: &&str| known.iter().chain(old).any(|known| known.eq_ignore_ascii_case(word));
            for word in words(value).filter(|word| !is_known(word)) {
                warn(place, format!("no version of the library knows the {what} `{word}` of {name}"));
            }
        }
    }
}

/// Whether a case with this cell is told to use rings and nothing else.
pub(super) fn is_ring(test: &Test, cell: &Cell) -> bool {
    let crossed = test.matrix.iter().any(|matrix| matrix.axes.iter().any(|axis| axis.key.name() == ALGORITHM));
    let set = [&test.environment, &test.default_environment].into_iter().find_map(|map| map.get(ALGORITHM));
    let value = match (cell.iter().find(|(key, _)| &**key == ALGORITHM), set) {
        (Some((_, value)), _) => &**value,
        // `~` in the cell removes what the test sets.
        (None, _) if crossed => return false,
        (None, Some(value)) => match &value.value {
            EnvironmentValue::Set(value) => value,
            EnvironmentValue::Removed | EnvironmentValue::PerRank(_) => return false,
        },
        (None, None) => return false,
    };
    let mut words = words(value).peekable();
    !value.starts_with('^') && words.peek().is_some() && words.all(|word| word.eq_ignore_ascii_case("Ring"))
}

/// Every value that a test gives to a variable, and where.
fn values<'a>(test: &'a Test, name: &'a str) -> Vec<(&'a Place, &'a str)> {
    let mut values: Vec<(&Place, &str)> = Vec::new();
    for set in [&test.environment, &test.default_environment].into_iter().filter_map(|map| map.get(name)) {
        match &set.value {
            EnvironmentValue::Removed => {}
            EnvironmentValue::Set(value) => values.push((&set.place, value)),
            EnvironmentValue::PerRank(each) => values.extend(each.iter().map(|value| (&set.place, value.as_str()))),
        }
    }
    if let Some(matrix) = &test.matrix {
        for axis in matrix.axes.iter().filter(|axis| axis.key.name() == name) {
            values.extend(axis.values.iter().flatten().map(|value| (&axis.place, value.as_str())));
        }
        for cell in &matrix.include {
            values.extend(cell.value.get(name).and_then(Option::as_deref).map(|value| (&cell.place, value)));
        }
    }
    values
}

/// The names in a value: `Ring,Tree`, `^NVLS`, and from NCCL 2.24 on `allreduce:tree;broadcast:ring`.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').flat_map(|part| {
        let list = part.split_once(':').map_or(part, |(_, list)| list);
        list.trim_start_matches('^').split(',').map(str::trim).filter(|word| !word.is_empty())
    })
}
