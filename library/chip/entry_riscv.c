/* SPDX-License-Identifier: Apache-2.0
 * The first instructions of a program on a RISC-V. */
__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__ volatile(".option push\n"
                     ".option norelax\n"
                     "la gp, __global_pointer$\n"
                     ".option pop\n"
                     "la sp, __stack\n"
                     "j tandem_begin");
}
