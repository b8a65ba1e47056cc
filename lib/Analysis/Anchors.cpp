//===- Anchors.cpp - What a to_layout may ask for -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Anchors.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::ToLayoutOp;

bool distaff::hasInstruction(const Target &target, compat::MmaLayoutAttr kind) {
  return llvm::any_of(target.mma, [&](const MmaRow &row) {
    return row.name == kind.getRow()->name;
  });
}

static LogicalResult verifyConversion(ToLayoutOp op) {
  Attribute conversion = op.getSharedMemoryConversionAttr();
  if (!conversion || isa<UnitAttr>(conversion))
    return success();
  return op.emitOpError("has the shared_memory_conversion ")
         << conversion
         << ", which is no promotion attribute; known is the plain "
            "`shared_memory_conversion`, a copy by all threads";
}

/// True if a contraction takes or gives the value, as it is or extended.
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
      if (isa<ToLayoutOp, arith::ExtFOp, arith::ExtSIOp>(user))
        pending.push_back(user->getResult(0));
    }
  return false;
}

static LogicalResult verifyKind(ToLayoutOp op, const Target *target) {
  Attribute attr = op.getMmaKindAttr();
  if (!attr)
    return success();
  auto kind = dyn_cast<compat::MmaLayoutAttr>(attr);
  if (!kind)
    return op.emitOpError("has the mma_kind ")
           << attr << ", which is no MMA instruction; it must be an "
           << "#iree_gpu.mma_layout";
  if (target && !hasInstruction(*target, kind)) {
    InFlightDiagnostic diagnostic = op.emitOpError("has the mma_kind ")
                                    << kind.getRow()->name << ", which "
                                    << target->name
                                    << " does not have; it has ";
    llvm::interleaveComma(target->mma, diagnostic,
                          [&](const MmaRow &row) { diagnostic << row.name; });
    return diagnostic;
  }
  if (!meetsContraction(op))
    return op.emitOpError("has the mma_kind ")
           << kind.getRow()->name
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
