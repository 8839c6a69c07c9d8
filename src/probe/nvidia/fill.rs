use super::{
    answer::{Answer, Library, Part, Told},
    fill_gpu::{self, COMPLETED, SOURCE, address, fact, word},
    fill_pairs,
    gathered::Gathered,
    joined::{End, Ends},
    lane, lost, twins, words,
};
use crate::{
    facts::{Fact, Facts, Origin, Vendor},
    probe::{child::Heard, live::Silence},
};

/// The name of the source in the facts.
const NAME: &str = "NVIDIA GPUs";

/// Fills the facts from what was heard.
pub(in crate::probe) fn fill(heard: Heard<Answer>, facts: &mut Facts) -> Silence {
    let silence = Silence::of(&heard, "NVML does not say");
    fill_from(Gathered::of(heard.answers), silence, facts)
}

/// [`fill`] with the answers and the silence apart. PURE.
pub(super) fn fill_from(mut all: Gathered, mut silence: Silence, facts: &mut Facts) -> Silence {
    if all.fake {
        facts.origin = Origin::Fake;
    }
    if let Some(why) = all.no_nvml {
        facts.sources.insert(NAME.to_owned(), why.clone());
        return Silence::all(why);
    }
    let Some(count) = all.count.clone() else {
        facts.sources.insert(NAME.to_owned(), format!("NVML was not read: {}", silence.why("NVML")));
        return Silence::all(silence.why("NVML"));
    };
    facts.vendor.merge(Fact::known(Vendor::Nvidia, SOURCE));
    facts.gpu_count.merge(gpu_count(count, all.count_again.clone()));
    if let Some(Library { version, path }) = all.library.take() {
        let version =
            version.map_or_else(Fact::unknown, |version| Fact::known(version, path.as_deref().unwrap_or(SOURCE)));
        facts.libraries.insert(SOURCE.to_owned(), version);
    }
    if let Some(driver) = &all.driver {
        facts.driver.merge(fact(word("nvmlSystemGetDriverVersion", driver.version.clone())));
        facts.cuda.merge(fact(driver.cuda.clone().and_then(|number| {
            words::cuda(number)
                .ok_or_else(|| format!("nvmlSystemGetCudaDriverVersion_v2: answered {number}, which is no version"))
        })));
    }
    for (index, (reason, _)) in &all.no_gpu {
        silence.because(lane::gpu(*index), reason);
        silence.because(lane::link_errors(*index), reason);
    }
    let indices = all.indices();
    facts.sources.insert(NAME.to_owned(), line(&all, &indices, facts, &silence));
    lost::note(&all, facts);
    let ends = ends(&all, &indices, &silence);
    for index in &indices {
        let gpu = facts.gpu_mut(*index);
        let parts = all.gpus.remove(index).unwrap_or_default();
        parts.into_iter().for_each(|part| fill_gpu::part(gpu, part));
    }
    twins::contradict(&mut facts.gpus);
    fill_pairs::pairs(&all.pairs, &indices, &ends, facts, &silence);
    silence
}

/// The number at the start, if that at the end is the same. A count that was never asked again, because a GPU hung or
/// the child ended, is as good as one that was.
fn gpu_count(count: Told<u32>, again: Option<Told<u32>>) -> Fact<u32> {
    match (count, again) {
        (Ok(before), Some(Ok(after))) if before != after => Fact::Conflict {
            reason: format!("{SOURCE} counted {before} GPUs before it read them, and {after} afterwards"),
        },
        (Ok(before), Some(Err(why))) => {
            Fact::unknown(format!("{SOURCE} counted {before} GPUs before it read them, and none afterwards: {why}"))
        }
        (count, _) => fact(count),
    }
}

/// What was found, in one line: `2 GPUs through NVML (driver 580.159.04)`.
fn line(all: &Gathered, indices: &[u32], facts: &Facts, silence: &Silence) -> String {
    let driver = match facts.driver.require() {
        Ok(version) => format!("driver {version}"),
        Err(_) => "driver's version unknown".to_owned(),
    };
    let mut line = match &all.count {
        Some(Ok(1)) => format!("1 GPU through NVML ({driver})"),
        Some(Ok(count)) => format!("{count} GPUs through NVML ({driver})"),
        Some(Err(why)) => format!("NVML ({driver}) does not count its GPUs: {why}"),
        None => format!("NVML ({driver}): {}", silence.why("NVML")),
    };
    // A GPU that is not read to the end is said once.
    let lane =
        |index: &u32| [lane::gpu(*index), lane::link_errors(*index)].into_iter().find(|lane| silence.names(lane));
    let halfway: Vec<String> = indices.iter().filter_map(lane).collect();
    if !halfway.is_empty() {
        line.push_str(&format!("; not read to the end: {}", halfway.join(", ")));
    }
    line
}

/// Each GPU's own address and links, or why they are unknown.
fn ends(all: &Gathered, indices: &[u32], silence: &Silence) -> Ends {
    let end = |index: u32| {
        let untold = || silence.why(&lane::gpu(index));
        let mut end = End { address: Err(untold()), links: Err(untold()), fabric: None };
        for part in all.gpus.get(&index).into_iter().flatten() {
            match part {
                Part::Identity(identity) => {
                    let spelled = |text: String| address(&text).ok_or_else(|| format!("{text:?} is no PCI address"));
                    end.address = identity.pci_address.clone().and_then(spelled);
                }
                Part::Links(links) => end.links = links.clone(),
                Part::Fabric(Ok(fabric)) if fabric.state == COMPLETED => {
                    end.fabric = Some((fabric.cluster, fabric.clique));
                }
                _ => {}
            }
        }
        end
    };
    indices.iter().map(|index| (*index, end(*index))).collect()
}
