//===- LowerVectors.cpp - One scalar value per register -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk, the elementwise rule, and the pass. Registers.h explains the idea.
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "distaff/Analysis/LiveRegisters.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_LOWERVECTORS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::registers;

SmallVector<Type> registers::elementTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    result.append(vector ? vector.getNumElements() : 1,
                  vector ? vector.getElementType() : type);
  }
  return result;
}

void registers::forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> visit) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t position = 0; position < count; ++position) {
    visit(position, index);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

int64_t registers::linearize(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [extent, digit] : llvm::zip_equal(shape, index))
    position = position * extent + digit;
  return position;
}

//===----------------------------------------------------------------------===//
// The lists
//===----------------------------------------------------------------------===//

ArrayRef<Value> Lowering::elements(Value value) {
  auto [it, isNew] = registers.try_emplace(value);
  if (isNew) {
    assert(!isa<VectorType>(value.getType()) && "operands are lowered first");
    it->second = {value};
  }
  return it->second;
}

SmallVector<Value> Lowering::elements(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    llvm::append_range(result, elements(value));
  return result;
}

void Lowering::setElements(Value vector, ArrayRef<Value> elements) {
  if (auto type = dyn_cast<VectorType>(vector.getType())) {
    assert(type.getNumElements() == int64_t(elements.size()) &&
           "one value per element");
    registers[vector].assign(elements.begin(), elements.end());
    return;
  }
  vector.replaceAllUsesWith(elements.front());
  // A scalar that was asked for before it was replaced may be in no list: the
  // users of a result come after its op.
  registers[vector] = {elements.front()};
}

Value Lowering::constant(TypedAttr attribute) {
  Value &value = constants[attribute];
  if (!value) {
    OpBuilder atEntry = OpBuilder::atBlockBegin(&function.front());
    value = arith::ConstantOp::create(atEntry, function.getLoc(), attribute);
  }
  return value;
}

Value Lowering::offset(Value base, int64_t by) {
  if (by == 0)
    return base;
  return builder.createOrFold<arith::AddIOp>(base.getLoc(), base, index(by));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static bool isVector(Type type) { return isa<VectorType>(type); }

static bool touchesVectors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

LogicalResult Lowering::run() {
  if (llvm::any_of(function.getArgumentTypes(), isVector) ||
      llvm::any_of(function.getResultTypes(), isVector))
    return function.emitOpError("has vector arguments or results; a kernel "
                                "takes and returns them through memory");
  if (failed(lowerRegion(function.getFunctionBody())))
    return failure();
  for (Operation *op : llvm::reverse(lowered))
    op->erase();
  return success();
}

LogicalResult Lowering::lowerRegion(Region &region) {
  for (Block &block : region) {
    SmallVector<Operation *> ops =
        llvm::map_to_vector(block, [](Operation &op) { return &op; });
    for (Operation *op : ops)
      if (failed(lowerOp(op)))
        return failure();
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (!touchesVectors(op)) {
    for (Region &region : op->getRegions())
      if (failed(lowerRegion(region)))
        return failure();
    return success();
  }
  for (Type type :
       llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op->emitOpError("has a scalable vector, and GPUs have none; "
                             "give it a fixed size");

  builder.setInsertionPoint(op);
  // Before the rule, so that what a region holds is erased before its op.
  lowered.push_back(op);
  if (const Rule *rule = rules.lookup(op))
    return (*rule)(op, *this);
  if (OpTrait::hasElementwiseMappableTraits(op))
    return lowerElementwise(op);
  return op->emitOpError("has no lowering to registers");
}

LogicalResult Lowering::lowerElementwise(Operation *op) {
  SmallVector<ArrayRef<Value>> operands;
  for (Value operand : op->getOperands())
    (void)elements(operand); // enter all before keeping references
  for (Value operand : op->getOperands())
    operands.push_back(elements(operand));

  int64_t count = cast<VectorType>(op->getResult(0).getType()).getNumElements();
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> scalars;
    for (auto [operand, list] : llvm::zip_equal(op->getOperands(), operands))
      scalars.push_back(isVector(operand.getType()) ? list[i] : list.front());
    Operation *scalar = Operation::create(
        op->getLoc(), op->getName(), types, scalars,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0);
    builder.insert(scalar);
    for (auto [list, value] : llvm::zip_equal(results, scalar->getResults()))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip_equal(op->getResults(), results))
    setElements(result, list);
  return success();
}

namespace {
struct LowerVectors final : distaff::impl::LowerVectorsBase<LowerVectors> {
  using LowerVectorsBase::LowerVectorsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (failed(verifyLaneVectors(getOperation(), *machine)))
      return signalPassFailure();
    RuleSet rules;
    addControlFlowRules(rules);
    addIndexedAccessRules(rules);
    addInnerTiledRules(rules);
    addMaskRules(rules);
    addMatrixLoadRules(rules);
    addMemoryRules(rules);
    addReductionRules(rules);
    addSemiringRules(rules);
    addShapeRules(rules);
    addTargetOpRules(rules);
    if (failed(Lowering(getOperation(), rules, *machine, strictFp).run()))
      signalPassFailure();
  }
};
} // namespace
