use crate::{
    facts::Facts,
    plan::{Case, EnvironmentOrigin, OperatorEnvironment, ResolvedVariable, environment},
    spec::{EnvironmentValue, GpuSelection, Pin},
};

/// The environment of a rank: values, and `None` for what is removed.
pub(super) type Environment = Vec<(String, Option<String>)>;

/// What a session is of: cases that agree in it share their processes and their communicator. The libraries read their
/// environment once, so that another environment is another session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// The GPUs by index, in the order of the ranks.
    pub(super) gpus: Vec<u32>,
    /// Where the ranks are placed.
    pub(super) pin: Pin,
    /// The environment.
    pub(super) environment: Vec<ResolvedVariable>,
}

impl Cell {
    /// The cell of a case on a machine.
    pub(super) fn of(case: &Case, operator: &OperatorEnvironment, facts: &Facts) -> Result<Self, String> {
        let gpus = gpus(&case.gpus(), facts)?;
        if gpus.len() < 2 {
            return Err("a collective needs 2 GPUs at least: one rank has no bus bandwidth".to_owned());
        }
        let environment = environment(case, operator);
        for variable in &environment {
            if let EnvironmentValue::PerRank(values) = &variable.value
                && values.len() != gpus.len()
            {
                let (name, values, ranks) = (&variable.name, values.len(), gpus.len());
                return Err(format!("{name} has {values} values for {ranks} ranks"));
            }
        }
        Ok(Self { gpus, pin: case.pin(), environment })
    }

    /// The environment of a rank as people ask for it.
    fn variables(&self, rank: usize) -> Environment {
        let value = |variable: &ResolvedVariable| match &variable.value {
            EnvironmentValue::Removed => None,
            EnvironmentValue::Set(value) => Some(value.clone()),
            EnvironmentValue::PerRank(values) => values.get(rank).cloned(),
        };
        self.environment.iter().map(|variable| (variable.name.clone(), value(variable))).collect()
    }

    /// The environment of a rank with the engine's own variables: these give way to what a person asks for, and not to
    /// what was merely inherited.
    pub(super) fn with_engine(&self, rank: usize, engine: Vec<(String, String)>) -> Environment {
        let mut variables = self.variables(rank);
        for (name, value) in engine {
            match self.environment.iter().position(|known| known.name == name) {
                Some(at) if self.environment[at].origin == EnvironmentOrigin::Inherited => {
                    variables[at].1 = Some(value)
                }
                Some(_) => {}
                None => variables.push((name, Some(value))),
            }
        }
        variables
    }

    /// The same without P2P; `None` where that is how it is, or where a person decides it.
    pub(super) fn without_p2p(&self) -> Option<Self> {
        let name = "NCCL_P2P_DISABLE";
        if self.environment.iter().any(|variable| variable.name == name) {
            return None;
        }
        let value = EnvironmentValue::Set("1".to_owned());
        let mut environment = self.environment.clone();
        environment.push(ResolvedVariable { name: name.to_owned(), value, origin: EnvironmentOrigin::Test });
        Some(Self { environment, ..self.clone() })
    }
}

/// The GPUs of a selection by index.
fn gpus(selection: &GpuSelection, facts: &Facts) -> Result<Vec<u32>, String> {
    let known: Vec<u32> = facts.gpus.iter().map(|gpu| gpu.index).collect();
    let missing = |index: &u32| !known.contains(index);
    match selection {
        GpuSelection::All => match facts.gpu_count.require() {
            Ok(_) => Ok(known),
            Err(reason) => Err(format!("the machine's GPUs are not known: {reason}")),
        },
        GpuSelection::Count(count) if known.len() < *count as usize => {
            Err(format!("the case asks for {count} GPUs, {} are known", known.len()))
        }
        GpuSelection::Count(count) => Ok(known.into_iter().take(*count as usize).collect()),
        GpuSelection::List(list) => match list.0.iter().find(|index| missing(index)) {
            Some(index) => Err(format!("the case asks for GPU{index}, which is not there")),
            None => Ok(list.0.iter().copied().collect()),
        },
    }
}
