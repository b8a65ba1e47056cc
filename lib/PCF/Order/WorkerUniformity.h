//===- WorkerUniformity.h - Values that all workers share -------*- C++ -*-===//
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

/// A barrier of the level that is looked at.
struct LevelBarrier {
  std::string label;
  std::optional<int64_t> id;
};

/// Code of the workers of one scope: a pcf.generic of it, or a function whose
/// scopes are lowered.
struct WorkerLevel {
  Region *body = nullptr;
  /// The barrier that an op is among these workers, none for others.
  std::function<std::optional<LevelBarrier>(Operation *)> getBarrier;
  /// Whether an op's results say which worker runs it.
  std::function<bool(Operation *)> tellsWorkers;
};

/// The levels whose code an op holds; none for most ops.
SmallVector<WorkerLevel> getWorkerLevels(Operation *op);

/// Whether values are the same for all workers of a level.
class Uniformity {
public:
  Uniformity(const WorkerLevel &level, UniformityRemark remark)
      : level(level), remark(remark) {}

  /// False if `value` is computed from a worker's ids. What is read from memory
  /// counts as uniform; the remark is told, with `user`.
  bool isUniform(Operation *user, Value value);

private:
  /// What `value` is computed from, one step back; false if it says which
  /// worker runs the code.
  bool trace(Value value, SmallVectorImpl<Value> &from);

  const WorkerLevel &level;
  UniformityRemark remark;
  bool readsMemory = false;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_WORKERUNIFORMITY_H
