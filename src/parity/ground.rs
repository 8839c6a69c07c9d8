use crate::{
    facts::{Facts, Gpu, Host, Vendor},
    ground::{Placement, placement},
    spec::{GpuSelection, Pin},
};

/// The GPUs of a selection in the order of their indices, which is that of the ranks. The error is a fragment.
pub fn selected<'a>(selection: &GpuSelection, facts: &'a Facts) -> Result<Vec<&'a Gpu>, String> {
    // Without a whole listing, the first GPUs or all of them may be others.
    let unknown = |reason| format!("the machine's GPUs are not known: {reason}");
    facts.gpu_count.require().map_err(unknown)?;
    let all: Vec<&Gpu> = facts.gpus.iter().collect();
    let gpus: Vec<&Gpu> = match selection {
        GpuSelection::All => all,
        GpuSelection::Count(count) => {
            let count = usize::try_from(*count).unwrap_or(usize::MAX);
            let there = all.len();
            all.get(..count).ok_or_else(|| format!("--gpus {count}: there are {there} GPUs"))?.to_vec()
        }
        GpuSelection::List(list) => {
            let find = |index: &u32| facts.gpu(*index).ok_or_else(|| format!("--gpus {list}: there is no GPU{index}"));
            list.0.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    match gpus.len() {
        0 => Err("no GPU was found: `linkspec capture DIR` tells what each source says".to_owned()),
        1 => Err("one GPU alone has no bus bandwidth: two or more are compared".to_owned()),
        _ => Ok(gpus),
    }
}

/// The variable by which the GPUs of a vendor are hidden, with the GPUs that are left; `None` where all are used.
pub fn visible(vendor: Vendor, gpus: &[&Gpu], facts: &Facts) -> Option<(&'static str, String)> {
    let name = match vendor {
        Vendor::Nvidia => "CUDA_VISIBLE_DEVICES",
        Vendor::Amd => "HIP_VISIBLE_DEVICES",
    };
    let indices: Vec<String> = gpus.iter().map(|gpu| gpu.index.to_string()).collect();
    (gpus.len() < facts.gpus.len()).then(|| (name, indices.join(",")))
}

/// Where all processes of both sides run, and what a person should know of it. A launcher starts its processes from one
/// place: where the ranks would need several, or where the machine does not say enough for what nobody asked for, none is
/// moved. The error is a fragment.
pub fn common_placement(
    asked: Option<&Pin>,
    gpus: &[&Gpu],
    host: &Host,
) -> Result<(Placement, Option<String>), String> {
    let pin = asked.cloned().unwrap_or_default();
    let mut placements = Vec::new();
    for gpu in gpus {
        match placement(&pin, gpu, host) {
            Ok(placement) => placements.push(placement),
            Err(why) if asked.is_none() => {
                return Ok((Placement::default(), Some(format!("no process is pinned: {why}"))));
            }
            Err(why) => return Err(format!("--pin {pin}: {why}")),
        }
    }
    match placements.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok((first.clone(), None)),
        [] => Ok((Placement::default(), None)),
        _ => {
            let note = format!(
                "no process is pinned: {pin} would put ranks in different places, and nccl-tests' launcher starts all \
                 from one; --gpus with GPUs of one NUMA node, or --pin cpus:LIST, pins both sides"
            );
            Ok((Placement::default(), Some(note)))
        }
    }
}

