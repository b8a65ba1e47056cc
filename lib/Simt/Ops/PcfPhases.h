//===- PcfPhases.h - Phases of a group's workers ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The agent of a group, or an agent of each member, runs a phase: this file has
// its begin and end, its group, and its payload.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_PCFPHASES_H
#define DISTAFF_LIB_SIMT_OPS_PCFPHASES_H

#include "PcfCrew.h"

namespace distaff::simt {

/// A box of worker ids, fastest dimension first.
struct WorkerBox {
  SmallVector<int64_t, 3> low, size;

  static WorkerBox of(Agent &agent, const Translator::Handle &handle) {
    WorkerBox box;
    for (auto [low, size] : llvm::zip_equal(handle.low, handle.size)) {
      box.low.push_back(agent.integer(low));
      box.size.push_back(agent.integer(size));
    }
    return box;
  }

  int64_t numMembers() const {
    int64_t count = 1;
    for (int64_t extent : size)
      count *= extent;
    return count;
  }

  WorkerBox intersect(const WorkerBox &other) const {
    WorkerBox both = *this;
    for (size_t dim = 0; dim < low.size(); ++dim) {
      both.low[dim] = std::max(low[dim], other.low[dim]);
      int64_t end =
          std::min(low[dim] + size[dim], other.low[dim] + other.size[dim]);
      both.size[dim] = std::max<int64_t>(0, end - both.low[dim]);
    }
    return both;
  }

  /// Returns the ids of a member, counted from the box's lower bounds.
  SmallVector<int64_t, 3> idsOf(int64_t member) const {
    SmallVector<int64_t, 3> ids;
    for (int64_t extent : size) {
      ids.push_back(member % extent);
      member /= extent;
    }
    return ids;
  }

  bool operator==(const WorkerBox &) const = default;
};

/// Sets the workers of a handle, and whether it is of the agent's group.
void setNumbers(Agent &agent, const Translator::Handle &handle,
                const WorkerBox &box, bool isOwn);

/// Begins code that only a handle's group runs. The result is of the same
/// group.
/// \returns the target of the other agents
Translator::BlockId beginPhase(Operation *op, Value source, Value result,
                               Translator &t);
void endPhase(Operation *op, Translator::BlockId after, Translator &t);

/// Returns the fields of one kind of all handles, one after the other.
SmallVector<Reg> payloadOf(ValueRange handles, bool isPrivate, Translator &t);

/// Copies the value of a register of a one-lane agent, or sets it.
MemberValues::Value takeValue(Agent &agent, Reg reg);
void giveValue(Agent &agent, Reg reg, const MemberValues::Value &value);

/// Returns whether a phase is in the code of each worker, as after the
/// replication of clusters.
bool isInWorkersCode(pcf::RunThreadOp op);
/// Runs such a phase in the worker's own code, if its handle is the worker's.
LogicalResult translateOwnPhase(pcf::RunThreadOp op, Translator &t);
/// Makes a handle of a worker's ids in its group, or one of another group.
LogicalResult translateHandleCast(UnrealizedConversionCastOp op, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_PCFPHASES_H
