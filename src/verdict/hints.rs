//! What to look at next, for each code.

use super::FindingCode as Code;

/// The hint for a violation.
pub(super) const fn violated(code: Code) -> &'static str {
    match code {
        Code::Unknown => "see which source is missing, and record it",
        Code::WrongMachine => "choose the suite that is for this machine, or correct `machine` in the spec",
        Code::GpuCount => {
            "compare `lspci -d 10de:` or `lspci -d 1002:` with nvidia-smi or amd-smi, and look for Xid 79 in dmesg"
        }
        Code::GpuLost => "look for Xid 79 in dmesg; reseat the board or power-cycle the server",
        Code::DeviceMissing => "compare the spec's indices and names with nvidia-smi topo -m",
        Code::LinkClass => "look at `nvidia-smi nvlink -s` for links that are down, and at the fabric manager",
        Code::NearNics => {
            "compare the slots with the vendor's drawing: the NIC may be in another slot, or its port down"
        }
        Code::NothingSelected => "compare the selection in the spec with what the machine names",
        Code::P2p => "look at ACS and IOMMU on the bridges above the pair, and at the GPU's driver policy",
        Code::GpuName => "compare the board with the order",
        Code::Vbios => "compare it with what the vendor ships for this board, and have the vendor's update installed",
        Code::NvlinkCount => {
            "look at `nvidia-smi nvlink -e` and dmesg for the links that are down; reseat bridge or baseboard"
        }
        Code::NvlinkSpeed => "look at `nvidia-smi nvlink -s`, the firmware of the NVSwitches and the driver",
        Code::PcieGeneration => "look at the link of the slot and of every bridge above it, and at the BIOS setting",
        Code::PcieWidth => "reseat the board or riser, and look at LnkSta of every bridge above it",
        Code::PcieUplink => {
            "look at LnkSta and LnkCap of both ends with lspci -vvv, at the riser or cable, and at the BIOS"
        }
        Code::EccMode => "set the ECC mode with nvidia-smi -e and reset the GPU",
        Code::EccErrors => {
            "look at `nvidia-smi -q -d ECC,ROW_REMAPPER`; uncorrected errors call for the vendor's field diagnostics"
        }
        Code::RemappedRows => "reset the GPU if a remapping is pending; return the board if one failed",
        Code::FabricState => "look at the log of nvidia-fabricmanager, and compare its version with the driver's",
        Code::Driver => "install the driver that the spec names",
        Code::Persistence => "start nvidia-persistenced",
        Code::Mig => "set the mode with nvidia-smi -mig and reset the GPU",
        Code::GpuMemory => "compare the board with the order; ECC and MIG take some of the memory",
        Code::Throttled => {
            "look at `nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE`, at the fans and the power supplies"
        }
        Code::Xid => "look the number up in NVIDIA's list of Xid errors, and at the lines around it in dmesg",
        Code::KernelLog => "look at the lines around it in dmesg",
        Code::KernelArgument => "correct the boot loader's command line and start again",
        Code::Iommu => "set iommu=pt on the kernel's command line, or the mode in the BIOS",
        Code::AcsRedirect => "turn ACS off in the BIOS, or clear the redirect bits of the bridges with setpci",
        Code::NumaBalancing => "write 0 or 1 to /proc/sys/kernel/numa_balancing",
        Code::NumaNodes => "look at NPS or SNC in the BIOS",
        Code::Memlock => "raise memlock in limits.conf, and for services LimitMEMLOCK",
        Code::ShmSize => "remount /dev/shm with a larger size, or give the container --shm-size",
        Code::Service => "look at systemctl status and the service's log",
        Code::FabricManager => "install the fabric manager of the driver's exact version",
        Code::GpuDirect => "load nvidia_peermem, or use a kernel and driver with DMA-BUF",
        Code::NcclEnvironment => "unset the variable in the shell, in /etc/nccl.conf and in ~/.nccl.conf",
        Code::RdmaMissing => "look at `lspci` and dmesg for the adapter, and at its driver",
        Code::RdmaCount => "compare `lspci` with ibstat -l",
        Code::PortState => "look at the cable and the switch port; Init means that no subnet manager answers",
        Code::PortPhysicalState => "look at the cable, the transceiver and the switch port",
        Code::PortRate => "look at the cable's and the switch port's speed, and at mlxlink for the reason",
        Code::PortWidth => "look at the cable: a lane may be down",
        Code::PortLinkLayer => "set LINK_TYPE of the adapter with mlxconfig",
        Code::PortMtu => "set the MTU of the netdev (4200 at least for RoCE) or of the subnet manager's partition",
        Code::PortGid => "give the port's netdev a routable address",
        Code::Firmware => "install the firmware that the spec names",
        Code::Counter => "look at the cable and at the other end of the link; mlxlink shows the errors of each lane",
        Code::NearGpu => "compare the slots with the vendor's drawing",
        Code::CommandExit | Code::CommandOutput => "run the command by hand",
        Code::CommandNotRun => "run the command by hand, or raise the test's timeout",
        Code::BusBandwidth => {
            "look first at the links, ports and transports that this run found at fault; then at clocks, power and other users of the machine"
        }
        Code::Latency => "look at CPU placement and clocks, and at other users of the machine",
        Code::WrongData => {
            "take the machine out of use: compare with NCCL_P2P_DISABLE=1, look at ACS and IOMMU, and at the GPUs' ECC counts"
        }
        Code::DataUnchecked => "measure with -c 1, or write `wrong: unchecked`",
        Code::Ranks => {
            "start one job over all GPUs: -g N, or mpirun with a build of nccl-tests made with MPI=1; keep the output's head"
        }
        Code::SizeNotMeasured => {
            "measure from the least to the largest size of the test with its factor or step, as -b, -e and -f of nccl-tests"
        }
        Code::Unfinished => "look at how the run ended, and keep the whole output, its last lines included",
        Code::LibraryMissing => {
            "install the library that is named, or name its file on the command line; `ldconfig -p` shows what the loader finds"
        }
        Code::GpuUnusable => {
            "see that nvidia-smi or amd-smi answers and shows this GPU; look at its compute mode, at MIG, at the fabric manager and for Xid in dmesg"
        }
        Code::GpuBusy => {
            "look at nvidia-smi or amd-smi for the process that uses the GPU, and run again when it is gone"
        }
        Code::Pin => {
            "look at what else limits CPUs and memory: the cpuset of a container or a Slurm job, taskset, numactl; `pin: none` asks for nothing"
        }
        Code::RankCrashed => {
            "look for Xid and out-of-memory kills in dmesg at that time; the rank's log in logs/, in the folder of the reports, shows how far the library came"
        }
        Code::HangInit => {
            "look at NCCL_SOCKET_IFNAME and at firewalls on the interface that the ranks meet on, at /dev/shm and its limits, and at the fabric manager's state"
        }
        Code::HangFirstCollective => {
            "look at ACS and IOMMU first: redirected or translated P2P loses its writes; compare with NCCL_P2P_DISABLE=1, and with NCCL_NVLS_ENABLE=0"
        }
        Code::HangMidRun => {
            "look at the rank and GPU that are named: Xid in dmesg, clocks, links that went down; at PCIe and NVLink error counters"
        }
        Code::LibraryError => "look at the rank's log in logs/, in the folder of the reports, and for Xid in dmesg",
        Code::OutOfMemory => {
            "look at nvidia-smi or amd-smi for what holds the GPU's memory, at /dev/shm and at memlock; or measure smaller sizes"
        }
        Code::Unsupported => {
            "look at NCCL_ALGO, NCCL_PROTO and NCCL_NVLS_ENABLE: the library does not do that operation so on these GPUs; or leave the cell out"
        }
        Code::GpuNotFree => {
            "look at nvidia-smi or amd-smi for the process that is left, and end it; one that cannot be ended needs a reset of the GPU"
        }
        Code::Marginal => {
            "look for what disturbs the machine: other work, clocks, power; a bound so near to what it does needs room"
        }
        Code::RankSpread => "look at the clocks, the power and the CPU placement of the slowest rank's GPU",
        Code::StandIn => "take the stand-in away: it is for tests of linkspec itself",
        Code::OtherOperation => "save the output under the name of the test that it is of",
        Code::BandwidthDrop => {
            "look for congestion, loss and retries: the error counters of ports and links, and PCIe's"
        }
        Code::SizeAboveRange => "see whether parts of two outputs were put together",
        Code::DamagedOutput => "save the output again as a plain file, whole: terminals, logs and tickets change lines",
        Code::Transport => {
            "look at NCCL_* variables, P2P status, /dev/shm and the network plugin; NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,GRAPH,P2P,NET tells why"
        }
        Code::Algorithm => "look at NCCL_ALGO, at a tuner plugin and at the library's version",
        Code::Protocol => "look at NCCL_PROTO, at a tuner plugin and at the library's version",
        Code::Channels => "look at NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS and at links that are down",
        Code::NicsUsed => "look at NCCL_IB_HCA, at ports that are down and at NICs that are far from their GPUs",
        Code::LibraryWarning => "look at the lines around it in the log",
        Code::Ras => "ask again with VERBOSE STATUS, and look at the processes that it names",
        Code::Ratio => "look at what differs between the two cases: transport, pin, environment",
        Code::NotJudged => "use a version that does it, or leave the case out with --skip",
        Code::CaseMissing => "select the case that the comparison needs too",
        Code::Setting => "look at what else sets the value: the command line, pins, /etc/nccl.conf, ~/.nccl.conf",
        Code::Unproved => {
            "a live run proves it; of variables, a log with NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,P2P,SHM,NET,TUNING shows most"
        }
        Code::Flaky => "look at what differed between the tries",
        Code::NotFinished => "run it again, or go on with --resume",
        Code::Internal => {
            "cure what the system refused, where the message names it: a limit (`ulimit -a`), a folder's rights; else report it with run.json"
        }
    }
}