/// A placement in words.
pub fn placement_words(placement: &Placement) -> String {
    match (&placement.cpus, &placement.nodes) {
        (None, None) => "not pinned".to_owned(),
        (Some(cpus), None) => format!("CPUs {cpus}"),
        (None, Some(nodes)) => format!("memory of NUMA nodes {nodes}"),
        (Some(cpus), Some(nodes)) => format!("CPUs {cpus}, memory of NUMA nodes {nodes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Fact, NumaNode, Origin};

    fn facts(nodes: &[&str]) -> Facts {
        let mut facts = Facts::new(Origin::Fake);
        for (near, index) in nodes.iter().zip(0..) {
            facts.gpu_mut(index).numa_nodes = Fact::known(near.parse().unwrap(), "NVML");
        }
        facts.gpu_count = Fact::known(u32::try_from(facts.gpus.len()).unwrap(), "NVML");
        let nodes = vec![NumaNode::new(0, "0-3".parse().unwrap()), NumaNode::new(1, "4-7".parse().unwrap())];
        facts.host.numa_nodes = Fact::known(nodes, "sysfs");
        facts
    }

    fn indices(selection: &GpuSelection, facts: &Facts) -> Result<Vec<u32>, String> {
        selected(selection, facts).map(|gpus| gpus.iter().map(|gpu| gpu.index).collect())
    }

    #[test]
    fn gpus_are_selected() {
        let facts = facts(&["0", "0", "1", "1"]);
        let list = |text: &str| GpuSelection::List(text.parse().unwrap());
        assert_eq!(indices(&GpuSelection::All, &facts), Ok(vec![0, 1, 2, 3]));
        assert_eq!(indices(&GpuSelection::Count(2), &facts), Ok(vec![0, 1]));
        assert_eq!(indices(&list("1,3"), &facts), Ok(vec![1, 3]));
        assert_eq!(indices(&GpuSelection::Count(5), &facts).unwrap_err(), "--gpus 5: there are 4 GPUs");
        assert_eq!(indices(&list("1,7"), &facts).unwrap_err(), "--gpus 1,7: there is no GPU7");
        assert!(indices(&list("3"), &facts).unwrap_err().starts_with("one GPU alone"));
        assert!(indices(&GpuSelection::All, &self::facts(&[])).unwrap_err().starts_with("no GPU was found"));
        let mut unlisted = Facts::new(Origin::Fake);
        unlisted.gpu_count = Fact::unknown("no driver");
        let told = "the machine's GPUs are not known: no driver";
        assert_eq!(indices(&GpuSelection::Count(2), &unlisted).unwrap_err(), told);
    }

    #[test]
    fn the_others_are_hidden() {
        let facts = facts(&["0", "0", "1"]);
        let of = |vendor, count| visible(vendor, &selected(&GpuSelection::Count(count), &facts).unwrap(), &facts);
        assert_eq!(of(Vendor::Nvidia, 2), Some(("CUDA_VISIBLE_DEVICES", "0,1".into())));
        assert_eq!(of(Vendor::Amd, 2), Some(("HIP_VISIBLE_DEVICES", "0,1".into())));
        assert_eq!(of(Vendor::Nvidia, 3), None);
    }

    fn placed(asked: Option<&str>, facts: &Facts) -> Result<(String, Option<String>), String> {
        let gpus: Vec<&Gpu> = facts.gpus.iter().collect();
        let asked: Option<Pin> = asked.map(|pin| pin.parse().unwrap());
        common_placement(asked.as_ref(), &gpus, &facts.host)
            .map(|(placement, note)| (placement_words(&placement), note))
    }

    #[test]
    fn one_place_serves_all_ranks() {
        assert_eq!(placed(None, &facts(&["1", "1"])), Ok(("CPUs 4-7, memory of NUMA nodes 1".into(), None)));
        assert_eq!(placed(Some("none"), &facts(&["0", "1"])), Ok(("not pinned".into(), None)));
        assert_eq!(placed(Some("cpus:1"), &facts(&["0", "1"])).unwrap().1, None);
    }

    #[test]
    fn several_places_are_none() {
        let (words, note) = placed(None, &facts(&["0", "1"])).unwrap();
        assert_eq!(words, "not pinned");
        assert!(note.unwrap().starts_with("no process is pinned: gpu-local would put ranks in different places"));
    }

    #[test]
    fn what_nobody_asked_for_may_be_unknown() {
        let mut unknown = facts(&["0", "0"]);
        unknown.gpu_mut(1).numa_nodes = Fact::unknown("numa_node is -1");
        let (words, note) = placed(None, &unknown).unwrap();
        assert_eq!(words, "not pinned");
        assert!(note.unwrap().contains("GPU1 is not known (numa_node is -1)"));
        assert!(placed(Some("gpu-local"), &unknown).unwrap_err().starts_with("--pin gpu-local: the NUMA node of GPU1"));
    }
}
