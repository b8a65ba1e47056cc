//===- Rematerialization.cpp - Cheap chains to recompute ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rematerialization.h"
#include "../Layout/LayoutCosts.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace distaff;
using namespace distaff::vector_ext;

namespace {
class Collector {
public:
  Collector(Block *block, const IssueModel &issue)
      : block(block), issue(issue) {}

  /// Returns false if `value` is not computed from layout-free values by few
  /// ops.
  bool collect(Value value);

  Rematerialization chain;

private:
  Block *block;
  const IssueModel &issue;
  llvm::SmallPtrSet<Operation *, 16> seen;
};
} // namespace

bool Collector::collect(Value value) {
  if (!hasLayout(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (LayoutMap::isLayoutFree(value)) {
    chain.slots += seen.insert(op).second && !matchPattern(op, m_Constant());
    return true;
  }
  if (!op || op->getBlock() != block)
    return false;
  bool renames =
      isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp>(op);
  if (!renames && !OpTrait::hasElementwiseMappableTraits(op))
    return false;
  if (!seen.insert(op).second)
    return true;
  if (!llvm::all_of(op->getOperands(),
                    [&](Value operand) { return collect(operand); }))
    return false;
  chain.ops.push_back(op);
  chain.slots += renames ? 0 : slotsPerRegister(op, issue);
  return chain.ops.size() <= Rematerialization::mostOps;
}

Rematerialization Rematerialization::of(Value value, const IssueModel &issue) {
  Collector collector(value.getParentBlock(), issue);
  return collector.collect(value) ? std::move(collector.chain)
                                  : Rematerialization();
}

bool Rematerialization::takes(Value value, VectorLayoutInterface layout) {
  if (!layout)
    return false;
  if (LayoutMap::isLayoutFree(value))
    return true;
  Operation *op = value.getDefiningOp();
  for (auto [i, operand] : llvm::enumerate(OpLayouts::get(op).operands))
    if (!takes(operand->get(), operandLayout(op, i, layout)))
      return false;
  return true;
}
