use crate::{facts::Fact, probe::tree::Tree};

const NVIDIA: &str = "proc/driver/nvidia/version";
const AMD: &str = "sys/module/amdgpu";
const RELEASE: &str = "proc/sys/kernel/osrelease";
/// Modules that give NVIDIA's memory to RDMA devices: the driver's own, and the one before it.
const NVIDIA_PEERS: [&str; 2] = ["sys/module/nvidia_peermem", "sys/module/nv_peer_mem"];
/// The first Linux whose RDMA devices take a DMA-BUF of NVIDIA's open kernel modules.
///
/// Source: NVIDIA GPU Operator's documentation, "GPUDirect RDMA and GPUDirect Storage".
const DMABUF_SINCE: (u32, u32) = (5, 12);
const AMD_PEERS: &str = "sys/kernel/mm/memory_peers/amdkfd";
/// What a kernel must be built with so that amdgpu shares memory with RDMA devices through DMA-BUF.
const AMD_OPTIONS: [&str; 2] = ["CONFIG_DMABUF_MOVE_NOTIFY=y", "CONFIG_PCI_P2PDMA=y"];

/// The ways to GPUDirect RDMA that are there.
pub(super) fn ways(tree: &Tree) -> Fact<Vec<String>> {
    if let Ok(driver) = tree.read(NVIDIA) {
        of_nvidia(tree, &driver)
    } else if tree.has(AMD) {
        of_amd(tree)
    } else {
        Fact::unknown("no driver of GPUs is loaded")
    }
}

fn of_nvidia(tree: &Tree, driver: &str) -> Fact<Vec<String>> {
    let peers = NVIDIA_PEERS.into_iter().find(|module| tree.has(module));
    ways_of(peers, nvidia_dmabuf(tree, driver), NVIDIA)
}

/// Whether the open kernel modules run on a kernel that is new enough.
fn nvidia_dmabuf(tree: &Tree, driver: &str) -> Result<bool, String> {
    if !driver.contains("Open Kernel Module") {
        return Ok(false);
    }
    let release = tree.read(RELEASE)?;
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor) >= DMABUF_SINCE),
        _ => Err(format!("/{RELEASE} says {release:?}, which is no release of Linux")),
    }
}

fn of_amd(tree: &Tree) -> Fact<Vec<String>> {
    let peers = tree.has(AMD_PEERS).then_some(AMD_PEERS);
    let configuration = tree.read(RELEASE).map(|release| format!("boot/config-{release}"));
    let read = configuration.and_then(|path| Ok((tree.read(&path)?, path)));
    match (peers, read) {
        (_, Ok((text, path))) => {
            let built_with = |option: &str| text.lines().any(|line| line.trim() == option);
            ways_of(peers, Ok(AMD_OPTIONS.into_iter().all(built_with)), &path)
        }
        (Some(_), Err(_)) => ways_of(peers, Ok(false), AMD_PEERS),
        (None, Err(reason)) => Fact::unknown(format!("/{AMD_PEERS} is not there, and {reason}")),
    }
}

/// What is there of the two ways; `source` said whether DMA-BUF is.
fn ways_of(peers: Option<&str>, dmabuf: Result<bool, String>, source: &str) -> Fact<Vec<String>> {
    let (ways, sources) = match (peers, dmabuf) {
        (None, Err(reason)) => return Fact::unknown(reason),
        (None, Ok(false)) => (vec![], vec![source]),
        (None, Ok(true)) => (vec!["dmabuf"], vec![source]),
        (Some(module), Ok(true)) => (vec!["peermem", "dmabuf"], vec![module, source]),
        (Some(module), Ok(false) | Err(_)) => (vec!["peermem"], vec![module]),
    };
    let sources: Vec<String> = sources.into_iter().map(|path| format!("/{path}")).collect();
    Fact::known(ways.into_iter().map(str::to_owned).collect(), sources.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Rebuilt, rebuilt},
        *,
    };

    const OPEN: &str = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n";
    const CLOSED: &str = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 2024\n";

    fn ways_on(machine: &Rebuilt) -> Option<Vec<String>> {
        ways(&machine.tree).value().cloned()
    }

    #[test]
    fn nvidia_by_module_and_kernel() {
        for (driver, release, module, expected) in [
            (OPEN, "6.8.0-60-generic", false, Some(vec!["dmabuf"])),
            (OPEN, "5.12.0", true, Some(vec!["peermem", "dmabuf"])),
            (OPEN, "5.11.22", false, Some(vec![])),
            (OPEN, "4.18.0-553.el8_10.x86_64", true, Some(vec!["peermem"])),
            (OPEN, "custom", false, None),
            (CLOSED, "6.8.0-60-generic", false, Some(vec![])),
            (CLOSED, "6.8.0-60-generic", true, Some(vec!["peermem"])),
        ] {
            let machine = rebuilt(&[(NVIDIA, driver), (RELEASE, release)]);
            if module {
                machine.folder("sys/module/nvidia_peermem");
            }
            let expected = expected.map(|ways| ways.into_iter().map(str::to_owned).collect());
            assert_eq!(ways_on(&machine), expected, "{driver} {release} {module}");
        }
    }

    #[test]
    fn amd_by_how_its_kernel_was_built() {
        let machine = rebuilt(&[(RELEASE, "6.8.0-60-generic\n")]);
        machine.folder(AMD);
        let reason = ways(&machine.tree);
        let both = "/sys/kernel/mm/memory_peers/amdkfd is not there, and /boot/config-6.8.0-60-generic is not there";
        assert_eq!(reason.reason(), Some(both));
        machine.folder(AMD_PEERS);
        assert_eq!(ways_on(&machine), Some(vec!["peermem".to_owned()]));
        machine.write("boot/config-6.8.0-60-generic", "CONFIG_DMABUF_MOVE_NOTIFY=y\nCONFIG_PCI_P2PDMA=y\n");
        assert_eq!(ways_on(&machine), Some(vec!["peermem".to_owned(), "dmabuf".to_owned()]));
        machine.write("boot/config-6.8.0-60-generic", "# CONFIG_DMABUF_MOVE_NOTIFY is not set\nCONFIG_PCI_P2PDMA=y\n");
        assert_eq!(ways_on(&machine), Some(vec!["peermem".to_owned()]));
    }

    #[test]
    fn without_a_driver_there_is_no_way_to_know() {
        assert_eq!(ways(&rebuilt(&[]).tree).reason(), Some("no driver of GPUs is loaded"));
    }
}
