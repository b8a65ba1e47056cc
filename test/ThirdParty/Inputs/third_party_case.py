"""What a case of test/ThirdParty is: PTX, how it is launched, and what each
output must hold.

Bounds are sums of worst cases over the operations of the kernel, each relative
to a magnitude that the reference computes in float64. The constants:

  F32, F16, BF16  half a unit in the last place of the type, relative: one
                  rounding to nearest;
  ACCUMULATE      one step of an accumulation in f32, by an MMA or by additions:
                  a whole unit in the last place, since the ISA does not say
                  that an MMA rounds its partial sums to nearest;
  APPROXIMATE     ex2.approx, lg2.approx, rcp.approx, sqrt.approx, rsqrt.approx
                  and div.full: at most 2 units in the last place by the ISA
                  manual, 4 here, as ex2's bound is stated as 2 plus a term.
"""
from dataclasses import dataclass, field
from typing import Any

import numpy as np

F32 = 2.0**-24
F16 = 2.0**-11
BF16 = 2.0**-8
TF32 = 2.0**-10  # the low 13 bits of an f32 are cut off
ACCUMULATE = 2.0**-23
APPROXIMATE = 4 * 2.0**-23


@dataclass
class Argument:
    """A parameter of the entry: an array for a pointer, a number, or None for a
    null pointer. `expected` and `bound` (absolute, per element) say what the
    array must hold afterwards; without them nothing is compared."""
    value: Any
    expected: Any = None
    bound: Any = 0.0


@dataclass
class Struct:
    """A parameter that is passed by value: its bytes, and at some offsets
    pointers to arrays in their place."""
    bytes: bytes
    pointers: dict = field(default_factory=dict)  # of Argument, by offset


@dataclass
class Case:
    name: str
    compiler: str
    ptx: Any  # text, or the bytes of a file
    entry: str
    grid: tuple
    block: tuple
    shared: int
    arguments: list = field(default_factory=list)


def accumulated(left, right, steps, inputs=0.0):
    """Bound on a matrix product of `steps` terms accumulated in f32, whose
    operands are rounded by `inputs` each."""
    magnitude = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    return magnitude * ((steps + 1) * ACCUMULATE + 2 * inputs + inputs**2)


def softmax(scores):
    """Softmax of the last dimension in float64, and the relative bound of each
    element when f32 computes it from exact scores: the subtraction and the
    multiplication by log2(e) (itself rounded) err by 3 roundings of the
    exponent, which ex2 turns into that relative error; then ex2, the sum of n
    terms and the division."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    powers = np.exp(shifted)
    result = powers / powers.sum(axis=-1, keepdims=True)
    seen = np.where(np.isfinite(shifted), np.abs(shifted), 0.0)
    power = 3 * F32 * seen + APPROXIMATE
    return result, power + power.max(axis=-1, keepdims=True) + scores.shape[-1] * ACCUMULATE + APPROXIMATE
