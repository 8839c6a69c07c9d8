use super::{
    Answer, cpuinfo, cpus, fabric_manager, gpudirect, iommu, kernel, kernel_log, libraries, memory, nodes, services,
    shm, virtual_machine,
};
use crate::probe::{
    child::{Lane, Lanes},
    live::Site,
    tree::Tree,
};

/// What is read side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Host,
    KernelLog,
    Services,
    FabricManager,
    Libraries,
}

/// The lane of the kernel, CPUs, memory and settings.
pub(super) const HOST: &str = "host";
pub(super) const KERNEL_LOG: &str = "kernel log";
pub(super) const SERVICES: &str = "services";
pub(super) const FABRIC_MANAGER: &str = "fabric manager";
pub(super) const LIBRARIES: &str = "libraries";

impl Part {
    const ALL: [Self; 5] = [Self::Host, Self::KernelLog, Self::Services, Self::FabricManager, Self::Libraries];

    const fn lane(self) -> &'static str {
        match self {
            Self::Host => HOST,
            Self::KernelLog => KERNEL_LOG,
            Self::Services => SERVICES,
            Self::FabricManager => FABRIC_MANAGER,
            Self::Libraries => LIBRARIES,
        }
    }
}

/// Reads the source, in the child.
pub(in crate::probe) fn read(site: &Site, lanes: &Lanes<Answer>) {
    let tree = site.tree();
    lanes.each(
        Part::ALL,
        |part| part.lane().to_owned(),
        |lane, part| match part {
            Part::Host => host(&tree, lane),
            Part::KernelLog => {
                lane.begin("/dev/kmsg");
                lane.tell(Answer::KernelLog(kernel_log::read(&tree)));
            }
            Part::Services => {
                lane.begin(services::COMMAND);
                lane.tell(Answer::Services(services::services(&tree)));
            }
            Part::FabricManager => {
                lane.begin(fabric_manager::COMMAND);
                lane.tell(Answer::FabricManager(fabric_manager::version(&tree)));
            }
            Part::Libraries => {
                lane.begin("the version of NCCL");
                lane.tell(Answer::Library(libraries::nccl(site)));
                lane.begin("the version of RCCL");
                lane.tell(Answer::Library(libraries::rccl(site)));
            }
        },
    );
}

fn host(tree: &Tree, lane: &Lane<'_, Answer>) {
    lane.begin("/proc/sys/kernel");
    lane.tell(Answer::Name(kernel::name(tree)));
    lane.tell(Answer::Kernel(kernel::release(tree)));
    lane.tell(Answer::NumaBalancing(kernel::numa_balancing(tree)));
    lane.begin("/proc/cpuinfo");
    lane.tell(Answer::CpuModel(cpuinfo::model(tree)));
    lane.tell(Answer::VirtualMachine(virtual_machine::virtual_machine(tree)));
    lane.begin("/proc/cmdline");
    lane.tell(Answer::KernelArguments(tree.read("proc/cmdline")));
    lane.begin("/sys/devices/system");
    lane.tell(Answer::Cpus(cpus::online(tree)));
    lane.tell(Answer::NumaNodes(nodes::nodes(tree)));
    lane.begin("/proc/self");
    lane.tell(Answer::AllowedCpus(cpus::allowed(tree)));
    lane.tell(Answer::Memlock(memory::memlock(tree)));
    lane.tell(Answer::ShmSize(shm::size(tree)));
    lane.begin("/proc/meminfo");
    lane.tell(Answer::Hugepages(memory::hugepages(tree)));
    lane.begin("/sys/kernel/iommu_groups");
    lane.tell(Answer::Iommu(iommu::mode(tree)));
    lane.begin("the modules of GPUDirect");
    lane.tell(Answer::GpuDirect(gpudirect::ways(tree)));
}
