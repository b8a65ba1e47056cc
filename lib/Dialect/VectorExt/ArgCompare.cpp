//===- ArgCompare.cpp - Verify argmin and argmax --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies arg_compare.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/IR/TypeUtilities.h"

using namespace distaff;
using namespace distaff::vector_ext;

static LogicalResult verifyInits(ArgCompareOp op, VectorType input) {
  auto initValue = cast<VectorType>(op.getInitValue().getType());
  auto initIndex = cast<VectorType>(op.getInitIndex().getType());
  SmallVector<int64_t> expected(input.getShape());
  expected.erase(expected.begin() + op.getDimension());
  for (VectorType init : {initValue, initIndex})
    if (init.getShape() != ArrayRef(expected))
      return op.emitOpError() << "init of type " << init << " is not " << input
                              << " without dim " << op.getDimension();
  if (initValue.getElementType() != input.getElementType())
    return op.emitOpError()
           << "init value has elements of type " << initValue.getElementType()
           << ", the input of " << input.getElementType();
  Type index = initIndex.getElementType();
  if (!index.isIndex() && !index.isSignlessInteger())
    return op.emitOpError() << "init index must be of integer or index type, "
                               "got "
                            << index;
  return success();
}

/// Verifies the operand of the explicit mode.
static LogicalResult verifyInputIndex(ArgCompareOp op, VectorType input) {
  if (!op.getInputIndex())
    return success();
  auto index = cast<VectorType>(op.getInputIndex().getType());
  Type init = getElementTypeOrSelf(op.getInitIndex().getType());
  if (index.getShape() != input.getShape())
    return op.emitOpError() << "index input of type " << index
                            << " has not the shape of " << input;
  if (index.getElementType() != init)
    return op.emitOpError()
           << "index input has elements of type " << index.getElementType()
           << ", the init index of " << init;
  if (op.getIndexBase())
    return op.emitOpError() << "takes index inputs or an index_base, not both";
  return success();
}

LogicalResult ArgCompareOp::verify() {
  auto input = cast<VectorType>(getInputValue().getType());
  if (input.isScalable())
    return emitOpError() << "does not take scalable vectors, got " << input;
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= input.getRank())
    return emitOpError() << "dimension " << dimension
                         << " is none of the input's " << input.getRank();
  if (failed(verifyInits(*this, input)) ||
      failed(verifyInputIndex(*this, input)))
    return failure();
  for (auto [init, result] : {std::pair(getInitValue(), getResultValue()),
                              std::pair(getInitIndex(), getResultIndex())})
    if (init.getType() != result.getType())
      return emitOpError() << "result of type " << result.getType()
                           << " starts from an init of type " << init.getType();
  return success();
}

LogicalResult ArgCompareOp::verifyRegions() {
  Block &body = getRegion().front();
  Type element = getElementTypeOrSelf(getInputValue().getType());
  if (body.getNumArguments() != 2)
    return emitOpError() << "region has " << body.getNumArguments()
                         << " arguments, expected candidate and best";
  for (BlockArgument argument : body.getArguments())
    if (argument.getType() != element)
      return emitOpError() << "region argument " << argument.getArgNumber()
                           << " has type " << argument.getType()
                           << ", the input has elements of type " << element;
  for (Operation &op : body)
    if (!isPure(&op))
      return emitOpError() << "region must be pure, '" << op.getName()
                           << "' is not";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return emitOpError() << "region ends with '"
                         << body.getTerminator()->getName() << "', expected '"
                         << YieldOp::getOperationName() << "'";
  if (yield.getNumOperands() != 1 ||
      !yield.getOperand(0).getType().isInteger(1)) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "region must yield one i1, yields (";
    llvm::interleaveComma(yield.getOperandTypes(), diagnostic);
    return diagnostic << ")";
  }
  return success();
}
