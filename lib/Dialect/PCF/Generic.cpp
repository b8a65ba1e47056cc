//===- Generic.cpp - pcf.generic ------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefOwner.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;
using namespace distaff::pcf;

void GenericOp::build(OpBuilder &builder, OperationState &state,
                      RefOwnerParts parts, int64_t numIds,
                      TypeRange leadingTypes) {
  addParts<GenericOp>(builder, state, parts);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.num_leading_args = leadingTypes.size();
  properties.num_index_args = 2 * numIds;
  SmallVector<Type> types(leadingTypes);
  llvm::append_range(types, parts.getRefTypes());
  types.append(2 * numIds, builder.getIndexType());
  if (leadingTypes.empty())
    state.addRegion();
  else
    addBody(builder, state, {});
  addBody(builder, state, types);
}

ParseResult GenericOp::parse(OpAsmParser &parser, OperationState &result) {
  RefOwnerParser owner(parser, result);
  if (owner.parseScope() || owner.parseInitializer())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (owner.parseExecute())
    return failure();
  if (owner.trailing.size() % 2)
    return parser.emitError(loc)
           << "expected as many counts as ids, got " << owner.trailing.size()
           << " trailing index arguments";
  if (owner.parseTypesAndBody())
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.num_leading_args = owner.leading.size();
  properties.num_index_args = owner.trailing.size();
  return owner.finish<GenericOp>();
}

void GenericOp::print(OpAsmPrinter &printer) {
  printScope(printer, *this);
  printRefOwner(printer, *this);
}

LogicalResult GenericOp::verify() {
  if (getNumIndexArgs() % 2)
    return emitOpError() << "expected as many counts as ids, got "
                         << getNumIndexArgs() << " trailing index arguments";
  if (failed(verifyRefOwner(*this, getNumIndexArgs(), "ids and counts")))
    return failure();
  for (BlockArgument arg : getTrailingArgs())
    if (!arg.getType().isIndex())
      return emitOpError() << "id and count arguments must have type 'index'";
  return verifyInitializer(*this);
}

LogicalResult GenericOp::verifyRegions() {
  for (Block &block : getExecute()) {
    Operation *terminator = block.getTerminator();
    if (!isa<ReturnOp, CondReturnOp, cf::BranchOp, cf::CondBranchOp>(
            terminator))
      return emitOpError() << "'execute' blocks must end in 'pcf.return', "
                              "'pcf.br.cond_return', 'cf.br' or 'cf.cond_br', "
                              "got '"
                           << terminator->getName() << "'";
  }
  return verifyInitializerIsPure(*this);
}

void GenericOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  if (&region != &getExecute())
    return;
  nameRefs(*this, setName);
  for (BlockArgument id : getIds())
    setName(id, "id");
  for (BlockArgument count : getCounts())
    setName(count, "count");
}

//===----------------------------------------------------------------------===//
// pcf.br.cond_return
//===----------------------------------------------------------------------===//

SuccessorOperands CondReturnOp::getSuccessorOperands(unsigned) {
  return SuccessorOperands(getDestOperandsMutable());
}

Block *CondReturnOp::getSuccessorForOperands(ArrayRef<Attribute> operands) {
  auto condition = dyn_cast_or_null<IntegerAttr>(operands.front());
  return condition && condition.getValue().isZero() ? getDest() : nullptr;
}

LogicalResult CondReturnOp::canonicalize(CondReturnOp op,
                                         PatternRewriter &rewriter) {
  APInt condition;
  if (!matchPattern(op.getCondition(), m_ConstantInt(&condition)))
    return failure();
  if (condition.isOne())
    rewriter.replaceOpWithNewOp<ReturnOp>(op);
  else
    rewriter.replaceOpWithNewOp<cf::BranchOp>(op, op.getDest(),
                                              op.getDestOperands());
  return success();
}
