//! `ibstat`: blocks `CA 'mlx5_0'`, below each `Port 1:` with its state. Indentation is blanks or TABs, or lost.

use super::listing::{Order, Place, cut_line, is_frame, key_and_value};
use super::rdma_listing::RdmaListing;
use super::rdma_words::{gigabits, guid, link_layer, physical_state, plain, state};
use super::{Line, lines};
use crate::facts::{Fact, Facts};

/// The lines of a device, in the order of ibstat's source (rdma-core, `ibstat.c`).
const DEVICE: &[&str] =
    &["CA type", "Number of ports", "Firmware version", "Hardware version", "Node GUID", "System image GUID"];
/// The lines of a port.
const PORT: &[&str] =
    &["State", "Physical state", "Rate", "Base lid", "LMC", "SM lid", "Capability mask", "Port GUID", "Link layer"];

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let mut reader = Reader { listing: RdmaListing::new(file, facts), block: None };
    let cut = cut_line(text);
    for line in lines(text) {
        // The very last line of a whole output says a word that cannot be the beginning of another.
        let whole = line.text.trim_end().ends_with(": InfiniBand") || line.text.trim_end().ends_with(": Ethernet");
        if is_frame(&line.text, "ibstat") {
        } else if cut == Some(line.number) && !whole {
            reader.listing.damage(&line, "the file ends within this line");
        } else {
            reader.line(&line);
        }
    }
    reader.close();
    reader.listing.end(false);
}

struct Reader<'a> {
    listing: RdmaListing<'a>,
    block: Option<Block>,
}

/// The device that is being read.
struct Block {
    name: String,
    device: Order,
    /// The number that `Number of ports` gave.
    ports: Option<u32>,
    /// The port that is being read.
    port: Option<(u32, Order)>,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line) {
        if let Some(name) = device_name(line.text.trim()) {
            self.close();
            self.listing.device(name);
            self.block = Some(Block { name: name.to_owned(), device: Order::new(DEVICE), ports: None, port: None });
        } else if line.text.trim_start().starts_with("ibpanic:") {
            self.block = None;
            self.listing.damage(line, "ibstat died here, what follows is not shown");
        } else if let Some((key, value)) = key_and_value(line) {
            match key.strip_prefix("Port ").and_then(plain) {
                Some(number) => self.port_header(line, number),
                None => self.key(line, key, value),
            }
        } else {
            self.listing.damage(line, "not a line of ibstat");
        }
    }

    fn port_header(&mut self, line: &Line, number: u32) {
        let Some(block) = &mut self.block else {
            return self.listing.damage(line, "a port without the device that it is of");
        };
        let expected = match &block.port {
            Some((before, lines)) => lines.awaited().is_none().then(|| before.saturating_add(1)),
            None => block.device.awaited().is_none().then_some(1),
        };
        if expected != Some(number) || block.ports.is_some_and(|ports| number > ports) {
            self.block = None;
            return self.listing.damage(line, "lines before it are missing, so its device is not certain");
        }
        block.port = Some((number, Order::new(PORT)));
        let name = block.name.clone();
        self.listing.port(&name, number);
    }

    fn key(&mut self, line: &Line, key: &str, value: &str) {
        let Some(block) = &mut self.block else {
            return self.listing.damage(line, "a line without the device that it is of");
        };
        let order = block.port.as_mut().map_or(&mut block.device, |(_, order)| order);
        let place = match order.place(key) {
            Place::Foreign if DEVICE.contains(&key) || PORT.contains(&key) => Place::Wrong,
            place => place,
        };
        match (place, &block.port) {
            (Place::Foreign, _) => {}
            (Place::Wrong, _) => {
                self.block = None;
                self.listing.damage(line, "lines before it are missing, so its device is not certain");
            }
            (Place::Next, None) => self.device_value(line, key, value),
            (Place::Next, Some((number, _))) => {
                let number = *number;
                self.port_value(line, number, key, value);
            }
        }
    }

    fn device_value(&mut self, line: &Line, key: &str, value: &str) {
        let Some(block) = &mut self.block else { return };
        let name = block.name.clone();
        match key {
            "Number of ports" => {
                block.ports = plain(value);
                let fact = self.listing.fact(line, plain(value), "a number of ports");
                self.listing.device(&name).port_count.merge(fact);
            }
            "Firmware version" => {
                let version = value.starts_with(|c: char| c.is_ascii_digit()).then(|| value.to_owned());
                let fact = self.listing.fact(line, version, "a version");
                self.listing.device(&name).firmware.merge(fact);
            }
            "Node GUID" => {
                let fact = self.guid(line, value);
                self.listing.device(&name).node_guid.merge(fact);
            }
            _ => {}
        }
    }

    fn port_value(&mut self, line: &Line, number: u32, key: &str, value: &str) {
        let Some(block) = &mut self.block else { return };
        let name = block.name.clone();
        match key {
            "State" => {
                let fact = self.listing.fact(line, state(value), "a port state");
                self.listing.port(&name, number).state.merge(fact);
            }
            "Physical state" => {
                let known = physical_state(value).map(str::to_owned);
                if let (Some("Disabled"), Some((_, order))) = (known.as_deref(), &mut block.port) {
                    // A disabled port may have no Rate line.
                    order.may_skip("Rate");
                }
                let fact = self.listing.fact(line, known, "a physical state");
                self.listing.port(&name, number).physical_state.merge(fact);
            }
            "Rate" => {
                let fact = self.listing.fact(line, gigabits(value), "a rate in Gb/s");
                self.listing.port(&name, number).rate.merge(fact);
            }
            "Link layer" => {
                let fact = self.listing.fact(line, link_layer(value).map(str::to_owned), "a link layer");
                self.listing.port(&name, number).link_layer.merge(fact);
            }
            _ => {}
        }
    }

    /// A GUID; one that was taken out (`...`) is no damage.
    fn guid(&mut self, line: &Line, value: &str) -> Fact<String> {
        if value.starts_with("...") {
            return Fact::unknown(format!("{}:{} leaves it out", self.listing.file, line.number));
        }
        self.listing.fact(line, guid(value), "a GUID")
    }

    /// Ends a device: are its lines and ports all there?
    fn close(&mut self) {
        let Some(block) = self.block.take() else { return };
        let shown = block.port.as_ref().map_or(0, |(number, _)| *number);
        let unfinished = block.port.as_ref().map_or(&block.device, |(_, order)| order).awaited();
        if let Some(key) = unfinished {
            self.listing.lacks(format!("the block of {} ends before its line {key:?}", block.name));
        } else if block.ports.is_some_and(|ports| ports != shown) {
            let ports = block.ports.unwrap_or_default();
            self.listing.lacks(format!("{} has {ports} ports, {shown} are shown", block.name));
        }
    }
}

