//! A target under libFuzzer: `QUIPU_FUZZ_TARGET=NAME fuzz FOLDER... [-max_total_time=SECONDS ...]`. With
//! `QUIPU_FUZZ_SEEDS=FOLDER` it writes the target's seeds there and ends.
#![no_main]
#![allow(clippy::expect_used, clippy::panic, reason = "without a target there is nothing to be done")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use quipu_fuzz::{Target, seeds, target};

fn chosen() -> Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        // Its own hook ends the process at any panic, also at those that are caught, as those of the PDF library are.
        drop(std::panic::take_hook());
        let name = std::env::var("QUIPU_FUZZ_TARGET").expect("QUIPU_FUZZ_TARGET names the target");
        let target = target(&name).unwrap_or_else(|| panic!("no target is called {name}"));
        if let Some(folder) = std::env::var_os("QUIPU_FUZZ_SEEDS") {
            // Those of binary formats are made by the program, and kept nowhere.
            for (number, seed) in seeds(&name).into_iter().enumerate() {
                let path = std::path::Path::new(&folder).join(format!("seed-{number}"));
                std::fs::write(path, seed).expect("the folder of the seeds can be written to");
            }
            std::process::exit(0);
        }
        target
    })
}

fuzz_target!(|bytes: &[u8]| {
    let target = chosen();
    if catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).is_err() {
        std::process::abort();
    }
});
