//===- FragmentOrder.cpp - The register order of an MMA -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FragmentOrder.h"
#include "distaff/Analysis/Layout/FragmentMatch.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// Returns the order of an operand of a contraction.
static FragmentOrder orderOfFactor(OpOperand &use, Distributor &out) {
  auto op = cast<vector::ContractionOp>(use.getOwner());
  iree::MmaLayoutAttr kind = out.mmaKindOf(op);
  unsigned number = use.getOperandNumber();
  const Placement *lhs = out.placementOf(op.getLhsMutable());
  const Placement *rhs = out.placementOf(op.getRhsMutable());
  const Placement *acc = out.placementOf(op.getResult());
  if (!kind || number > 1 || !lhs || !rhs || !acc)
    return {};
  MmaMisfit misfit; // The contraction's own rule reports it.
  std::optional<MmaOperands> operands =
      fitToMma(*kind.getRow(), kind.getColMajor(), op.getIndexingMapsArray(),
               {lhs->layout, rhs->layout, acc->layout},
               out.hardware().subgroups, misfit);
  if (!operands)
    return {};
  bool isFirst = (number == 0) != kind.getColMajor();
  const Fragment &fragment =
      isFirst ? kind.getRow()->fragmentA : kind.getRow()->fragmentB;
  return {(isFirst ? operands->a : operands->b).registers,
          fragment.numRegisters()};
}

/// Returns whether each lane holds the op's result in the registers of the
/// operand.
static bool keepsRegisters(Operation *op, const Placement *placement,
                           Distributor &out) {
  return op->getNumResults() == 1 &&
         (isa<vector_ext::ToLayoutOp>(op) ||
          OpTrait::hasElementwiseMappableTraits(op)) &&
         out.placementOf(op->getResult(0)) == placement;
}

FragmentOrder distaff::fragmentOrderOf(Value value, Distributor &out) {
  const Placement *placement = out.placementOf(value);
  llvm::SmallSetVector<Value, 8> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<vector::ContractionOp>(user)) {
        FragmentOrder order = orderOfFactor(use, out);
        if (!order.registers.empty())
          return order;
      } else if (keepsRegisters(user, placement, out)) {
        reached.insert(user->getResult(0));
      }
    }
  return {};
}
