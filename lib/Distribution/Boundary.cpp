//===- Boundary.cpp - What crosses into and out of a part -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distributor sees nothing but its region, so each vector that crosses the
// boundary needs a layout that somebody has chosen for both sides.
//
//===----------------------------------------------------------------------===//
#include "Boundary.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;
using vector_ext::VectorLayoutInterface;

/// Around and inside, control flow is that of structured ops: then a loop that
/// repeats the region is an op around it.
static LogicalResult verifyControlFlow(Region &region) {
  for (Region *around = &region;;
       around = around->getParentOp()->getParentRegion()) {
    if (!around->hasOneBlock())
      return around->getParentOp()->emitOpError(
          "has several blocks; a part of a kernel is distributed in structured "
          "control flow only");
    if (isa<FunctionOpInterface>(around->getParentOp()))
      return success();
  }
}

/// What is given is given for what is there.
static LogicalResult verifyGiven(Operation *terminator,
                                 const RegionBoundary &boundary) {
  auto verify = [](Value value, VectorLayoutInterface layout) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      return LogicalResult(emitError(value.getLoc())
                           << "layout given for a value of type "
                           << value.getType() << ", which is no vector");
    return layout.isValidLayout(type, value.getLoc());
  };
  for (auto [value, layout] : boundary.inputs)
    if (failed(verify(value, layout)))
      return failure();
  if (boundary.outputs.empty())
    return success();
  if (boundary.outputs.size() != terminator->getNumOperands())
    return terminator->emitOpError("hands on ")
           << terminator->getNumOperands() << " values, layouts are given for "
           << boundary.outputs.size();
  for (auto [value, layout] :
       llvm::zip_equal(terminator->getOperands(), boundary.outputs))
    if (layout && failed(verify(value, layout)))
      return failure();
  return success();
}

/// What is there has been given.
static LogicalResult verifyComplete(Region &region,
                                    const RegionBoundary &boundary) {
  llvm::DenseSet<Value> given;
  for (auto [value, layout] : boundary.inputs)
    given.insert(value);
  auto needsLayout = [&](Value value) {
    return isa<VectorType>(value.getType()) && !given.contains(value) &&
           !LayoutMap::isLayoutFree(value);
  };
  LogicalResult result = success();
  for (BlockArgument argument : region.getArguments())
    if (needsLayout(argument))
      result = emitError(argument.getLoc())
               << "argument #" << argument.getArgNumber()
               << " of the region is a vector, for which no layout is given";
  visitUsedValuesDefinedAbove(region, region, [&](OpOperand *use) {
    if (needsLayout(use->get()))
      result = use->getOwner()->emitOpError("operand #")
               << use->getOperandNumber()
               << " is a vector from outside of the region, for which no "
                  "layout is given";
  });
  Operation *terminator = region.front().getTerminator();
  for (auto [at, value] : llvm::enumerate(terminator->getOperands()))
    if (isa<VectorType>(value.getType()) &&
        (boundary.outputs.empty() || !boundary.outputs[at]))
      result = terminator->emitOpError("operand #")
               << at
               << " is a vector that leaves the region, for which no layout "
                  "is given";
  return result;
}

LogicalResult distaff::verifyBoundary(Region &region,
                                      const RegionBoundary &boundary) {
  if (failed(verifyControlFlow(region)) ||
      failed(verifyGiven(region.front().getTerminator(), boundary)))
    return failure();
  return verifyComplete(region, boundary);
}
