//===- TargetOps.h - Semantics of target instructions -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine has the semantics of each `distaff.target_op` by name, from the
// manual of the instruction and not from the compiler's table. A program with a
// target of its own registers the semantics of its instructions for the
// lifetime of the registration:
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

/// A register of a lane, among the registers of one issue.
struct TargetOpSlot {
  int64_t lane, reg;
};

struct TargetOpMeaning {
  std::string name;
  int64_t lanes;
  SmallVector<int64_t> operandRegisters; // per lane, operand and issue
  int64_t resultRegisters;
  /// The op that combines the operands: `math.exp2`, `arith.addf`; empty for
  /// the identity on one operand.
  std::string function;
  /// Returns the slot of an operand that a slot of the result reads.
  std::function<TargetOpSlot(TargetOpSlot, int64_t operand)> source;
};

/// Returns the semantics of the instruction with that name, or null.
const TargetOpMeaning *lookupTargetOpMeaning(StringRef name);

/// Registers the semantics of an instruction while it lives.
/// \pre no instruction has that name, and no kernel runs during construction or
///      destruction
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
