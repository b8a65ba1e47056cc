//===- PayloadClasses.cpp - Equivalence classes of payload fields ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Phases/PayloadClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

namespace distaff::pcf {

/// Numbers the members of classes, and joins those that an edge connects.
class PayloadClassBuilder {
public:
  LogicalResult visit(Operation *op);
  PayloadClasses finish();

private:
  unsigned nodeOf(PayloadField field);
  unsigned nodeOf(BlockArgument argument);
  unsigned nodeOf(OpOperand &yield);
  unsigned grow(Type type);

  /// Joins two handles field by field; ignores other values.
  void join(Value from, Value to);
  template <typename OpT> void visitPhase(OpT op);
  void visitBranch(BranchOpInterface op);
  void visitRegions(RegionBranchOpInterface op);

  llvm::MapVector<std::pair<Value, unsigned>, unsigned> fields;
  llvm::MapVector<Value, unsigned> arguments;
  llvm::MapVector<OpOperand *, unsigned> yields;
  SmallVector<Type> types;
  llvm::IntEqClasses sets;
};

} // namespace distaff::pcf

unsigned PayloadClassBuilder::grow(Type type) {
  types.push_back(type);
  sets.grow(types.size());
  return types.size() - 1;
}

unsigned PayloadClassBuilder::nodeOf(PayloadField field) {
  auto [it, isNew] = fields.insert({{field.handle, field.index}, 0});
  if (isNew)
    it->second = grow(getPayload(field.handle.getType())[field.index]);
  return it->second;
}

unsigned PayloadClassBuilder::nodeOf(BlockArgument argument) {
  auto [it, isNew] = arguments.insert({argument, 0});
  if (isNew)
    it->second = grow(argument.getType());
  return it->second;
}

unsigned PayloadClassBuilder::nodeOf(OpOperand &yield) {
  auto [it, isNew] = yields.insert({&yield, 0});
  if (isNew)
    it->second = grow(yield.get().getType());
  return it->second;
}

void PayloadClassBuilder::join(Value from, Value to) {
  size_t size = getPayload(from.getType()).size();
  for (unsigned i : llvm::seq<unsigned>(0, size))
    sets.join(nodeOf(PayloadField{from, i}), nodeOf(PayloadField{to, i}));
}

template <typename OpT> void PayloadClassBuilder::visitPhase(OpT op) {
  // The payloads of the sources are the arguments, in order; bypassing payload
  // is the result's.
  unsigned next = 0, nextOther = 0;
  Type result = op.getResult() ? op.getResult().getType() : Type();
  bool passesBy = result && !OpT::getOtherPayload(result).empty();
  for (Value source : op.getSources()) {
    Type type = source.getType();
    for (unsigned i : llvm::seq<unsigned>(0, OpT::getOwnPayload(type).size()))
      sets.join(nodeOf(PayloadField{source, OpT::getFirstOwn(type) + i}),
                nodeOf(op.getPayloadArgs()[next++]));
    if (!passesBy)
      continue;
    for (unsigned i : llvm::seq<unsigned>(0, OpT::getOtherPayload(type).size()))
      sets.join(nodeOf(PayloadField{source, OpT::getFirstOther(type) + i}),
                nodeOf(PayloadField{op.getResult(),
                                    OpT::getFirstOther(result) + nextOther++}));
  }
  for (OpOperand &operand : op.getYield()->getOpOperands()) {
    unsigned node = nodeOf(operand);
    sets.join(node, nodeOf(PayloadField{op.getResult(),
                                        OpT::getFirstOwn(result) +
                                            operand.getOperandNumber()}));
    // A value that is passed through keeps its class.
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (argument && argument.getOwner() == &op.getBody().front() &&
        argument.getArgNumber() < op.getPayloadArgs().size())
      sets.join(node, nodeOf(argument));
  }
}

void PayloadClassBuilder::visitBranch(BranchOpInterface op) {
  for (unsigned successor : llvm::seq<unsigned>(0, op->getNumSuccessors())) {
    SuccessorOperands operands = op.getSuccessorOperands(successor);
    Block *block = op->getSuccessor(successor);
    for (unsigned i : llvm::seq<unsigned>(operands.getProducedOperandCount(),
                                          operands.size()))
      if (isHandle(operands[i].getType()))
        join(operands[i], block->getArgument(i));
  }
}

