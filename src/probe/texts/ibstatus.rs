//! `ibstatus`: one block for each port, `Infiniband device 'mlx5_0' port 1 status:` and what sysfs says of it.

use std::collections::BTreeMap;

use super::listing::{Order, Place, cut_line, is_frame, key_and_value};
use super::rdma_listing::RdmaListing;
use super::rdma_words::{link_layer, number_and_word, numbered_physical_state, numbered_state, plain, rate_and_width};
use super::{Line, lines};
use crate::facts::Facts;

/// The lines of a port, in the order of the script (rdma-core, `ibstatus`).
const PORT: &[&str] = &["default gid", "base lid", "sm lid", "state", "phys state", "rate", "link_layer"];

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let mut reader = Reader { listing: RdmaListing::new(file, facts), block: None, ports: BTreeMap::new() };
    let cut = cut_line(text);
    for line in lines(text) {
        // The very last line of a whole output says a word that cannot be the beginning of another.
        let whole = key_and_value(&line).is_some_and(|(key, value)| key == "link_layer" && link_layer(value).is_some());
        if is_frame(&line.text, "ibstatus") {
        } else if cut == Some(line.number) && !whole {
            reader.listing.damage(&line, "the file ends within this line");
        } else {
            reader.line(&line);
        }
    }
    reader.end();
}

