//===- AddressSums.cpp - Decomposition of addresses into summands ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AddressSums.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

void AddressSums::addData(Value value, SmallVectorImpl<Value> &unvisited) {
  if (data.insert(value).second)
    unvisited.push_back(value);
}

AddressSums::AddressSums(LLVM::LLVMFuncOp kernel) {
  SmallVector<Value> unvisited;
  kernel.walk([&](LLVM::LoadOp load) { addData(load.getResult(), unvisited); });
  while (!unvisited.empty())
    for (OpOperand &use : unvisited.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (auto branch = dyn_cast<BranchOpInterface>(user)) {
        if (std::optional<BlockArgument> to =
                branch.getSuccessorBlockArgument(use.getOperandNumber()))
          addData(*to, unvisited);
        continue;
      }
      // A loaded value that a load uses as its address is an address.
      if (!isa<LLVM::GEPOp>(user))
        for (Value result : user->getResults())
          addData(result, unvisited);
    }
}

Value AddressSums::fieldOf(LLVM::ExtractValueOp extract) {
  Value descriptor = extract.getContainer();
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == extract.getPosition())
      return insert.getValue();
    descriptor = insert.getContainer();
  }
  return nullptr;
}

/// Returns the summands of an address, each scaled by a constant. Nothing for a
/// value that is not such a sum.
AddressSums::Values AddressSums::summandsOf(Value value) const {
  Values summands;
  bool isAddress = isa<LLVM::LLVMPointerType>(value.getType()) ||
                   (value.getType().isInteger(64) && !isData(value));
  Operation *op = isAddress ? value.getDefiningOp() : nullptr;
  if (!op)
    return {};
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    if (Value field = fieldOf(extract))
      summands.push_back(field);
    return summands;
  }
  bool isSum = isa<LLVM::AddOp, LLVM::SubOp, LLVM::GEPOp>(op);
  if (!isSum && !isa<LLVM::MulOp, LLVM::ShlOp, LLVM::SExtOp, LLVM::ZExtOp>(op))
    return {};
  for (Value operand : op->getOperands()) {
    Operation *from = operand.getDefiningOp();
    if (!from || (!from->hasTrait<::mlir::OpTrait::ConstantLike>() &&
                  !isa<LLVM::AddressOfOp>(from)))
      summands.push_back(operand);
  }
  if (!isSum && summands.size() > 1)
    return {};
  return summands;
}

AddressSums::Values AddressSums::rootsOf(Value value) const {
  Values roots;
  llvm::SmallSetVector<Value, 8> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Values summands = summandsOf(seen[i]);
    if (summands.empty())
      roots.push_back(seen[i]);
    seen.insert_range(summands);
  }
  return roots;
}
