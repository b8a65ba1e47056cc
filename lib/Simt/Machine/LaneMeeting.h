//===- LaneMeeting.h - Lanes that compute together --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the lanes of a subgroup are agents of their own, an instruction that
// they execute together is a meeting: each brings its operands and waits, and
// the last one to come computes for all. Nobody learns what others did to
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_LANEMEETING_H
#define DISTAFF_LIB_SIMT_MACHINE_LANEMEETING_H

#include "Workgroup.h"

namespace distaff::simt {

class LaneMeeting final : public PhasedSync<LaneMeeting> {
public:
  /// Cells of registers, `element * lanes + lane` as in an agent of all lanes.
  using Cells = std::vector<uint8_t>;
  /// Computes the result in the last operand's cells.
  using Compute = std::function<void(SmallVectorImpl<Cells> &)>;

  /// `operands` are registers of agents of one lane; the last one's cells
  /// become `result`.
  LaneMeeting(int64_t lanes, SmallVector<Reg> operands, Reg result)
      : lanes(lanes), operands(std::move(operands)), result(result),
        brought(this->operands.size()) {}

  /// A lane comes, and is to wait by blocking on the phase that was current
  /// before.
  void arrive(Agent &agent, const Compute &compute);

  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  int64_t lanes;
  SmallVector<Reg> operands;
  Reg result;
  int64_t arrived = 0; // of the current phase
  SmallVector<Cells> brought;
  Cells computed; // of the last phase
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_LANEMEETING_H
