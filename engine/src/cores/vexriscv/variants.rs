// SPDX-License-Identifier: Apache-2.0
//! The variants of VexRiscv: what they have, and the patterns of their decoders.

use super::words::{Signal, Signals};

/// What a core is made with.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Lines of the instruction cache, of 32 bytes.
    pub instruction_lines: usize,
    /// Lines of the data cache, 0 for none.
    pub data_lines: usize,
    /// Whether shifts take a cycle a bit (`LightShifterPlugin`), and products 32 cycles more
    /// (`MulDivIterativePlugin`).
    pub is_iterative: bool,
    /// Its decoder.
    pub signals: Signals,
}

/// `VexRiscv.v`: caches of 4 KiB each, a multiplier and a barrel shifter over two stages.
pub const STANDARD: Variant = Variant {
    instruction_lines: 128,
    data_lines: 128,
    is_iterative: false,
    signals: Signals {
        legal: &[
            (0xffff_ffff, 0x0000_0073),
            (0xffff_ffff, 0x1050_0073),
            (0xdfff_ffff, 0x1020_0073),
            (0xbe00_707f, 0x0000_0033),
            (0xbe00_707f, 0x0000_5033),
            (0xfc00_307f, 0x0000_1013),
            (0xbc00_707f, 0x0000_5013),
            (0x01f0_707f, 0x0000_500f),
            (0xfc00_007f, 0x0000_0033),
            (0x0000_607f, 0x0000_000f),
            (0x0000_707b, 0x0000_0063),
            (0x0000_505f, 0x0000_0003),
            (0x0000_207f, 0x0000_0003),
            (0x0000_603f, 0x0000_0023),
            (0x0000_207f, 0x0000_2013),
            (0x0000_407f, 0x0000_4063),
            (0x0000_207f, 0x0000_2073),
            (0x0000_107f, 0x0000_1073),
            (0x0000_106f, 0x0000_0003),
            (0x0000_007f, 0x0000_006f),
            (0x0000_005f, 0x0000_0017),
        ],
        flush_all: &[(0x0000_5048, 0x0000_1008)],
        bypassable_execute_stage: &[
            (0x0200_3020, 0x0000_0020),
            (0x0200_2060, 0x0000_2020),
            (0x0000_1030, 0x0000_0010),
            (0x0000_2030, 0x0000_2010),
            (0x0000_0004, 0x0000_0004),
        ],
        bypassable_memory_stage: &[
            (0x0200_0020, 0x0000_0020),
            (0x0000_0030, 0x0000_0010),
            (0x0000_4020, 0x0000_4020),
            (0x0000_0004, 0x0000_0004),
            (0x0000_0040, 0x0000_0040),
        ],
        ..SHARED
    },
};

/// What the decoders have in common.
const SHARED: Signals = Signals {
    legal: &[],
    flush_all: &[],
    rs1_use: &[
        (0x0000_5004, 0x0000_1000),
        (0x0000_6004, 0x0000_2000),
        (0x0000_0018, 0x0000_0000),
        (0x0000_0044, 0x0000_0000),
    ],
    rs2_use: &[(0x0000_0064, 0x0000_0020), (0x0000_0034, 0x0000_0020)],
    regfile_write_valid: &[
        (0x0000_0028, 0x0000_0000),
        (0x0000_000c, 0x0000_0004),
        (0x0000_0050, 0x0000_0010),
        (0x0000_2010, 0x0000_2010),
        (0x0000_1010, 0x0000_1010),
        (0x0000_0048, 0x0000_0048),
    ],
    bypassable_execute_stage: &[],
    bypassable_memory_stage: &[],
    branch_ctrl: [BRANCH_OR_JALR, JUMP],
};

const BRANCH_OR_JALR: Signal = &[(0x0000_0058, 0x0000_0040)];
const JUMP: Signal = &[(0x0000_001c, 0x0000_0004), (0x0000_0048, 0x0000_0048)];

/// `VexRiscv_Lite.v`: an instruction cache of 2 KiB, no data cache, one bit a cycle.
pub const LITE: Variant = Variant {
    instruction_lines: 64,
    data_lines: 0,
    is_iterative: true,
    signals: Signals {
        legal: &[
            (0xffff_ffff, 0x0000_0073),
            (0xffff_ffff, 0x1050_0073),
            (0xdfff_ffff, 0x1020_0073),
            (0xbe00_707f, 0x0000_0033),
            (0xbe00_707f, 0x0000_5033),
            (0xbc00_707f, 0x0000_5013),
            (0xfc00_305f, 0x0000_1013),
            (0xfc00_007f, 0x0000_0033),
            (0x0000_607f, 0x0000_000f),
            (0x0000_707b, 0x0000_0063),
            (0x0000_505f, 0x0000_0003),
            (0x0000_207f, 0x0000_0003),
            (0x0000_603f, 0x0000_0023),
            (0x0000_207f, 0x0000_2013),
            (0x0000_407f, 0x0000_4063),
            (0x0000_207f, 0x0000_2073),
            (0x0000_107f, 0x0000_1073),
            (0x0000_106f, 0x0000_0003),
            (0x0000_007f, 0x0000_006f),
            (0x0000_005f, 0x0000_0017),
        ],
        flush_all: &[(0x0000_1048, 0x0000_1008)],
        bypassable_execute_stage: &[
            (0x0200_0060, 0x0000_0020),
            (0x0000_0030, 0x0000_0010),
            (0x0000_0004, 0x0000_0004),
        ],
        bypassable_memory_stage: &[(0x0000_0010, 0x0000_0010)],
        ..SHARED
    },
};
