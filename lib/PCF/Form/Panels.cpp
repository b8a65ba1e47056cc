//===- Panels.cpp - Shared memory allocated by an executor ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Panels.h"

#include "../Order/RefAccess.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::isPanel(Value ref, SharedExecutorOp executor) {
  auto panel = dyn_cast<BlockArgument>(getViewedRef(ref));
  return panel && llvm::is_contained(executor.getLeadingArgs(), panel) &&
         getAllocation(panel);
}

template <typename OwnerOp>
static Value addMemory(OwnerOp owner, ShapedType type, RewriterBase &rewriter) {
  Location loc = owner.getLoc();
  Region &initializer = owner.getInitializer();
  if (initializer.empty()) {
    rewriter.createBlock(&initializer);
    YieldOp::create(rewriter, loc, ValueRange());
  }
  Operation *end = initializer.front().getTerminator();
  rewriter.setInsertionPoint(end);
  auto ref =
      SRefType::get(type.getShape(), type.getElementType(), owner.getScope());
  Value panel = AllocOp::create(rewriter, loc, ref, ValueRange());
  end->insertOperands(end->getNumOperands(), panel);
  int64_t number = owner.getNumLeadingArgs();
  owner.setNumLeadingArgs(number + 1);
  return owner.getExecute().front().insertArgument(number, ref, loc);
}

Value pcf::addPanel(SharedExecutorOp executor, ShapedType type,
                    RewriterBase &rewriter) {
  return addMemory(executor, type, rewriter);
}

Value pcf::addPanel(GenericOp workers, ShapedType type,
                    RewriterBase &rewriter) {
  return addMemory(workers, type, rewriter);
}

WholeSlice::WholeSlice(Value panel) {
  ArrayRef<int64_t> shape = cast<SRefType>(panel.getType()).getShape();
  Builder builder(panel.getContext());
  offsets.assign(shape.size(), builder.getIndexAttr(0));
  sizes = getAsIndexOpFoldResult(panel.getContext(), shape);
  strides.assign(shape.size(), builder.getIndexAttr(1));
}
