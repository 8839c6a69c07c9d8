//! Quantities and printed figures: what is read prints to what is read as the same.

#![no_main]

use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use libfuzzer_sys::fuzz_target;
use linkspec::{
    evidence::Figure,
    units::{Bandwidth, IndexList, Rate, Size, Span, UnitError, Version},
};

fn there_and_back<T: FromStr<Err = UnitError> + Display + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            assert!(printed.parse::<T>().is_ok(), "{text:?} is {value:?}, which prints as {printed:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty(), "an error that says nothing"),
    }
}

fuzz_target!(|input: &str| {
    there_and_back::<Bandwidth>(input);
    there_and_back::<IndexList>(input);
    there_and_back::<Rate>(input);
    there_and_back::<Size>(input);
    there_and_back::<Span>(input);
    there_and_back::<Version>(input);
    if let Some(figure) = Figure::printed(input) {
        let (low, high) = figure.range();
        assert!(
            low.is_finite() && high.is_finite() && low <= figure.value && figure.value <= high,
            "{input:?} is {figure:?}, from {low} to {high}"
        );
    }
});
