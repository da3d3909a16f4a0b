#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| loopdeck_fuzz::run("protocol", bytes));
