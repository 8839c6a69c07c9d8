use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// How long the service may take in all.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is kept of an answer, in bytes.
const KEPT: usize = 1 << 20;

/// Asks the collective library's RAS service on this host for its status, and keeps what it says as it says it. The
/// library runs the service in the ranks' own processes.
pub(super) fn ask(port: u16) -> Result<String, String> {
    let began = Instant::now();
    let left = || PATIENCE.checked_sub(began.elapsed()).filter(|left| !left.is_zero());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let unheard = |error: std::io::Error| {
        format!("the library's RAS service, which NCCL has from 2.24 on, does not answer at port {port}: {error}")
    };
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(unheard)?;
    stream.set_write_timeout(left()).map_err(unheard)?;
    stream.write_all(b"VERBOSE STATUS\n").map_err(unheard)?;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Some(left) = left() {
        stream.set_read_timeout(Some(left)).map_err(unheard)?;
        match stream.read(&mut buffer) {
            // It closes the connection after its answer.
            Ok(0) => break,
            Ok(count) if answer.len() < KEPT => answer.extend(&buffer[..count]),
            // What came before is worth keeping.
            Ok(_) | Err(_) => break,
        }
    }
    if answer.is_empty() {
        return Err(format!("the RAS service at port {port} says nothing within {} s", PATIENCE.as_secs()));
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader},
        net::TcpListener,
        thread,
    };

    use super::*;

    fn service(answer: &'static str, stays: bool) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            BufReader::new(stream.try_clone().unwrap()).read_line(&mut asked).unwrap();
            assert_eq!(asked, "VERBOSE STATUS\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if stays {
                thread::sleep(Duration::from_secs(20));
            }
        });
        port
    }

    #[test]
    fn the_answer_is_kept_as_it_is() {
        assert_eq!(
            ask(service("NCCL version 2.28.3\nJob summary\n", false)).unwrap(),
            "NCCL version 2.28.3\nJob summary\n"
        );
    }

    #[test]
    fn a_service_that_hangs_too_is_not_waited_for() {
        let began = Instant::now();
        assert!(ask(service("", true)).unwrap_err().contains("says nothing within 2 s"));
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn no_service() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        assert!(ask(port).unwrap_err().contains("does not answer"));
    }
}
