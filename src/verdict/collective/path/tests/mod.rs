//! What carried the traffic: each test is named after the false green or the false red that it prevents.

mod settings;
mod support;
mod told;
mod transport;
