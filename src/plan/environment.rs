//! The environment of a case and where each value came from.

use std::{collections::BTreeMap, fmt};

use super::Case;
use crate::spec::{AxisKey, EnvironmentMap, EnvironmentValue, Test};

/// What the operator and the shell say of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorEnvironment {
    /// `--pin-env` and `LINKSPEC_PIN_ENV`: these win over everything.
    pub pins: BTreeMap<String, String>,
    /// `--env NAME=VALUE`; `None` for `--env NAME`, which removes it.
    pub set: BTreeMap<String, Option<String>>,
    /// The variables inherited from the shell that matter: those of the collective libraries and of GPU selection.
    pub inherited: BTreeMap<String, String>,
}

/// Who gave a variable its value, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnvironmentOrigin {
    /// The operator's pin.
    Pin,
    /// `--env`.
    CommandLine,
    /// The cell of the matrix.
    Cell,
    /// The test.
    Test,
    /// The `defaults` of the test's file.
    Defaults,
    /// The shell.
    Inherited,
}

impl fmt::Display for EnvironmentOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pin => "pin",
            Self::CommandLine => "--env",
            Self::Cell => "cell",
            Self::Test => "test",
            Self::Defaults => "defaults",
            Self::Inherited => "inherited",
        })
    }
}

/// A variable as a case gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedVariable {
    /// The name.
    pub name: String,
    /// The value, or that it is removed.
    pub value: EnvironmentValue,
    /// Who gave it.
    pub origin: EnvironmentOrigin,
}

/// The environment of a case, in byte order of the names.
pub fn environment(case: &Case, operator: &OperatorEnvironment) -> Vec<ResolvedVariable> {
    let mut layers = asked(case, operator);
    let pins = operator.pins.iter().map(|(name, value)| (name.clone(), EnvironmentValue::Set(value.clone())));
    layers.extend(pins.map(|(name, value)| ResolvedVariable { name, value, origin: EnvironmentOrigin::Pin }));
    let mut strongest: BTreeMap<String, ResolvedVariable> = BTreeMap::new();
    for variable in layers {
        match strongest.get(&variable.name) {
            Some(known) if known.origin <= variable.origin => {}
            _ => {
                strongest.insert(variable.name.clone(), variable);
            }
        }
    }
    strongest.into_values().collect()
}

/// Everything that asks for a value, but for the operator's pins: several entries for one name are possible.
pub(super) fn asked(case: &Case, operator: &OperatorEnvironment) -> Vec<ResolvedVariable> {
    let mut asked = Vec::new();
    let mut add = |name: &str, value: EnvironmentValue, origin| {
        asked.push(ResolvedVariable { name: name.to_owned(), value, origin });
    };
    for (name, value) in &operator.set {
        let value = value.clone().map_or(EnvironmentValue::Removed, EnvironmentValue::Set);
        add(name, value, EnvironmentOrigin::CommandLine);
    }
    if let Some(test) = &case.test {
        cell_variables(case, test, &mut add);
        let mut add_map = |map: &EnvironmentMap, origin| {
            for (name, value) in map {
                add(name, value.value.clone(), origin);
            }
        };
        add_map(&test.environment, EnvironmentOrigin::Test);
        add_map(&test.default_environment, EnvironmentOrigin::Defaults);
    }
    for (name, value) in &operator.inherited {
        add(name, EnvironmentValue::Set(value.clone()), EnvironmentOrigin::Inherited);
    }
    asked
}

/// The cell's own variables. An axis that is `~` in the cell removes its variable, also an inherited one: otherwise
/// the shell's value would be measured under the name of the default.
fn cell_variables(case: &Case, test: &Test, add: &mut impl FnMut(&str, EnvironmentValue, EnvironmentOrigin)) {
    let fields = [AxisKey::Operation, AxisKey::Datatype, AxisKey::Pin, AxisKey::Gpus];
    for (key, value) in &case.cell {
        if !fields.iter().any(|field| field.name() == &**key) {
            add(key, EnvironmentValue::Set(value.to_string()), EnvironmentOrigin::Cell);
        }
    }
    for axis in test.matrix.iter().flat_map(|matrix| &matrix.axes) {
        if let AxisKey::Environment(name) = &axis.key
            && !case.cell.iter().any(|(key, _)| **key == **name)
        {
            add(name, EnvironmentValue::Removed, EnvironmentOrigin::Cell);
        }
    }
}
