use std::collections::BTreeMap;

use super::{
    answer::{Link, Told},
    fill_gpu::address,
    words,
};
use crate::facts::{Fact, NvLinkRemoteKind, P2pStatus};

/// A GPU as far as its NVLinks go.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// Its own PCI address.
    pub(super) address: Told<String>,
    /// Its links.
    pub(super) links: Told<Vec<Link>>,
    /// The cluster and the clique of the fabric that it has joined, where it has joined one and says so.
    pub(super) fabric: Option<([u8; 16], u32)>,
}

/// Every GPU's end, by index.
pub(super) type Ends = BTreeMap<u32, End>;

/// Counts the active NVLinks between two GPUs: those that go straight from one to the other, and through NVSwitches as
/// many as both have.
///
/// Virtual machines hide what is at the other end. A link to something unknown is taken for one to a switch where the
/// driver says that the two reach each other over NVLink, as NCCL takes it; else nothing is known of the pair. So it is
/// where the switches keep the two in different cliques of the fabric.
pub(super) fn nvlinks(a: u32, b: u32, ends: &Ends, peers: &Fact<P2pStatus>) -> Told<u32> {
    let (ours, theirs) = (view(a, b, ends)?, view(b, a, ends)?);
    if ours.is_empty() || theirs.is_empty() {
        return Ok(0);
    }
    let hidden = [(a, &ours), (b, &theirs)].into_iter().find_map(|(gpu, view)| Some((gpu, view.hidden.first()?)));
    if let Some((gpu, link)) = hidden
        && peers.value() != Some(&P2pStatus::Ok)
    {
        return Err(format!("what is at the other end of NVLink {link} of GPU{gpu} is unknown"));
    }
    let switched = ours.switched().min(theirs.switched());
    if switched > 0 && peers.value() != Some(&P2pStatus::Ok) {
        parted(a, b, ends)?;
    }
    Ok(count(ours.direct.min(theirs.direct) + switched))
}

/// Links to switches join GPUs of one clique only.
fn parted(a: u32, b: u32, ends: &Ends) -> Told<()> {
    let fabric = |gpu: u32| ends.get(&gpu).and_then(|end| end.fabric);
    match fabric(a).zip(fabric(b)) {
        Some(((cluster, ours), (other, theirs))) if cluster == other && ours != theirs => {
            Err(format!("the fabric has GPU{a} in clique {ours} and GPU{b} in clique {theirs}"))
        }
        Some(((cluster, _), (other, _))) if cluster != other => {
            Err(format!("GPU{a} and GPU{b} are in different clusters of the fabric"))
        }
        _ => Ok(()),
    }
}

/// The active links of a GPU, as seen for a pair.
#[derive(Default)]
struct View {
    /// Those that go to the other GPU.
    direct: usize,
    /// Those that go to an NVSwitch.
    to_switches: usize,
    /// Those that go to something unknown.
    hidden: Vec<u32>,
}

impl View {
    /// Whether nothing of it can lead to the other GPU.
    const fn is_empty(&self) -> bool {
        self.direct == 0 && self.to_switches == 0 && self.hidden.is_empty()
    }

    fn switched(&self) -> usize {
        self.to_switches + self.hidden.len()
    }
}

fn view(of: u32, other: u32, ends: &Ends) -> Told<View> {
    let end = |index: u32| ends.get(&index).ok_or_else(|| format!("the NVLinks of GPU{index} were not read"));
    let links = end(of)?.links.as_ref().map_err(|why| format!("the NVLinks of GPU{of} are unknown: {why}"))?;
    let mut view = View::default();
    for link in links.iter().filter(|link| link.active) {
        match goes_to(link, ends) {
            Goes::Switch => view.to_switches += 1,
            Goes::Elsewhere => {}
            Goes::Hidden => view.hidden.push(link.index),
            Goes::Gpu(address) => {
                let theirs = &end(other)?.address;
                let theirs =
                    theirs.as_ref().map_err(|why| format!("the PCI address of GPU{other} is unknown: {why}"))?;
                view.direct += usize::from(address == *theirs);
            }
            Goes::HiddenGpu => {
                return Err(format!("NVLink {} of GPU{of} goes to a GPU whose PCI address is hidden", link.index));
            }
        }
    }
    Ok(view)
}

enum Goes {
    /// To the GPU with an address.
    Gpu(String),
    /// To a GPU whose address is hidden.
    HiddenGpu,
    /// To an NVSwitch.
    Switch,
    /// To what is no GPU and leads to none.
    Elsewhere,
    /// The driver does not say.
    Hidden,
}

fn goes_to(link: &Link, ends: &Ends) -> Goes {
    let address = link.remote_address.as_deref().ok().and_then(address);
    let kind = link.remote_type.as_ref().map_or(NvLinkRemoteKind::Unknown, |kind| words::remote_kind(*kind));
    match (kind, address) {
        (NvLinkRemoteKind::Switch, _) => Goes::Switch,
        (NvLinkRemoteKind::Cpu, _) => Goes::Elsewhere,
        (NvLinkRemoteKind::Gpu, Some(address)) => Goes::Gpu(address),
        (NvLinkRemoteKind::Gpu, None) => Goes::HiddenGpu,
        (NvLinkRemoteKind::Unknown, Some(address)) if is_gpu(&address, ends) => Goes::Gpu(address),
        (NvLinkRemoteKind::Unknown, _) => Goes::Hidden,
    }
}

/// Whether a GPU of this machine has an address.
fn is_gpu(address: &str, ends: &Ends) -> bool {
    ends.values().any(|end| end.address.as_deref() == Ok(address))
}

fn count(links: usize) -> u32 {
    u32::try_from(links).unwrap_or(u32::MAX)
}
