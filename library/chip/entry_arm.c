/* SPDX-License-Identifier: Apache-2.0
 * The first instructions of a program on an ARM. */
__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__ volatile("ldr sp, =__stack\n"
                     "b tandem_begin\n"
                     ".ltorg");
}