void PayloadClassBuilder::visitRegions(RegionBranchOpInterface op) {
  RegionBranchSuccessorMapping mapping;
  op.getSuccessorOperandInputMapping(mapping);
  for (auto &[operand, inputs] : mapping)
    if (isHandle(operand->get().getType()))
      for (Value input : inputs)
        join(operand->get(), input);
}

LogicalResult PayloadClassBuilder::visit(Operation *op) {
  auto hasHandle = [](TypeRange types) {
    return llvm::any_of(types, isHandle);
  };
  bool touches =
      hasHandle(op->getOperandTypes()) || hasHandle(op->getResultTypes());
  // Every handle has its fields in some class, joined or not.
  for (Value result : op->getResults())
    for (unsigned i :
         llvm::seq<unsigned>(0, getPayload(result.getType()).size()))
      nodeOf(PayloadField{result, i});
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<RunClusterOp, RunThreadOp>([&](auto phase) {
        visitPhase(phase);
        return success();
      })
      .Case([&](arith::SelectOp select) {
        if (touches) {
          join(select.getTrueValue(), select.getResult());
          join(select.getFalseValue(), select.getResult());
        }
        return success();
      })
      .Case([&](BranchOpInterface branch) {
        visitBranch(branch);
        return success();
      })
      .Case([&](RegionBranchOpInterface regions) {
        visitRegions(regions);
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        if (!touches ||
            isa<TileGroupOp, BarrierOp, RegionBranchTerminatorOpInterface>(op))
          return success();
        if (isa<CallOpInterface, FunctionOpInterface>(op))
          return op->emitError()
                 << "PCF handles cannot cross function boundaries";
        return op->emitError()
               << "unsupported use of a PCF handle in " << op->getName();
      });
}

PayloadClasses PayloadClassBuilder::finish() {
  sets.compress();
  PayloadClasses result;
  result.classes.resize(sets.getNumClasses());
  for (auto &[field, node] : fields) {
    unsigned cls = sets[node];
    result.fieldClass[field] = cls;
    result.classes[cls].fields.push_back({field.first, field.second});
  }
  for (auto &[argument, node] : arguments) {
    result.argumentClass[argument] = sets[node];
    result.classes[sets[node]].bodyArgs.push_back(
        cast<BlockArgument>(argument));
  }
  for (auto &[yield, node] : yields) {
    result.yieldClass[yield] = sets[node];
    result.classes[sets[node]].yields.push_back(yield);
  }
  for (auto [node, type] : llvm::enumerate(types)) {
    Type &known = result.classes[sets[node]].type;
    assert((!known || known == type) && "control flow connects equal types");
    known = type;
  }
  return result;
}

/// Verifies that a nested executor uses no handle of an enclosing one, whose
/// group it cannot run on.
static LogicalResult verifyNoHandleFromAbove(Operation *executor) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(executor->getRegions(), used);
  for (Value value : used)
    if (isHandle(value.getType()))
      return executor->emitError()
             << "unsupported use of a PCF handle in " << executor->getName();
  return success();
}

FailureOr<PayloadClasses> PayloadClasses::compute(Operation *root) {
  PayloadClassBuilder builder;
  // Handles can only come from outside through a function's signature.
  for (Operation *parent = root->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto function = dyn_cast<FunctionOpInterface>(parent);
        function && (llvm::any_of(function.getArgumentTypes(), isHandle) ||
                     llvm::any_of(function.getResultTypes(), isHandle)))
      return function.emitError()
             << "PCF handles cannot cross function boundaries";
  // Nested executors have classes of their own.
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    if (isa<SharedExecutorOp>(op))
      return failed(verifyNoHandleFromAbove(op)) ? WalkResult::interrupt()
                                                 : WalkResult::skip();
    return failed(builder.visit(op)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return builder.finish();
}

unsigned PayloadClasses::of(PayloadField field) const {
  return fieldClass.at({field.handle, field.index});
}

unsigned PayloadClasses::of(BlockArgument bodyArg) const {
  return argumentClass.at(bodyArg);
}

unsigned PayloadClasses::of(OpOperand &yieldOperand) const {
  return yieldClass.at(&yieldOperand);
}
