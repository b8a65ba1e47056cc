//===- StrictFp.cpp - Strict floating point -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fast-math flags of the source allow reordering, fusion and approximation;
// strict-fp, an option of the compilation, overrides them.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {
#define GEN_PASS_DEF_STRICTFP
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

static void dropFlags(arith::ArithFastMathInterface op) {
  op->setAttr(op.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(),
                                            arith::FastMathFlags::none));
}

namespace {
struct StrictFp final : distaff::impl::StrictFpBase<StrictFp> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto flagged = dyn_cast<arith::ArithFastMathInterface>(op))
        dropFlags(flagged);
      auto tiled = dyn_cast<iree::InnerTiledOp>(op);
      if (!tiled || !isa<FloatType>(getElementTypeOrSelf(tiled.getResult())))
        return;
      op->emitOpError("adds floats in an order of its own, that of ")
          << tiled.getKind() << "; strict-fp keeps the order of the source";
      signalPassFailure();
    });
  }
};
} // namespace
