use super::{
    super::{Fact, Host, Identifiers, LogEvent, PciBridge},
    lists::Listed,
};

impl Host {
    /// Joins what incomplete listings and logs show to the complete ones of another source, where there is one: what
    /// was seen was there, and must not be lost behind a log that was read before.
    pub fn join_seen(&mut self) {
        if let Fact::Known { value: events, .. } = &mut self.kernel_log {
            let what = |event: &LogEvent| (event.kind, event.code, event.device.clone());
            add_missing(events, std::mem::take(&mut self.kernel_log_seen), what);
        }
        if let Fact::Known { value: lines, .. } = &mut self.kernel_log_lines {
            add_missing(lines, std::mem::take(&mut self.kernel_log_lines_seen), String::clone);
        }
        if self.bridges.value().is_some() {
            for bridge in std::mem::take(&mut self.bridges_seen) {
                self.join_bridge(bridge);
            }
        }
    }

    fn join_bridge(&mut self, seen: PciBridge) {
        let Fact::Known { value: bridges, source } = &mut self.bridges else { return };
        let Some(known) = bridges.iter_mut().find(|known| known.address == seen.address) else {
            return bridges.push(seen);
        };
        match PciBridge::agree(std::slice::from_ref(known), &[seen], Identifiers::Own) {
            Ok(both) => both.into_iter().for_each(|bridge| *known = bridge),
            Err(difference) => {
                let reason =
                    format!("{source} says {}, an incomplete listing says {}", difference.first, difference.second);
                self.bridges = Fact::Conflict { reason };
            }
        }
    }
}

/// Adds what was seen more often than it is known.
fn add_missing<T, K: PartialEq>(known: &mut Vec<T>, seen: Vec<T>, what: impl Fn(&T) -> K) {
    let mut unmatched: Vec<K> = known.iter().map(&what).collect();
    for one in seen {
        match unmatched.iter().position(|known| *known == what(&one)) {
            Some(at) => {
                unmatched.swap_remove(at);
            }
            None => known.push(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::LogEventKind;
    use super::*;

    fn event(code: u32, line: u32) -> LogEvent {
        LogEvent { kind: LogEventKind::Xid, code: Some(code), device: None, line, quote: format!("Xid {code}") }
    }

    #[test]
    fn an_event_of_a_log_that_is_cut_is_not_lost_behind_a_whole_log_that_was_read_before() {
        let mut host = Host {
            kernel_log: Fact::known(vec![event(63, 900)], "/dev/kmsg"),
            kernel_log_seen: vec![event(63, 1), event(79, 2)],
            ..Host::default()
        };
        host.join_seen();
        assert_eq!(host.kernel_log.value().unwrap(), &[event(63, 900), event(79, 2)]);
        assert!(host.kernel_log_seen.is_empty());
    }

    #[test]
    fn what_was_seen_stays_apart_where_no_log_is_whole() {
        let mut host = Host { kernel_log_seen: vec![event(79, 2)], ..Host::default() };
        host.join_seen();
        assert_eq!(host.kernel_log_seen, [event(79, 2)]);
    }

    #[test]
    fn a_redirect_bit_of_a_listing_that_is_cut_is_not_lost() {
        let bridge = |bits: Option<&[&str]>| PciBridge {
            address: "0000:40:01.0".to_owned(),
            buses_below: None,
            acs_redirect: bits.map(|bits| bits.iter().map(|bit| (*bit).to_owned()).collect()),
            acs_unread: None,
        };
        let on: &[&str] = &["ReqRedir"];
        let join = |known: PciBridge| {
            let bridges = Fact::known(vec![known], "/sys/bus/pci");
            let mut host = Host { bridges, bridges_seen: vec![bridge(Some(on))], ..Host::default() };
            host.join_seen();
            host.bridges
        };
        assert_eq!(join(bridge(None)).value().unwrap(), &[bridge(Some(on))]);
        assert!(
            join(bridge(Some(&[]))).reason().unwrap().ends_with("says ACS redirect ReqRedir on bridge 0000:40:01.0")
        );
    }
}
