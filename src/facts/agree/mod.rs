//! What two sources of one fact agree on where they tell it in different detail, or at different moments.
//!
//! A source that cannot know a part leaves it out, and the richer value stays. Which of two files was written later is
//! not known: of what grows the higher stands, of what comes and goes all that was seen, as both happened and neither
//! can pass a case that the other fails. Whatever else differs is a contradiction.

mod counts;
mod host;
mod lists;
mod log;
mod nics;
mod nvlinks;
mod pcie;
mod rdma;
mod seen;

pub use lists::Listed;
