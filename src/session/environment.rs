use std::{net::TcpListener, path::Path};

/// What the library's log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subsystems {
    /// What is printed while communicators are made and connected: a timed run may have it.
    Quiet,
    /// A line for every call as well: what the library chose for which size.
    EveryCall,
}

/// Subsystems of NCCL's log that print only while it connects (NVIDIA/nccl: src/debug.cc, and the calls of `INFO`).
const QUIET: &str = "INIT,ENV,GRAPH,P2P,SHM,NET";
const EVERY_CALL: &str = "INIT,ENV,GRAPH,P2P,SHM,NET,TUNING,COLL";

/// The variables that the engine itself gives a rank: its log, a port for the library's RAS service that is this
/// session's alone, and GPUs in the order that the driver's tools have.
pub fn engine_variables(log: &Path, ras: Option<u16>, subsystems: Subsystems) -> Vec<(String, String)> {
    let subsystems = match subsystems {
        Subsystems::Quiet => QUIET,
        Subsystems::EveryCall => EVERY_CALL,
    };
    let mut variables = vec![
        ("CUDA_DEVICE_ORDER".to_owned(), "PCI_BUS_ID".to_owned()),
        ("NCCL_DEBUG".to_owned(), "INFO".to_owned()),
        ("NCCL_DEBUG_FILE".to_owned(), log.display().to_string()),
        ("NCCL_DEBUG_SUBSYS".to_owned(), subsystems.to_owned()),
    ];
    variables.extend(ras.map(|port| ("NCCL_RAS_ADDR".to_owned(), format!("localhost:{port}"))));
    variables
}

/// A port for the library's RAS service that is one session's alone.
pub fn free_port() -> Option<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).ok()?;
    Some(listener.local_addr().ok()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_run_logs_no_calls() {
        let of = |subsystems| engine_variables(Path::new("/out/rank0.log.txt"), Some(28_100), subsystems);
        let quiet = of(Subsystems::Quiet);
        let pairs: Vec<(&str, &str)> = quiet.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let wanted = [
            ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
            ("NCCL_DEBUG", "INFO"),
            ("NCCL_DEBUG_FILE", "/out/rank0.log.txt"),
            ("NCCL_DEBUG_SUBSYS", "INIT,ENV,GRAPH,P2P,SHM,NET"),
            ("NCCL_RAS_ADDR", "localhost:28100"),
        ];
        assert_eq!(pairs, wanted);
        assert_eq!(of(Subsystems::EveryCall)[3].1, "INIT,ENV,GRAPH,P2P,SHM,NET,TUNING,COLL");
        assert_eq!(engine_variables(Path::new("/log"), None, Subsystems::Quiet).len(), 4);
    }
}
