use std::{
    net::{Ipv4Addr, TcpListener},
    path::Path,
};

/// What the collective library logs beside warnings: what it prints while it starts and connects. `TUNING` and `COLL`
/// print for every call, within the timed loop.
const SUBSYSTEMS: &str = "INIT,ENV,GRAPH,P2P,SHM,NET";

/// The variables that a rank of a measurement gets before what the operator and the case set, so that these win: where the
/// library logs, and what makes GPUs count as the driver's tool counts them. `log` is the rank's own file. `ras_port` is
/// where the library's RAS service is to answer on this host.
pub fn engine_variables(log: &Path, ras_port: Option<u16>) -> Vec<(String, String)> {
    let mut variables = vec![
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned()),
        ("NCCL_DEBUG", "INFO".to_owned()),
        ("NCCL_DEBUG_SUBSYS", SUBSYSTEMS.to_owned()),
        ("NCCL_DEBUG_FILE", log.display().to_string()),
    ];
    if let Some(port) = ras_port {
        variables.push(("NCCL_RAS_ADDR", format!("localhost:{port}")));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// As [`engine_variables`], with a log of every call.
pub fn logging_each_call(log: &Path, ras_port: Option<u16>) -> Vec<(String, String)> {
    let mut variables = engine_variables(log, ras_port);
    for (_, value) in variables.iter_mut().filter(|(name, _)| name == "NCCL_DEBUG_SUBSYS") {
        value.push_str(",TUNING,COLL");
    }
    variables
}

/// A port of this host that nobody listens on; `None` where the system gives none.
pub fn free_port() -> Option<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    listener.local_addr().ok().map(|address| address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(variables: &[(String, String)], name: &str) -> Option<String> {
        variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn a_rank_logs_into_its_own_file_and_not_every_call() {
        let quiet = engine_variables(Path::new("/tmp/rank 0.log"), Some(4711));
        assert_eq!(value(&quiet, "NCCL_DEBUG_FILE").as_deref(), Some("/tmp/rank 0.log"));
        assert_eq!(value(&quiet, "NCCL_RAS_ADDR").as_deref(), Some("localhost:4711"));
        assert_eq!(value(&quiet, "NCCL_DEBUG_SUBSYS").as_deref(), Some("INIT,ENV,GRAPH,P2P,SHM,NET"));
        assert_eq!(value(&engine_variables(Path::new("/a"), None), "NCCL_RAS_ADDR"), None);
    }

    #[test]
    fn each_call_is_logged_where_that_is_asked_for() {
        let loud = logging_each_call(Path::new("/a"), None);
        assert_eq!(value(&loud, "NCCL_DEBUG_SUBSYS").as_deref(), Some("INIT,ENV,GRAPH,P2P,SHM,NET,TUNING,COLL"));
    }

    #[test]
    fn a_port_that_can_be_listened_on() {
        let port = free_port().unwrap();
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    }
}