/// The name in `CA 'mlx5_0'`.
fn device_name(line: &str) -> Option<&str> {
    let (kind, name) = line.split_once(" '")?;
    let name = name.strip_suffix('\'')?;
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    (plain && matches!(kind, "CA" | "Switch" | "Router" | "iWARP RNIC" | "???")).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_less_of_listing, damaged, facts};
    use super::*;
    use crate::{facts::PortState, units::Rate};

    const TWO: &str = "CA 'mlx5_0'\n\
        \tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.39.2048\n\tHardware version: 0\n\
        \tNode GUID: 0xa088c20300aa0001\n\tSystem image GUID: 0xa088c20300aa0001\n\
        \tPort 1:\n\
        \t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tBase lid: 17\n\t\tLMC: 0\n\t\tSM lid: 1\n\
        \t\tCapability mask: 0xa751e848\n\t\tPort GUID: 0xa088c20300aa0001\n\t\tLink layer: InfiniBand\n\
        CA 'mlx5_1'\n\
        \tCA type: MT4125\n\tNumber of ports: 2\n\tFirmware version: 22.39.1002\n\tHardware version: 0\n\
        \tNode GUID: 0xa088c20300bb0002\n\tSystem image GUID: 0xa088c20300bb0002\n\
        \tPort 1:\n\
        \t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 40\n\t\tBase lid: 0\n\t\tLMC: 0\n\t\tSM lid: 0\n\
        \t\tCapability mask: 0x00010000\n\t\tPort GUID: 0x0000000000000000\n\t\tLink layer: Ethernet\n\
        \tPort 2:\n\
        \t\tState: Initializing\n\t\tPhysical state: LinkUp\n\t\tRate: 100\n\t\tBase lid: 0\n\t\tLMC: 0\n\
        \t\tSM lid: 0\n\t\tCapability mask: 0x00010000\n\t\tPort GUID: 0x0000000000000000\n\t\tLink layer: Ethernet\n";

    #[test]
    fn two_devices_with_three_ports() {
        let mut read = facts(read, TWO);
        assert_eq!(read.damage, []);
        assert_eq!(read.rdma_count.value(), Some(&2));
        let first = read.rdma_mut("mlx5_0").clone();
        assert_eq!(first.firmware.value().map(String::as_str), Some("28.39.2048"));
        assert_eq!(first.node_guid.value().map(String::as_str), Some("a088:c203:00aa:0001"));
        assert_eq!(first.ports[0].state.value(), Some(&PortState::Active));
        assert_eq!(first.ports[0].rate.value(), Some(&Rate(400.0)));
        let second = read.rdma_mut("mlx5_1").clone();
        assert_eq!(second.port_count.value(), Some(&2));
        assert_eq!(second.ports[0].physical_state.value().map(String::as_str), Some("Polling"));
        assert_eq!(second.ports[0].rate.value(), Some(&Rate(40.0)), "a placeholder is stored as it stands");
        assert_eq!(second.ports[1].state.value(), Some(&PortState::Init));
        assert_eq!(second.ports[1].link_layer.value().map(String::as_str), Some("Ethernet"));
    }

    #[test]
    fn prompts_lost_indentation_and_a_lost_last_line_end() {
        let text = format!("root@n1:~# ibstat\n{}", TWO.replace('\t', ""));
        let read = facts(read, text.trim_end());
        assert_eq!(read.damage, []);
        assert_eq!(read.rdma_count.value(), Some(&2));
    }

    #[test]
    fn ibpanic_leaves_the_rest_unknown() {
        let one = TWO.split_inclusive("CA 'mlx5_1'").next().unwrap().trim_end_matches("CA 'mlx5_1'");
        let read = facts(read, &format!("{one}ibpanic: [412] main: stat of IB device 'mlx5_1' failed: No such file\n"));
        assert_eq!(read.rdma_devices.len(), 1);
        assert!(read.rdma_count.reason().unwrap().contains("stat of IB device 'mlx5_1' failed"));
        assert_eq!(read.damage.len(), 1);
    }

    #[test]
    fn a_port_without_its_device_is_of_no_device() {
        let text = TWO.replace("CA 'mlx5_1'\n", "");
        let mut read = facts(read, &text);
        assert_eq!(read.rdma_devices.len(), 1);
        assert_eq!(read.rdma_mut("mlx5_0").ports.len(), 1);
        assert_eq!(read.rdma_count.value(), None);
        assert_eq!(read.damage.len(), 1);
    }

    #[test]
    fn a_port_that_is_not_shown() {
        let text = &TWO[..TWO.find("\tPort 2:").unwrap()];
        let read = facts(read, text);
        assert_eq!(read.damage[0].to_string(), "file: mlx5_1 has 2 ports, 1 are shown");
        assert_eq!(read.rdma_count.value(), None);
    }

    #[test]
    fn a_rate_that_is_cut_is_no_rate() {
        let at = TWO.find("Rate: 400").unwrap() + "Rate: 40".len();
        let mut read = facts(read, &TWO[..at]);
        assert_eq!(read.rdma_mut("mlx5_0").ports[0].state.value(), Some(&PortState::Active));
        assert_eq!(read.rdma_mut("mlx5_0").ports[0].rate.value(), None);
        assert_eq!(read.rdma_count.value(), None);
    }

    #[test]
    fn a_disabled_port_has_no_rate() {
        let text = TWO.replace("Polling\n\t\tRate: 40\n", "Disabled\n");
        let mut read = facts(read, &text);
        assert_eq!(read.damage, []);
        assert_eq!(read.rdma_mut("mlx5_1").ports[0].rate.value(), None);
        assert_eq!(read.rdma_mut("mlx5_1").ports[0].link_layer.value().map(String::as_str), Some("Ethernet"));
    }

    #[test]
    fn other_texts_name_no_device() {
        for text in ["", "bash: ibstat: command not found\n", "{}\n"] {
            let read = facts(read, text);
            assert_eq!((read.rdma_devices.len(), read.rdma_count.value()), (0, None), "{text}");
        }
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(TWO)) {
            assert_less_of_listing(facts(read, TWO), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(CA 'm'\n|Port 1:\n|State: Active\n|.){0,40}") {
            facts(read, &text);
        }
    }
}
