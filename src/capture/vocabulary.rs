use crate::facts::{Fact, Facts, RdmaDevice};

/// Values of kernel arguments and of settings, and what any machine may be called.
const PLAIN: [&str; 19] = [
    "active", "auto", "default", "force", "gpu", "guest", "host", "kernel", "linux", "no", "node", "none", "off", "on",
    "pt", "ro", "server", "vm", "yes",
];

/// Texts whose words vendors and the system chose: models, states, services. A machine that is called `h200` is not
/// identified by it, and `NVIDIA H200` has to stay.
pub(super) struct Vocabulary(Vec<String>);

impl Vocabulary {
    pub(super) fn new(facts: &Facts) -> Self {
        let host = &facts.host;
        let mut told: Vec<&Fact<String>> = vec![&host.kernel, &host.cpu_model];
        told.extend(facts.gpus.iter().map(|gpu| &gpu.name));
        let mut texts: Vec<&str> = PLAIN.to_vec();
        for RdmaDevice { model, board, ports, .. } in &facts.rdma_devices {
            told.extend([model, board]);
            told.extend(ports.iter().flat_map(|port| [&port.physical_state, &port.width, &port.link_layer]));
        }
        texts.extend(told.into_iter().filter_map(Fact::value).map(String::as_str));
        // An instance, as in `agent@node17`, may be of the machine; so may a name with a number.
        let services = host.services.keys().filter_map(|name| name.split('@').next());
        texts.extend(services.filter(|name| !name.contains(|c: char| c.is_ascii_digit())));
        let arguments = host.kernel_arguments.value().into_iter().flatten();
        texts.extend(arguments.filter_map(|argument| Some(argument.split_once('=')?.0)));
        let mut texts: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
        // A machine has a hundred services and devices, and few words.
        texts.sort_unstable();
        texts.dedup();
        Self(texts)
    }

    /// Whether a name, in lower case, is a word or several of the texts.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|text| {
            text.match_indices(name)
                .any(|(at, found)| super::forms::apart(&text[..at], found, &text[at + found.len()..]))
        })
    }
}
