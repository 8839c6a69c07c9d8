use std::io;

use crate::record::Event;

/// Something that follows a run: the journal, the console, libtest's lines.
pub trait Reporter {
    /// Takes one event. An error ends the run: results that cannot be kept are worth nothing.
    fn report(&mut self, event: &Event) -> io::Result<()>;
}
