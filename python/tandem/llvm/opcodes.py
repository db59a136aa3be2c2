# SPDX-License-Identifier: Apache-2.0
"""LLVM's instructions, comparisons and flags, by the numbers that LLVM-C has for them
(`llvm-c/Core.h`)."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class Opcode(IntEnum):
    """What an instruction does."""

    RET = 1
    SWITCH = 3
    INVOKE = 5
    UNREACHABLE = 7
    ADD = 8
    FADD = 9
    SUB = 10
    FSUB = 11
    MUL = 12
    FMUL = 13
    UDIV = 14
    SDIV = 15
    FDIV = 16
    UREM = 17
    SREM = 18
    FREM = 19
    SHL = 20
    LSHR = 21
    ASHR = 22
    AND = 23
    OR = 24
    XOR = 25
    ALLOCA = 26
    LOAD = 27
    STORE = 28
    ADDRESS = 29
    TRUNC = 30
    ZEXT = 31
    SEXT = 32
    FP_TO_UI = 33
    FP_TO_SI = 34
    UI_TO_FP = 35
    SI_TO_FP = 36
    FP_TRUNC = 37
    FP_EXT = 38
    PTR_TO_INT = 39
    INT_TO_PTR = 40
    BIT_CAST = 41
    ICMP = 42
    FCMP = 43
    PHI = 44
    CALL = 45
    SELECT = 46
    EXTRACT_ELEMENT = 50
    INSERT_ELEMENT = 51
    SHUFFLE = 52
    EXTRACT_VALUE = 53
    INSERT_VALUE = 54
    VA_ARG = 49
    FENCE = 55
    EXCHANGE = 56
    UPDATE = 57
    LANDING_PAD = 59
    FNEG = 66
    FREEZE = 68
    JUMP = 70
    BRANCH = 71


class Predicate(IntEnum):
    """How integers are compared."""

    EQ = 32
    NE = 33
    UGT = 34
    UGE = 35
    ULT = 36
    ULE = 37
    SGT = 38
    SGE = 39
    SLT = 40
    SLE = 41


class FastMath(IntFlag):
    """What may be done to an operation of floating-point numbers."""

    REASSOC = 1
    NNAN = 2
    NINF = 4
    NSZ = 8
    ARCP = 16
    CONTRACT = 32
    AFN = 64


BINARY = frozenset(range(Opcode.ADD, Opcode.XOR + 1))
CASTS = frozenset(range(Opcode.TRUNC, Opcode.BIT_CAST + 1))
