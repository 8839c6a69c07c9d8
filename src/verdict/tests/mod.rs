//! Each test is named after the false green or the false red that it prevents.

mod conditional;
mod gpu;
mod guard;
mod host;
mod links;
mod ports;
mod relate;
mod relate_collective;
