use std::{
    fs::File,
    io::{self, BufRead, BufReader, Stdin, Write},
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use super::{Order, RankStart, Report};

/// What a rank says to its supervisor.
#[derive(Debug)]
pub(super) struct Out(Mutex<File>);

impl Out {
    pub(super) const fn new(file: File) -> Self {
        Self(Mutex::new(file))
    }

    /// Tells the supervisor, with one write: a rank that is killed leaves no half line but its last. One that is gone
    /// wants nothing more, and ends this process too.
    pub(super) fn tell(&self, report: &Report) {
        let Ok(mut line) = serde_json::to_vec(report) else { return };
        line.push(b'\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _: io::Result<()> = out.write_all(&line);
    }
}

/// The first order, which says who this process is. Nothing else is read and no thread started before its pin is made.
pub(super) fn first_order() -> Result<(Box<RankStart>, BufReader<Stdin>), String> {
    let mut input = BufReader::new(io::stdin());
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| format!("standard input cannot be read: {error}"))?;
    match serde_json::from_str(&line) {
        Ok(Order::Start(start)) => Ok((start, input)),
        Ok(_) => Err("the first order is none that starts a rank".to_owned()),
        Err(error) => Err(format!("the first order cannot be read: {error}")),
    }
}

/// Reads the other orders in a thread of their own. Where nothing more is wanted it calls `called_off`, whatever the
/// rank is inside of, and ends.
pub(super) fn orders(
    input: BufReader<Stdin>,
    called_off: impl FnOnce() + Send + 'static,
) -> io::Result<mpsc::Receiver<Order>> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        for line in input.lines() {
            match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
                None | Some(Order::Abort) => break,
                Some(order) => {
                    let last = order == Order::End;
                    if sender.send(order).is_err() || last {
                        return;
                    }
                }
            }
        }
        drop(sender);
        called_off();
    };
    thread::Builder::new().name("orders".to_owned()).spawn(read)?;
    Ok(receiver)
}
