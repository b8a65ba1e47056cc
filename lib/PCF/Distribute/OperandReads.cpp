//===- OperandReads.cpp - A read of memory for each operand ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OperandReads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using namespace distaff::pcf;

void pcf::readForEachOperand(RunClusterOp phase, RewriterBase &rewriter) {
  SmallVector<linalg::LinalgOp> ops;
  phase.getBody().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    llvm::SmallPtrSet<Operation *, 4> seen;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto read = input->get().getDefiningOp<ReadSliceOp>();
      if (!read || seen.insert(read).second)
        continue;
      // No op writes between this read and the first one.
      rewriter.setInsertionPointAfter(read);
      input->set(rewriter.clone(*read)->getResult(0));
    }
  }
}
