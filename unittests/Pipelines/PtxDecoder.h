//===- PtxDecoder.h - From PTX opcodes to steps -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out once per kernel what each instruction does: arithmetic is a
// function of one lane's registers (PtxArithmetic.h), the rest is what the
// machine does itself. Every word of an opcode must be known:
// `ld.global.nc.v4.b32` is, an `ld.volatile` would be no step.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXDECODER_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXDECODER_H

#include "PtxArithmetic.h"
#include "PtxParser.h"

namespace distaff::ptx {

struct Step {
  enum class Kind {
    Arithmetic,
    Move,
    Load,
    Store,
    Branch,
    Exit,
    Barrier,
    Shuffle,
    Mma,
    Cast
  };
  enum class Space { Param, Global, Shared };
  enum class Mode { Butterfly, Index, Up, Down };

  Kind kind = Kind::Arithmetic;
  Compute compute;             // Arithmetic
  unsigned bits = 0;           // Move, Load, Store: of the type
  bool isSigned = false;       // Load
  Space space = Space::Global; // Load, Store
  Mode mode = Mode::Index;     // Shuffle
  FloatFormat multiplicand = half, accumulator = single; // Mma
  unsigned k = 0;                                        // Mma
};

/// None for an instruction that is not known.
std::optional<Step> decode(const Instruction &instruction);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXDECODER_H
