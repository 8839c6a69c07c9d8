use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{Deadlines, crew::Crew, diagnosis::seconds, process::look};
use crate::evidence::Trouble;

/// How long ranks may take to abort where one of them is stopped: it does not hear, and its peers may wait for it.
const ABORT_BESIDE_A_STOPPED_ONE: Duration = Duration::from_secs(1);
/// How long the kernel may take to end a process that was killed.
const REAP: Duration = Duration::from_secs(10);
/// How often the processes are looked at.
const TICK: Duration = Duration::from_millis(5);

/// Calls the session off and ends every rank: by word, by signal, by force.
pub(super) fn end_all(crew: &mut Crew, deadlines: &Deadlines) {
    crew.board.stop();
    for rank in &mut crew.ranks {
        rank.call_off();
    }
    let is_stopped =
        crew.ranks.iter().any(|rank| rank.exit.is_none() && matches!(look(rank.pid()).state, Some('T' | 't')));
    if is_stopped {
        if wait(crew, deadlines.abort.min(ABORT_BESIDE_A_STOPPED_ONE)) {
            return;
        }
    } else {
        if wait(crew, deadlines.abort) {
            return;
        }
        for rank in &crew.ranks {
            // One that was stopped since hears the other signal only when it runs.
            rank.signal(Signal::SIGTERM);
            rank.signal(Signal::SIGCONT);
        }
        if wait(crew, deadlines.terminate) {
            return;
        }
    }
    kill_all(crew);
}

/// Ends every rank by force.
pub(super) fn kill_all(crew: &mut Crew) {
    crew.board.stop();
    for rank in &crew.ranks {
        rank.signal(Signal::SIGKILL);
    }
    wait(crew, REAP);
}

/// Says of the ranks that could not be ended that they are still there.
pub(super) fn say_what_is_left(crew: &Crew, trouble: &mut Trouble) {
    for rank in crew.ranks.iter().filter(|rank| rank.exit.is_none()) {
        let (number, pid) = (rank.number, rank.pid());
        let state = look(pid).state.map(|state| format!(" (state {state})")).unwrap_or_default();
        let killed = seconds(REAP);
        trouble.details.push(format!("rank {number}: process {pid} is there{state} {killed} after it was killed"));
        let left = "its process could not be ended: it is inside the driver";
        trouble.message += &match trouble.rank {
            Some(rank) if rank == number => format!("; {left}"),
            _ => format!("; rank {number}: {left}"),
        };
    }
}

/// Waits until every process has ended.
fn wait(crew: &mut Crew, patience: Duration) -> bool {
    let began = Instant::now();
    loop {
        let mut ended = true;
        for rank in &mut crew.ranks {
            ended &= rank.has_ended();
        }
        if ended || began.elapsed() >= patience {
            return ended;
        }
        crew.hear_for(TICK, &mut |_, _| false);
    }
}
