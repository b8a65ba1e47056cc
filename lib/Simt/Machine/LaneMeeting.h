//===- LaneMeeting.h - Collective ops of one-lane agents --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the lanes of a subgroup are agents of their own, an instruction that they
// execute together is a rendezvous: each lane brings its operands and waits,
// and the last one to arrive computes for all. It does not order memory.
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
  /// A function that computes the result in the cells of the last operand.
  using Compute = std::function<void(SmallVectorImpl<Cells> &)>;

  /// Creates a meeting for `operands`, registers of agents of one lane; the
  /// last one's cells become `result`.
  LaneMeeting(int64_t lanes, SmallVector<Reg> operands, Reg result)
      : lanes(lanes), operands(std::move(operands)), result(result),
        brought(this->operands.size()) {}

  /// Lets a lane arrive. Its agent must wait by blocking on the phase that was
  /// current before.
  void arrive(Agent &agent, const Compute &compute);

  void pass(Agent &agent, const Wait &wait) override;
  std::string explain(const Agent &agent, const Wait &wait) const override;

private:
  int64_t lanes;
  SmallVector<Reg> operands;
  Reg result;
  int64_t arrived = 0; // in the current phase
  SmallVector<Cells> brought;
  Cells computed; // in the last phase
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_LANEMEETING_H
