//===- TargetOps.h - What instructions of a target compute ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine knows by name what `distaff.target_op` does, from the manual of
// the instruction and not from the table that the compiler has. A program that
// brings a target of its own says what its instructions do, for as long as the
// registration lives:
//
//   // Each lane gets 2 to the power of what the lane's neighbour has.
//   simt::TargetOpRegistration known({"NEIGHBOURS_EXP2", 32, {1}, 1,
//       "math.exp2", [](simt::TargetOpSlot to, int64_t operand) {
//         return simt::TargetOpSlot{to.lane ^ 1, to.reg};
//       }});
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_SIMT_TARGETOPS_H
#define DISTAFF_SIMT_TARGETOPS_H

#include "distaff/LLVM.h"
#include <functional>
#include <string>

namespace distaff::simt {

/// A register of a lane, of those of one issue.
struct TargetOpSlot {
  int64_t lane, reg;
};

struct TargetOpMeaning {
  std::string name;
  int64_t lanes;
  SmallVector<int64_t> operandRegisters; // of a lane, per operand and issue
  int64_t resultRegisters;
  /// The op that combines what is read: `math.exp2`, `arith.addf`; empty for
  /// the one operand as it is.
  std::string function;
  /// Where the result in a slot reads an operand.
  std::function<TargetOpSlot(TargetOpSlot, int64_t operand)> source;
};

/// What the instruction of that name does, or null.
const TargetOpMeaning *lookupTargetOpMeaning(StringRef name);

/// \pre no instruction has that name, and nothing runs while one is made or
///      ends
class TargetOpRegistration {
public:
  explicit TargetOpRegistration(TargetOpMeaning meaning);
  ~TargetOpRegistration();
  TargetOpRegistration(const TargetOpRegistration &) = delete;
  TargetOpRegistration &operator=(const TargetOpRegistration &) = delete;

private:
  std::string name;
};

} // namespace distaff::simt

#endif // DISTAFF_SIMT_TARGETOPS_H
