//! Each test is named after the false green or the false red that it prevents.

mod collective;
mod collective_falls;
mod collective_property;
mod collective_whole;
mod compare;
mod conditional;
mod gpu;
mod guard;
mod host;
mod links;
mod ports;
mod relate;
mod relate_collective;