struct Reader<'a> {
    listing: RdmaListing<'a>,
    block: Option<(String, u32, Order)>,
    /// The last port of each device.
    ports: BTreeMap<String, u32>,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line) {
        if let Some((name, number)) = header(line.text.trim()) {
            self.close();
            let before = self.ports.insert(name.to_owned(), number).unwrap_or(0);
            self.listing.port(name, number);
            if number != before.saturating_add(1) {
                self.listing.damage(line, "a port before it is missing");
            }
            self.block = Some((name.to_owned(), number, Order::new(PORT)));
        } else if let Some((key, value)) = key_and_value(line) {
            self.key(line, key, value);
        } else {
            self.listing.damage(line, "not a line of ibstatus");
        }
    }

    fn key(&mut self, line: &Line, key: &str, value: &str) {
        let Some((name, number, order)) = &mut self.block else {
            return self.listing.damage(line, "a line without the device that it is of");
        };
        let (name, number) = (name.clone(), *number);
        match order.place(key) {
            Place::Next => self.value(line, &name, number, key, value),
            Place::Foreign => {}
            Place::Wrong => {
                self.block = None;
                self.listing.damage(line, "lines before it are missing, so its device is not certain");
            }
        }
    }

    fn value(&mut self, line: &Line, name: &str, number: u32, key: &str, value: &str) {
        match key {
            "state" => {
                let state = number_and_word(value).and_then(|(number, word)| numbered_state(number, word));
                let fact = self.listing.fact(line, state, "a port state");
                self.listing.port(name, number).state.merge(fact);
            }
            "phys state" => {
                let state = number_and_word(value).and_then(|(number, _)| numbered_physical_state(number));
                let fact = self.listing.fact(line, state.map(str::to_owned), "a physical state");
                self.listing.port(name, number).physical_state.merge(fact);
            }
            "rate" => {
                let (rate, width) = rate_and_width(value).unzip();
                let (rate, width) = (self.listing.fact(line, rate, "a rate"), self.listing.fact(line, width, "a rate"));
                let port = self.listing.port(name, number);
                port.rate.merge(rate);
                port.width.merge(width);
            }
            "link_layer" => {
                let fact = self.listing.fact(line, link_layer(value).map(str::to_owned), "a link layer");
                self.listing.port(name, number).link_layer.merge(fact);
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        let Some((name, number, order)) = self.block.take() else { return };
        if let Some(key) = order.awaited() {
            self.listing.lacks(format!("the block of {name} port {number} ends before its line {key:?}"));
        }
    }

    fn end(mut self) {
        self.close();
        self.listing.end(false);
    }
}

/// The device and the port in `Infiniband device 'mlx5_0' port 1 status:`.
fn header(line: &str) -> Option<(&str, u32)> {
    let rest = line.strip_prefix("Infiniband device '")?.strip_suffix(" status:")?;
    let (name, port) = rest.split_once("' port ")?;
    let plain_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    Some((name, plain(port).filter(|_| plain_name)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_less_of_listing, damaged, facts};
    use super::*;
    use crate::{facts::PortState, units::Rate};

    const TWO: &str = "Infiniband device 'mlx5_0' port 1 status:\n\
        \tdefault gid:\t fe80:0000:0000:0000:a088:c203:00aa:0001\n\tbase lid:\t 0x11\n\tsm lid:\t\t 0x1\n\
        \tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n\trate:\t\t 400 Gb/sec (4X NDR)\n\
        \tlink_layer:\t InfiniBand\n\n\
        Infiniband device 'mlx5_3' port 1 status:\n\
        \tdefault gid:\t fe80:0000:0000:0000:a088:c203:00bb:0002\n\tbase lid:\t 0x0\n\tsm lid:\t\t 0x0\n\
        \tstate:\t\t 1: DOWN\n\tphys state:\t 3: Disabled\n\trate:\t\t 40 Gb/sec (4X QDR)\n\
        \tlink_layer:\t Ethernet\n\n";

    #[test]
    fn a_port_up_and_a_port_down() {
        let mut read = facts(read, TWO);
        assert_eq!(read.damage, []);
        assert_eq!(read.rdma_count.value(), Some(&2));
        let up = read.rdma_mut("mlx5_0").ports[0].clone();
        assert_eq!((up.number, up.state.value()), (1, Some(&PortState::Active)));
        assert_eq!(up.physical_state.value().map(String::as_str), Some("LinkUp"));
        assert_eq!(up.rate.value(), Some(&Rate(400.0)));
        assert_eq!(up.width.value().map(String::as_str), Some("4X"));
        let down = read.rdma_mut("mlx5_3").ports[0].clone();
        assert_eq!(down.state.value(), Some(&PortState::Down));
        assert_eq!(down.rate.value(), Some(&Rate(40.0)));
        assert_eq!(down.link_layer.value().map(String::as_str), Some("Ethernet"));
    }

    #[test]
    fn number_and_word_that_disagree() {
        let mut read = facts(read, &TWO.replace("4: ACTIVE", "4: DOWN"));
        assert_eq!(read.rdma_mut("mlx5_0").ports[0].state.value(), None);
        assert_eq!(read.damage.len(), 1);
    }

    #[test]
    fn a_block_without_its_header() {
        let mut read = facts(read, &TWO.replace("Infiniband device 'mlx5_3' port 1 status:\n", ""));
        assert_eq!(read.rdma_devices.len(), 1);
        assert_eq!(read.rdma_mut("mlx5_0").ports[0].rate.value(), Some(&Rate(400.0)));
        assert_eq!(read.rdma_count.value(), None);
    }

    #[test]
    fn ibstat_and_ibstatus_that_disagree() {
        let mut both = facts(read, TWO);
        let text = "CA 'mlx5_0'\nCA type: MT4129\nNumber of ports: 1\nFirmware version: 28.39.2048\n\
            Hardware version: 0\nNode GUID: ...\nSystem image GUID: ...\nPort 1:\nState: Active\n\
            Physical state: LinkUp\nRate: 200\n";
        super::super::ibstat::read(text, "ibstat.txt", &mut both);
        let reason = both.rdma_mut("mlx5_0").ports[0].rate.reason().unwrap().to_owned();
        assert_eq!(reason, "file says 400 Gb/s, ibstat.txt says 200 Gb/s");
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(TWO)) {
            assert_less_of_listing(facts(read, TWO), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(Infiniband device 'm' port 1 status:\n|\tstate: 4: ACTIVE\n|rate: |.){0,40}") {
            facts(read, &text);
        }
    }
}
