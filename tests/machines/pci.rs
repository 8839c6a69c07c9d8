use super::{config_space::ConfigSpace, folder::Folder};

/// PCI classes with their programming interface.
pub const BRIDGE: u32 = 0x06_0400;
pub const GPU_3D: u32 = 0x03_0200;
pub const ACCELERATOR: u32 = 0x12_0000;
/// "Bridge: other", as NVSwitches are.
pub const NVSWITCH: u32 = 0x06_8000;
pub const INFINIBAND: u32 = 0x02_0700;
pub const ETHERNET: u32 = 0x02_0000;

pub const NVIDIA: u16 = 0x10de;
pub const AMD: u16 = 0x1002;
pub const MELLANOX: u16 = 0x15b3;
pub const BROADCOM: u16 = 0x1000;
pub const INTEL: u16 = 0x8086;

/// A device of the PCI tree.
#[derive(Clone, Debug)]
pub struct PciDevice {
    /// From the host bridge on, the device's own address last: `pci0000:15/0000:15:01.0/0000:16:00.0`.
    pub path: String,
    pub class: u32,
    /// Vendor and device.
    pub identity: (u16, u16),
    /// -1 where the firmware does not say.
    pub numa_node: i32,
    pub local_cpus: String,
    /// `None`: no PCI Express link, so that there are no such files.
    pub link: Option<PcieLink>,
    pub driver: Option<&'static str>,
    pub config: ConfigSpace,
}

/// Generations and lanes.
#[derive(Clone, Copy, Debug)]
pub struct PcieLink {
    pub generation: u32,
    pub generation_max: u32,
    pub width: u32,
    pub width_max: u32,
}

impl PcieLink {
    /// A link that runs as well as it can.
    pub fn whole(generation: u32, width: u32) -> Self {
        Self { generation, generation_max: generation, width, width_max: width }
    }
}

impl PciDevice {
    /// An endpoint, its configuration space readable by root as on bare metal.
    pub fn new(path: &str, class: u32, identity: (u16, u16), link: Option<PcieLink>) -> Self {
        Self {
            path: path.to_owned(),
            class,
            identity,
            numa_node: -1,
            local_cpus: String::new(),
            link,
            driver: None,
            config: ConfigSpace { size: 4096, acs: None, buses: None },
        }
    }

    /// A bridge to the buses from `secondary` to `subordinate`, with ACS that redirects nothing.
    pub fn bridge(path: &str, identity: (u16, u16), link: PcieLink, secondary: u8, subordinate: u8) -> Self {
        let mut bridge = Self::new(path, BRIDGE, identity, Some(link));
        bridge.driver = Some("pcieport");
        bridge.config.acs = Some(0);
        bridge.config.buses = Some([bridge.bus(), secondary, subordinate]);
        bridge
    }

    pub fn driver(mut self, driver: &'static str) -> Self {
        self.driver = Some(driver);
        self
    }

    /// `DDDD:BB:DD.F`.
    pub fn address(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    fn bus(&self) -> u8 {
        u8::from_str_radix(self.address().split(':').nth(1).unwrap(), 16).unwrap()
    }

    /// Writes the device's folder, and the links to it.
    pub fn write(&self, folder: &Folder) {
        let at = format!("sys/devices/{}", self.path);
        let (vendor, device) = self.identity;
        folder.value(&format!("{at}/class"), format!("{:#08x}", self.class));
        folder.value(&format!("{at}/vendor"), format!("{vendor:#06x}"));
        folder.value(&format!("{at}/device"), format!("{device:#06x}"));
        folder.value(&format!("{at}/numa_node"), self.numa_node);
        folder.value(&format!("{at}/local_cpulist"), &self.local_cpus);
        folder.bytes(&format!("{at}/config"), &self.config.bytes(vendor, device, self.class));
        if let Some(link) = self.link {
            folder.value(&format!("{at}/current_link_speed"), speed(link.generation));
            folder.value(&format!("{at}/max_link_speed"), speed(link.generation_max));
            folder.value(&format!("{at}/current_link_width"), link.width);
            folder.value(&format!("{at}/max_link_width"), link.width_max);
        }
        if let Some(driver) = self.driver {
            folder.folder(&format!("sys/bus/pci/drivers/{driver}"));
            folder.link(&format!("{at}/driver"), &format!("sys/bus/pci/drivers/{driver}"));
        }
        folder.link(&format!("sys/bus/pci/devices/{}", self.address()), &at);
    }
}

/// As the kernel writes a speed: pci_speed_string in drivers/pci/probe.c.
fn speed(generation: u32) -> String {
    let speed = ["Unknown", "2.5 GT/s PCIe", "5.0 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe"];
    speed[generation as usize].to_owned()
}
