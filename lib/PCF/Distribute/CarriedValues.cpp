//===- CarriedValues.cpp - Values carried through control flow ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CarriedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace distaff;
using namespace distaff::pcf;

bool pcf::handsOnValues(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp>(op);
}

void CarriedValues::add(ValueRange range) {
  llvm::copy_if(range, std::back_inserter(values), isWanted);
}

void CarriedValues::add(MutableArrayRef<OpOperand> range) {
  for (OpOperand &operand : range)
    if (isWanted(operand.get()))
      operands.push_back(&operand);
}

void CarriedValues::addOp(Operation *op) {
  if (!handsOnValues(op))
    return;
  add(op->getResults());
  add(op->getOpOperands());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    add(region.getArguments());
    for (Block &block : region)
      if (!isa<BranchOpInterface>(block.getTerminator()))
        add(block.getTerminator()->getOpOperands());
    addBlocks(region);
  }
}

void CarriedValues::addBlocks(Region &region) {
  if (region.empty() || region.hasOneBlock())
    return;
  for (Block &block : llvm::drop_begin(region))
    add(block.getArguments());
  for (Block &block : region)
    if (isa<BranchOpInterface>(block.getTerminator()))
      add(block.getTerminator()->getOpOperands());
}

void pcf::forEachHandedOn(Operation *op,
                          llvm::function_ref<void(Value, Value)> visit) {
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (unsigned i : llvm::seq(op->getNumSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      for (unsigned j :
           llvm::seq(operands.getProducedOperandCount(), operands.size()))
        visit(operands[j], op->getSuccessor(i)->getArgument(j));
    }
  } else if (handsOnValues(op)) {
    RegionBranchSuccessorMapping mapping;
    cast<RegionBranchOpInterface>(op).getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping)
      for (Value input : inputs)
        visit(operand->get(), input);
  }
}

llvm::SetVector<Block *> pcf::sortBlocksByDominance(Region &region) {
  llvm::SetVector<Block *> blocks;
  if (!region.empty())
    blocks.insert_range(
        llvm::ReversePostOrderTraversal<Block *>(&region.front()));
  blocks.insert_range(llvm::make_pointer_range(region));
  return blocks;
}
