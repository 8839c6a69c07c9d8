use super::{same_run, traffic::Traffic};
use crate::{plan::Case, spec::Kind, verdict::Evidence};

impl Evidence<'_> {
    /// Whether a communicator of a collective case uses NVLink SHARP, or why that is not known: only a log tells it,
    /// and only a whole one that it is not in use, or one that says that it is switched off.
    pub(in crate::verdict) fn uses_nvls(&self, case: &Case) -> Result<bool, String> {
        let Kind::Collective(collective) = &*case.kind else {
            return Err(format!("only a log of the library tells it, and {} has none", case.kind.name()));
        };
        let name = case.short_name();
        let known = self.collectives.get(&name);
        let log = same_run::log(known, &name)?;
        if log.nvls_used {
            return Ok(true);
        }
        let switch = log.environment.get("NCCL_NVLS_ENABLE");
        if switch.is_some_and(|values| values.iter().eq(["0"])) {
            return Ok(false);
        }
        let measurement = known.and_then(|known| known.measurement.as_ref());
        let traffic = Traffic::of(log, collective, measurement, self.before)?;
        match traffic.gap {
            Some(gap) => Err(gap),
            None if traffic.nvls.is_spoken_of => {
                Err("the log chooses NVLS and shows no communicator for it".to_owned())
            }
            None => Ok(false),
        }
    }
}