/// What to record, and as what: a live run cannot read the file by itself, and a recording lacks it.
macro_rules! record {
    ($what:literal, $file:literal) => {
        concat!("record ", $what, " as ", $file, " in a folder and judge that with --host")
    };
}

/// The hint for a fact that is missing, by the code that its violation would have.
pub(super) const fn unknown(code: Code) -> &'static str {
    match code {
        Code::LinkClass | Code::NearNics | Code::NearGpu => {
            record!(
                "`nvidia-smi topo -m`",
                "nvidia-smi-topo-m.txt, or `amd-smi topology --json` as amd-smi-topology.json,"
            )
        }
        Code::PcieUplink => "read it on the machine itself: `linkspec capture` saves it in facts.json",
        Code::P2p => record!("`nvidia-smi topo -p2p r` (and w, n, a)", "nvidia-smi-topo-p2p-r.txt (and so on)"),
        Code::NvlinkCount | Code::NvlinkSpeed => record!("`nvidia-smi nvlink -s`", "nvidia-smi-nvlink-s.txt"),
        Code::PcieGeneration => record!("`nvidia-smi -q -x`, while the GPU is at work,", "nvidia-smi-q.xml"),
        Code::WrongMachine | Code::GpuCount | Code::GpuName | Code::PcieWidth | Code::EccMode | Code::EccErrors => {
            QUERY
        }
        Code::Vbios | Code::RemappedRows | Code::FabricState | Code::Driver | Code::Persistence | Code::Mig => QUERY,
        Code::GpuMemory | Code::Throttled => QUERY,
        Code::Xid | Code::KernelLog => record!("`dmesg` since boot, as root,", "dmesg.txt"),
        Code::KernelArgument => record!("/proc/cmdline", "proc-cmdline.txt"),
        Code::AcsRedirect => record!("`lspci -vvv`, as root and on the host itself,", "lspci-vvv.txt"),
        Code::NumaNodes => record!("`numactl -H`", "numactl-H.txt, or `lscpu` as lscpu.txt,"),
        Code::PortMtu | Code::PortGid | Code::Firmware => record!("`ibv_devinfo -v`", "ibv_devinfo.txt"),
        Code::RdmaMissing | Code::RdmaCount | Code::PortState | Code::PortPhysicalState | Code::PortRate => PORTS,
        Code::PortWidth | Code::PortLinkLayer => PORTS,
        Code::Counter => "record facts.json before and facts-after.json after a run: growth needs both",
        Code::BusBandwidth | Code::Latency | Code::WrongData => {
            "look at the line of the output that is named, and save the output again, whole"
        }
        Code::Transport | Code::Channels | Code::NicsUsed | Code::LibraryWarning => {
            "keep the log of every rank under nccl-log/: NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,P2P,SHM,NET"
        }
        Code::Algorithm | Code::Protocol => {
            "keep the log of every rank under nccl-log/: NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,TUNING"
        }
        Code::Ratio => "record whole outputs of both sides, with every size of `at`",
        _ => "run it on the machine itself, or record the file that the message names",
    }
}

