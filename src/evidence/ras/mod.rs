//! What the RAS service of NCCL (2.24 and newer) and of RCCL answers to a status request, as text and as JSON.
//!
//! The forms are those of `src/ras/client_support.cc` of NCCL: the text since 2.24, the JSON since 2.28.7.

mod answer;
mod json;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use answer::{RasAnswer, RasCommunicator, RasSpread};

/// An answer of the RAS service in either form. Lines of the protocol before it are passed over.
pub fn read_ras(text: &str, file: &str) -> RasAnswer {
    let mut answer = RasAnswer { source: file.to_owned(), ..RasAnswer::default() };
    match text.lines().position(|line| line.starts_with('{')) {
        Some(line) => json::read(text, line, &mut answer),
        None => text::read(text, &mut answer),
    }
    answer
}

/// Keeps the first reason why an answer is not whole.
fn incomplete(answer: &mut RasAnswer, why: impl Into<String>) {
    answer.incomplete.get_or_insert_with(|| why.into());
}
