use super::folder::Folder;

/// CPUs, memory and settings.
#[derive(Clone, Debug)]
pub struct Host {
    pub name: &'static str,
    pub kernel: &'static str,
    /// The CPUs that are online, as a list.
    pub cpus: &'static str,
    /// One entry of `/proc/cpuinfo`: every CPU has the same.
    pub cpuinfo: &'static str,
    pub nodes: Vec<Node>,
    pub command_line: &'static str,
    pub numa_balancing: u32,
    /// Vendor and product in the firmware's tables; a small virtual machine has none.
    pub product: Option<(&'static str, &'static str)>,
    /// Kind of the IOMMU groups that GPUs and NICs are in; `None`: no IOMMU is at work.
    pub iommu: Option<&'static str>,
    /// Size of /dev/shm as the mount has it.
    pub shm: &'static str,
    /// Soft limit on locked memory.
    pub locked_memory: &'static str,
    /// Lines of the kernel log after those of the boot, a second apart.
    pub kernel_log: Vec<String>,
    /// Services that run; `None`: no systemd.
    pub services: Option<Vec<&'static str>>,
    /// Version of the fabric manager that is installed.
    pub fabric_manager: Option<&'static str>,
    /// Modules that are loaded.
    pub modules: Vec<&'static str>,
    /// Options of the kernel, as a distribution keeps them in /boot; empty: no such file.
    pub kernel_options: &'static str,
}

/// A NUMA node.
#[derive(Clone, Debug)]
pub struct Node {
    pub number: u32,
    /// Empty: a node of memory only, such as a Grace machine's GPU.
    pub cpus: &'static str,
    /// To all nodes, in order of their numbers.
    pub distances: String,
    pub memory_kib: u64,
}

impl Host {
    pub fn write(&self, folder: &Folder) {
        self.write_nodes(folder);
        folder.value("sys/devices/system/cpu/online", self.cpus);
        folder.value("proc/cmdline", self.command_line);
        folder.text("proc/cpuinfo", &self.cpuinfo_text());
        folder.value("proc/sys/kernel/hostname", self.name);
        folder.value("proc/sys/kernel/osrelease", self.kernel);
        folder.value("proc/sys/kernel/numa_balancing", self.numa_balancing);
        self.write_memory(folder);
        self.write_process(folder);
        folder.text("dev/kmsg", &self.kernel_records());
        if let Some((vendor, product)) = self.product {
            folder.value("sys/class/dmi/id/sys_vendor", vendor);
            folder.value("sys/class/dmi/id/product_name", product);
        }
        for module in &self.modules {
            folder.folder(&format!("sys/module/{module}"));
        }
        if !self.kernel_options.is_empty() {
            folder.text(&format!("boot/config-{}", self.kernel), self.kernel_options);
        }
        if let Some(version) = self.fabric_manager {
            folder.program("usr/bin/nv-fabricmanager", &format!("echo 'Fabric Manager version is : {version}'"));
        }
        if let Some(services) = &self.services {
            folder.program("usr/bin/systemctl", &systemctl(services));
        }
    }

    fn write_nodes(&self, folder: &Folder) {
        let numbers: Vec<String> = self.nodes.iter().map(|node| node.number.to_string()).collect();
        folder.value("sys/devices/system/node/online", numbers.join(","));
        for node in &self.nodes {
            let at = format!("sys/devices/system/node/node{}", node.number);
            folder.value(&format!("{at}/cpulist"), node.cpus);
            folder.value(&format!("{at}/distance"), &node.distances);
            let number = node.number;
            folder.value(&format!("{at}/meminfo"), format!("Node {number} MemTotal:       {} kB", node.memory_kib));
        }
    }

    /// An entry for each CPU. Entries differ in their number only.
    fn cpuinfo_text(&self) -> String {
        let last: u32 = self.cpus.rsplit(['-', ',']).next().unwrap().parse().unwrap();
        (0..=last).map(|number| format!("processor\t: {number}\n{}\n", self.cpuinfo)).collect()
    }

    fn write_memory(&self, folder: &Folder) {
        let total: u64 = self.nodes.iter().map(|node| node.memory_kib).sum();
        folder.text(
            "proc/meminfo",
            &format!(
                "MemTotal:       {total} kB\nMemFree:        {total} kB\nHugePages_Total:       0\n\
                 HugePages_Free:        0\nHugepagesize:       2048 kB\nHugetlb:               0 kB\n"
            ),
        );
    }

    /// `/dev/kmsg` since the boot: priority, number, microseconds.
    fn kernel_records(&self) -> String {
        let boot = [format!("Linux version {}", self.kernel), format!("Command line: {}", self.command_line)];
        let lines = boot.iter().chain(&self.kernel_log).enumerate();
        lines.map(|(number, line)| format!("6,{number},{},-;{line}\n", number * 1_000_000)).collect()
    }

    /// What the kernel shows a process of itself. The reader's own process is another one, on the machine of the test.
    fn write_process(&self, folder: &Folder) {
        let limit = self.locked_memory;
        folder.text(
            "proc/self/limits",
            &format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max open files            1048576              1048576              files     \n\
                 Max locked memory         {limit:<20} {limit:<20} bytes     \n"
            ),
        );
        let nodes = self.nodes.first().map_or(0, |node| node.number);
        folder.text(
            "proc/self/status",
            &format!("Name:\tlinkspec\nCpus_allowed_list:\t{}\nMems_allowed_list:\t{nodes}\n", self.cpus),
        );
        let size = self.shm;
        folder.text(
            "proc/self/mountinfo",
            &format!(
                "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw\n\
                 25 24 0:23 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs rw,size={size},inode64\n"
            ),
        );
    }
}

/// A `systemctl` that lists services as it does with `--plain --no-legend`.
fn systemctl(services: &[&str]) -> String {
    let list: String = services.iter().map(|name| format!("{name}.service loaded active running {name}\n")).collect();
    format!("cat <<'END'\n{list}END")
}