const QUERY: &str = record!("`nvidia-smi -q -x`", "nvidia-smi-q.xml");
const PORTS: &str = record!("`ibstat`, whole,", "ibstat.txt, and `ibstatus` as ibstatus.txt,");

/// The hint for a fact that could not be read of this machine, by the code that its violation would have.
pub(super) const fn unknown_live(code: Code) -> &'static str {
    match code {
        Code::WrongMachine | Code::GpuCount | Code::GpuName | Code::LinkClass | Code::P2p | Code::NvlinkCount => DRIVER,
        Code::NvlinkSpeed | Code::PcieWidth | Code::EccMode | Code::EccErrors | Code::RemappedRows | Code::Vbios => {
            DRIVER
        }
        Code::FabricState | Code::Driver | Code::Persistence | Code::Mig | Code::GpuMemory | Code::Throttled => DRIVER,
        Code::PcieGeneration => "a GPU at rest lowers its link: read it while the GPU is at work",
        Code::NearNics | Code::NearGpu => "see that the drivers of the GPUs and of the NICs are loaded",
        Code::Xid | Code::KernelLog => "run it as root, or allow reading the kernel log (kernel.dmesg_restrict=0)",
        Code::AcsRedirect => "run it as root, and on the host itself: a guest does not show its host's bridges",
        Code::PortMtu => "install libibverbs, and see that this user may open /dev/infiniband/uverbs*",
        Code::RdmaMissing | Code::RdmaCount | Code::PortState | Code::PortPhysicalState | Code::PortRate => RDMA,
        Code::PortWidth | Code::PortLinkLayer | Code::PortGid | Code::Firmware => RDMA,
        Code::Service => "see that systemctl works here; a container mostly has none: run it on the host",
        Code::FabricManager => "see that nv-fabricmanager is installed where this runs",
        other => unknown(other),
    }
}

const DRIVER: &str = "see that the GPU's driver is loaded, and that nvidia-smi or amd-smi answers on this machine";
const RDMA: &str = "see that the RDMA driver is loaded: /sys/class/infiniband lists its devices";
