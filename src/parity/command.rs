use std::{collections::BTreeMap, path::Path};

use super::Wanted;

/// What stands for the number of ranks in a launcher.
pub const RANKS: &str = "{ranks}";

/// The launcher where none is named: Open MPI's, one process per GPU, each where linkspec put it. It refuses root unless
/// it is told otherwise, and hands on the variables that are named.
pub fn default_launcher<'a>(root: bool, variables: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut words = vec!["mpirun", "-np", RANKS, "--bind-to", "none"];
    if root {
        words.push("--allow-run-as-root");
    }
    let named = variables.into_iter().flat_map(|name| ["-x", name]);
    words.into_iter().chain(named).map(str::to_owned).collect()
}

/// A launcher that was named, word by word: no shell reads it. `None` where it does not say how many ranks to start.
pub fn named_launcher(text: &str) -> Option<Vec<String>> {
    text.contains(RANKS).then(|| text.split_whitespace().map(str::to_owned).collect())
}

/// The command line of one run of nccl-tests.
pub fn command(launcher: &[String], ranks: u32, program: &Path, wanted: &Wanted, json: &Path) -> Vec<String> {
    let launcher = launcher.iter().map(|word| word.replace(RANKS, &ranks.to_string()));
    launcher.chain([program.display().to_string()]).chain(wanted.arguments(json)).collect()
}

/// The variables that both sides get: those that the operator sets and pins, and what makes both count GPUs alike.
/// `visible` are the GPUs where not all are used.
pub fn shared_variables(
    set: &BTreeMap<String, Option<String>>,
    pins: &BTreeMap<String, String>,
    visible: Option<(&str, String)>,
) -> BTreeMap<String, Option<String>> {
    let mut variables = BTreeMap::from([("CUDA_DEVICE_ORDER".to_owned(), Some("PCI_BUS_ID".to_owned()))]);
    variables.extend(visible.map(|(name, gpus)| (name.to_owned(), Some(gpus))));
    variables.extend(set.clone());
    variables.extend(pins.iter().map(|(name, value)| (name.clone(), Some(value.clone()))));
    variables
}

#[cfg(test)]
mod tests {
    use super::super::wanted::tests::WANTED;
    use super::*;

    #[test]
    fn open_mpi_is_told_what_to_hand_on() {
        let words = default_launcher(true, ["NCCL_ALGO", "NCCL_DEBUG"]).join(" ");
        assert_eq!(words, "mpirun -np {ranks} --bind-to none --allow-run-as-root -x NCCL_ALGO -x NCCL_DEBUG");
        assert_eq!(default_launcher(false, []).join(" "), "mpirun -np {ranks} --bind-to none");
    }

    #[test]
    fn a_launcher_says_how_many_ranks() {
        let launcher = named_launcher("srun  -n{ranks} --mpi=pmix").unwrap();
        let command =
            command(&launcher, 8, Path::new("/opt/nccl tests/all_reduce_perf"), &WANTED, Path::new("/a.json"));
        assert_eq!(command[..5], ["srun", "-n8", "--mpi=pmix", "/opt/nccl tests/all_reduce_perf", "-b"]);
        assert_eq!(named_launcher("srun -n 8"), None);
    }

    #[test]
    fn a_pin_wins_over_what_is_set() {
        let set = BTreeMap::from([("A".to_owned(), Some("set".to_owned())), ("B".to_owned(), None)]);
        let pins = BTreeMap::from([("A".to_owned(), "pinned".to_owned())]);
        let variables = shared_variables(&set, &pins, Some(("CUDA_VISIBLE_DEVICES", "0,2".into())));
        let text = |name: &str| variables[name].clone();
        assert_eq!(text("A").as_deref(), Some("pinned"));
        assert_eq!(text("B"), None);
        assert_eq!(text("CUDA_VISIBLE_DEVICES").as_deref(), Some("0,2"));
        assert_eq!(text("CUDA_DEVICE_ORDER").as_deref(), Some("PCI_BUS_ID"));
    }
}
