//===- Anchors.cpp - Layouts that the user fixes --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::ToLayoutOp;

Target distaff::keepingFloatOrder(const Target &target) {
  // Sums of integers do not depend on the order, and their rows come last.
  Target strict = target;
  strict.mma = strict.mma.drop_while(
      [](const MmaRow &row) { return !isInteger(row.c); });
  return strict;
}

static bool hasInstruction(const Target &target, iree::MmaLayoutAttr kind) {
  return llvm::any_of(target.mma, [&](const MmaRow &row) {
    return row.name == kind.getName();
  });
}

std::optional<std::string>
distaff::whyNotInstruction(const Target &target, iree::MmaLayoutAttr kind) {
  if (hasInstruction(target, kind))
    return std::nullopt;
  const Target *known = lookupTarget(target.name);
  const Target &full = known ? *known : target;
  if (hasInstruction(full, kind))
    return "which adds floats in an order of its own; strict-fp keeps the "
           "order of the source";
  std::string names;
  for (const MmaRow &row : full.mma)
    names += (names.empty() ? "" : ", ") + row.name.str();
  return "which " + target.name.str() + " does not have; it has " + names;
}

static LogicalResult verifyConversion(ToLayoutOp op) {
  Attribute conversion = op.getSharedMemoryConversionAttr();
  if (!conversion ||
      isa<UnitAttr, vector_ext::PromotionAttrInterface>(conversion))
    return success();
  return op.emitOpError("has the shared_memory_conversion ")
         << conversion
         << ", which is no promotion attribute; known is the plain "
            "`shared_memory_conversion`, a copy by all threads, and "
            "#iree_gpu.derived_thread_config and #iree_gpu.use_global_load_dma";
}

/// Returns whether a contraction reads or computes the value, extended or not.
static bool meetsContraction(ToLayoutOp op) {
  Value source = op.getInput();
  while (auto inner = source.getDefiningOp<ToLayoutOp>())
    source = inner.getInput();
  if (source.getDefiningOp<vector::ContractionOp>())
    return true;
  SmallVector<Value> pending = {op.getOutput()};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (isa<vector::ContractionOp>(user))
        return true;
      if (isa<ToLayoutOp>(user) || isExactExtension(user))
        pending.push_back(user->getResult(0));
    }
  return false;
}

/// Verifies a to_layout that names a target op: it lays out operands of ops
/// that the target op implements, and all vectors of such an op have such a
/// to_layout.
static LogicalResult verifyTargetOp(ToLayoutOp op, core::TargetOpAttr kind,
                                    const Target *target) {
  if (target && !target->findOp(kind.getName())) {
    std::string names;
    for (const TargetOp &row : target->ops)
      names += (names.empty() ? "" : ", ") + row.name.str();
    return op.emitOpError("has the mma_kind ")
           << kind.getName() << ", which " << target->name
           << " does not have; it has "
           << (names.empty() ? "no target ops" : names);
  }
  for (Operation *user : op->getUsers()) {
    if (std::optional<std::string> why = whyNotTargetOp(user, *kind.getRow()))
      return op.emitOpError("has the mma_kind ")
             << kind.getName() << ", " << *why << "; its value is read by '"
             << user->getName() << "'";
    if (!targetOpOf(user))
      return op.emitOpError("has the mma_kind ")
             << kind.getName() << ", which another operand of '"
             << user->getName() << "' does not name";
  }
  return success();
}

static LogicalResult verifyKind(ToLayoutOp op, const Target *target) {
  Attribute attr = op.getMmaKindAttr();
  if (!attr)
    return success();
  if (auto kind = dyn_cast<core::TargetOpAttr>(attr))
    return verifyTargetOp(op, kind, target);
  auto kind = dyn_cast<iree::MmaLayoutAttr>(attr);
  if (!kind)
    return op.emitOpError("has the mma_kind ")
           << attr << ", which is no MMA instruction; it must be an "
           << "#iree_gpu.mma_layout, or a #distaff.target_op";
  if (target)
    if (std::optional<std::string> why = whyNotInstruction(*target, kind))
      return op.emitOpError("has the mma_kind ")
             << kind.getName() << ", " << *why;
  // Contractions on tensors are still linalg ops.
  if (!isa<TensorType>(op.getInput().getType()) && !meetsContraction(op))
    return op.emitOpError("has the mma_kind ")
           << kind.getName()
           << ", and no vector.contract takes or gives its value";
  return success();
}

LogicalResult distaff::verifyAnchors(FunctionOpInterface function,
                                     const Target *target) {
  WalkResult result = function->walk([&](ToLayoutOp op) {
    return failed(verifyConversion(op)) || failed(verifyKind(op, target))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

bool distaff::laysOutTensors(FunctionOpInterface function) {
  return function
      ->walk([](ToLayoutOp op) {
        return isa<TensorType>(op.getInput().getType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool distaff::comesTiled(FunctionOpInterface function) {
  return mentionsTensors(function) &&
         (findWorkgroupLoop(function) || laysOutTensors(function));
}
