//===- RegionProgram.h - Program of a region for many points ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a linalg.generic defines the computation at one point of an
// iteration space. To run it on many points, it is translated once into a
// program of its own, whose lanes are points: the instructions for 64 lanes of
// a subgroup compute 64 points at a time, and an scf.if inside is a divergent
// branch.
//
//   BodyRun run(program, agent);             // once per execution of the op
//   run.argument(0)[...] = cells of 64 points
//   run.execute();
//   run.result(0)                            // cells of what the block yields
//
// A body that captures a tensor runs one point at a time: tensors exist in
// programs of one lane only.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_REGIONPROGRAM_H
#define DISTAFF_LIB_SIMT_TRANSLATE_REGIONPROGRAM_H

#include "OpRegistry.h"

namespace distaff::simt {

class RegionProgram {
public:
  /// Translates a block of scalar arguments. `results` are values of the block,
  /// by default the operands of its terminator. `indices` are index values
  /// whose registers are set from outside (linalg.index).
  static FailureOr<std::shared_ptr<RegionProgram>>
  get(Block &block, Translator &outer, ValueRange indices = {},
      std::optional<ValueRange> results = std::nullopt);

  int64_t points() const { return program.lanes; }

  SmallVector<Reg> arguments, results, indices;

private:
  friend class BodyRun;

  Program program;
  SmallVector<std::pair<Reg, Reg>> captured; // outer, inner
  bool straight = true; // no branch: the code is a straight line
};

/// An execution of a region program for one agent of one lane.
class BodyRun {
public:
  BodyRun(const RegionProgram &region, Agent &outer);

  uint8_t *argument(size_t number) {
    return body.cells(region.arguments[number]);
  }
  uint8_t *result(size_t number) { return body.cells(region.results[number]); }
  void setIndex(size_t number, int64_t point, int64_t value) {
    body.setInteger(region.indices[number], value, point);
  }

  /// Runs the body once; returns false after a fault.
  bool execute();

private:
  bool runBranching();

  const RegionProgram &region;
  Agent body;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_REGIONPROGRAM_H
