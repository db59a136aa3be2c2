// SPDX-License-Identifier: Apache-2.0
//! What decode makes of a word.
//!
//! The decoder is minimised: of a word that is no instruction its signals are whatever came out of
//! that, and some of them have effects before the word is found to be none, or on a path that is not
//! taken. So they are computed from the patterns of the RTL (`decode_LEGAL_INSTRUCTION` and the vector
//! of all other signals), and not from what the instruction means.

use super::stages::{Late, NO_REGISTER, What};
use crate::cores::rv32::{Class, Instruction, Operation, decode};

/// Words whose bits under the mask are the value.
pub type Pattern = (u32, u32);

/// A signal of the decoder: high for words of any of the patterns.
pub type Signal = &'static [Pattern];

/// The signals that time depends on.
#[derive(Debug, Clone, Copy)]
pub struct Signals {
    pub legal: Signal,
    pub flush_all: Signal,
    pub rs1_use: Signal,
    pub rs2_use: Signal,
    pub regfile_write_valid: Signal,
    pub bypassable_execute_stage: Signal,
    pub bypassable_memory_stage: Signal,
    /// `BRANCH_CTRL`: none, branch, `jal`, `jalr`.
    pub branch_ctrl: [Signal; 2],
}

/// A word of memory as the core takes it for an instruction. Aligned so that it is copied in pieces
/// that are read again as they were written.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Word {
    pub instruction: Instruction,
    /// From the word's address to where decode jumps (`predictionJumpInterface`), if it does.
    pub offset: u32,
    pub is_predicted: bool,
    /// The registers that it waits for; for none a number that is no register's, and not
    /// [`NO_REGISTER`].
    pub rs1: u8,
    pub rs2: u8,
    /// The register that it writes; [`NO_REGISTER`] for none.
    pub rd: u8,
    pub what: What,
    /// Whether it waits for nothing of its own in any stage.
    pub is_prompt: bool,
    pub is_legal: bool,
    /// Whether it empties the instruction cache.
    pub flushes: bool,
}

const NO_SOURCE: u8 = 0xfe;

fn is_high(signal: Signal, word: u32) -> bool {
    signal.iter().any(|&(mask, value)| word & mask == value)
}

impl Signals {
    /// A word, decoded. `is_iterative`: of a core that shifts and multiplies bit by bit.
    pub fn word(&self, word: u32, is_iterative: bool) -> Word {
        let field = |low: u32| (word >> low & 31) as u8;
        let source = |signal, low| if is_high(signal, word) { field(low) } else { NO_SOURCE };
        let writes = is_high(self.regfile_write_valid, word) && field(7) != 0;
        let late = Late {
            in_execute: !is_high(self.bypassable_execute_stage, word),
            in_memory: !is_high(self.bypassable_memory_stage, word),
        };
        let (instruction, predicted) = (meaning(word), self.predicted(word));
        let rd = if writes { field(7) } else { NO_REGISTER };
        let is_access = matches!(instruction.class, Class::Load | Class::Store);
        let is_late = late.in_execute || late.in_memory;
        Word {
            instruction,
            offset: predicted.unwrap_or_default(),
            is_predicted: predicted.is_some(),
            rs1: source(self.rs1_use, 15),
            rs2: source(self.rs2_use, 20),
            rd,
            what: What { rd: if is_late { rd } else { NO_REGISTER }, late, is_access },
            is_prompt: is_prompt(instruction, is_iterative),
            is_legal: is_high(self.legal, word),
            flushes: is_high(self.flush_all, word),
        }
    }

    /// Static prediction: `jal`, and branches backwards, unless the target is no word's address.
    fn predicted(&self, word: u32) -> Option<u32> {
        let [low, high] = self.branch_ctrl.map(|signal| is_high(signal, word));
        // What the offset means depends on the signals only.
        let offset = match (high, low) {
            (true, false) => decode(word & !0x7f | 0x6f).immediate,
            (false, true) => decode(word & !0x707f | 0x63).immediate,
            _ => return None,
        };
        let is_taken = high || offset >> 31 == 1;
        (is_taken && offset & 2 == 0).then_some(offset)
    }
}

/// Whether an instruction takes one cycle in each stage.
fn is_prompt(instruction: Instruction, is_iterative: bool) -> bool {
    match instruction.class {
        Class::Shift | Class::Multiply => !is_iterative,
        Class::Divide | Class::System => false,
        _ => true,
    }
}

/// What the word does. Two reserved ones are executed as others: `lwu` as `lw`, and shifts by more
/// than 31 by the low five bits.
fn meaning(word: u32) -> Instruction {
    let instruction = decode(word);
    if !matches!(instruction.operation, Operation::Illegal | Operation::Custom) {
        return Instruction { bytes: 4, ..instruction };
    }
    let again = match word & 0x707f {
        0x6003 => decode(word & !0x4000),
        0x1013 | 0x5013 => decode(word & !0x0200_0000),
        _ => instruction,
    };
    Instruction { bytes: 4, ..again }
}

impl Word {
    /// Whether it reads or writes a control register.
    pub fn is_control(&self) -> bool {
        let operation = self.instruction.operation;
        matches!(operation, Operation::Csrrw | Operation::Csrrs | Operation::Csrrc)
    }
}
