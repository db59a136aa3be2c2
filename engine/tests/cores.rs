// SPDX-License-Identifier: Apache-2.0
//! The models of processor cores among themselves, without their RTL: a lockstep sees what differs,
//! and steps make no difference.

use tandem::cores::lockstep::{Features, Waits, compare, random_program};
use tandem::cores::microblaze::{MicroBlaze, Settings};
use tandem::cores::picorv32::PicoRv32;
use tandem::cores::vexriscv::{LITE, STANDARD, VexRiscv};

const LIMIT_CYCLES: u64 = 100_000;
const ITEMS: u32 = 200;

fn waits(seed: u64) -> Waits {
    Waits { seed, most_first_cycles: 3, most_interval_cycles: 2, interrupts_until: 0 }
}

#[test]
fn steps_make_no_difference() {
    for seed in 0..20 {
        let memory = random_program(seed, ITEMS, Features::default());
        let (mut first, mut second) = (VexRiscv::new(STANDARD), VexRiscv::new(STANDARD));
        let compared = compare((&mut first, &mut second), &memory, waits(seed), LIMIT_CYCLES);
        assert_eq!(compared.difference, "");
        assert!(compared.ended);
    }
}

#[test]
fn nor_in_a_core_that_fetches_ahead() {
    for seed in 0..20 {
        let memory = random_program(seed, ITEMS, Features::default());
        let [mut first, mut second] = [(); 2].map(|()| MicroBlaze::new(Settings::default()));
        let compared = compare((&mut first, &mut second), &memory, waits(seed), LIMIT_CYCLES);
        assert_eq!(compared.difference, "");
        assert!(compared.ended);
    }
}

#[test]
fn another_core_is_told_apart() {
    let memory = random_program(1, ITEMS, Features::default());
    let (mut first, mut second) = (VexRiscv::new(STANDARD), VexRiscv::new(LITE));
    let compared = compare((&mut first, &mut second), &memory, waits(1), LIMIT_CYCLES);
    assert!(compared.difference.contains("but"), "{}", compared.difference);
    let mut third = PicoRv32::default();
    let compared = compare((&mut third, &mut second), &memory, waits(1), LIMIT_CYCLES);
    assert_ne!(compared.difference, "");
}

#[test]
fn a_program_without_end_is_not_ended() {
    // Two jumps, each to the other.
    let mut memory = vec![0x0000_0013; 64];
    (memory[0], memory[1]) = (0x0040_006f, 0xffdf_f06f);
    let (mut first, mut second) = (PicoRv32::default(), PicoRv32::default());
    let compared = compare((&mut first, &mut second), &memory, waits(0), 5000);
    assert_eq!((compared.difference.as_str(), compared.ended), ("", false));
    assert!(compared.instructions > 1000 && compared.cycles >= 5000);
}
