/* SPDX-License-Identifier: Apache-2.0
 * Before each file of the C library for an ARM of version 4. Its assembly ends functions with `bx`,
 * which came with Thumb; where there is no other state to change to, that is a move to pc. */
#ifdef __ASSEMBLER__
.macro bx target
    mov pc, \target
.endm
#else
__asm__(".macro bx target\n"
        "mov pc, \\target\n"
        ".endm");
#endif
