use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::PathBuf, time::Duration};

use crate::library::stand_in;
use linkspec::{
    facts::{Facts, RdmaDevice, RdmaPort},
    probe::{Libraries, Site, live},
};

/// A machine rebuilt in a folder.
pub struct Machine {
    folder: tempfile::TempDir,
    pub deadline: Duration,
}

impl Machine {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), deadline: Duration::from_secs(20) }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    pub fn file(&self, path: &str, text: &str) -> &Self {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), format!("{text}\n")).unwrap();
        self
    }

    pub fn link(&self, path: &str, to: &str) -> &Self {
        symlink(to, self.path(path)).unwrap();
        self
    }

    /// A device on PCI with a port of a link layer.
    pub fn device(&self, name: &str, pci: &str, layer: &str) -> &Self {
        let at = device(name);
        self.file(&format!("sys/devices/{pci}/numa_node"), "1");
        self.file(&format!("{at}/node_type"), "1: CA");
        self.file(&format!("{at}/fw_ver"), "28.39.1002").file(&format!("{at}/hca_type"), "MT4129");
        self.file(&format!("{at}/board_id"), "MT_0000000838").file(&format!("{at}/node_guid"), "a088:c203:0012:3456");
        self.link(&format!("{at}/device"), &format!("../../../devices/{pci}"));
        self.port(name, "state", "4: ACTIVE").port(name, "phys_state", "5: LinkUp");
        self.port(name, "rate", "400 Gb/sec (4X NDR)").port(name, "link_layer", layer)
    }

    /// A file of the first port.
    pub fn port(&self, device: &str, file: &str, text: &str) -> &Self {
        self.file(&port_file(device, file), text)
    }

    /// An entry of the first port's GID table.
    pub fn gid(&self, device: &str, index: u32, address: &str, of: Option<(&str, &str)>) -> &Self {
        self.port(device, &format!("gids/{index}"), address);
        if let Some((kind, netdev)) = of {
            self.port(device, &format!("gid_attrs/types/{index}"), kind);
            self.port(device, &format!("gid_attrs/ndevs/{index}"), netdev);
        }
        self
    }

    /// Reads it without libibverbs.
    pub fn facts(&self) -> Facts {
        live(&self.site(None, BTreeMap::new()))
    }

    /// Reads it with the stand-in for libibverbs, which plays what `json` says.
    pub fn facts_with(&self, json: &str) -> Facts {
        self.file("verbs.json", json);
        let pin = ("LINKSPEC_FAKE_VERBS".to_owned(), self.path("verbs.json").to_str().unwrap().to_owned());
        live(&self.site(Some(stand_in("fake_verbs")), BTreeMap::from([pin])))
    }

    /// Reads it with another library in the place of libibverbs.
    pub fn facts_through(&self, library: &str) -> Facts {
        live(&self.site(Some(library.into()), BTreeMap::new()))
    }

    fn site(&self, verbs: Option<PathBuf>, pins: BTreeMap<String, String>) -> Site {
        Site {
            root: self.folder.path().to_owned(),
            home: None,
            environment: BTreeMap::new(),
            pins,
            libraries: Libraries { verbs, ..Libraries::default() },
            program: env!("CARGO_BIN_EXE_linkspec").into(),
            deadline: self.deadline,
        }
    }
}

pub fn device(name: &str) -> String {
    format!("sys/class/infiniband/{name}")
}

pub fn port_file(device: &str, file: &str) -> String {
    format!("sys/class/infiniband/{device}/ports/1/{file}")
}

pub fn named<'a>(facts: &'a Facts, name: &str) -> &'a RdmaDevice {
    facts.rdma_devices.iter().find(|device| device.name == name).unwrap()
}

pub fn first_port<'a>(facts: &'a Facts, name: &str) -> &'a RdmaPort {
    &named(facts, name).ports[0]
}
