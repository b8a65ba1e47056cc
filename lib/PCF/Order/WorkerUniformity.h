//===- WorkerUniformity.h - Uniformity among workers of a scope -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_WORKERUNIFORMITY_H
#define DISTAFF_LIB_PCF_ORDER_WORKERUNIFORMITY_H

#include "BarrierSequence.h"
#include "mlir/IR/Operation.h"

namespace distaff::pcf {

/// Describes a barrier of the level under analysis.
struct LevelBarrier {
  std::string label;
  std::optional<int64_t> id;
};

/// Describes code of the workers of one scope: a pcf.generic of it, or a
/// function whose scopes are lowered.
struct WorkerLevel {
  Region *body = nullptr;
  /// Returns the barrier among these workers that an op is, none for other ops.
  std::function<std::optional<LevelBarrier>(Operation *)> getBarrier;
  /// Returns whether an op's results depend on which worker runs it.
  std::function<bool(Operation *)> tellsWorkers;
};

/// Returns the levels whose code an op holds; none for most ops.
SmallVector<WorkerLevel> getWorkerLevels(Operation *op);

/// Computes whether values are the same for all workers of a level.
class Uniformity {
public:
  Uniformity(const WorkerLevel &level, UniformityRemark remark)
      : level(level), remark(remark) {}

  /// Returns false if `value` is computed from a worker's ids. A value read
  /// from memory counts as uniform and is reported to the remark, with `user`.
  bool isUniform(Operation *user, Value value);

private:
  /// Adds the values that `value` is computed from, one step back; returns
  /// false if it depends on which worker runs the code.
  bool trace(Value value, SmallVectorImpl<Value> &from);

  const WorkerLevel &level;
  UniformityRemark remark;
  bool readsMemory = false;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_WORKERUNIFORMITY_H
