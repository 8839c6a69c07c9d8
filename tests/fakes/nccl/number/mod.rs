//! Numbers of 8 and 16 bits as the library computes with them: every step is rounded to the type, to the nearest, ties to
//! even.

pub mod element;
pub mod small;
