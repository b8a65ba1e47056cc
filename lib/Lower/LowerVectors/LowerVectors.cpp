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

SmallVector<int64_t> Lowering::widthsOf(int64_t extent) const {
  SmallVector<int64_t> widths(extent / width, width);
  if (int64_t rest = extent % width)
    widths.push_back(rest);
  return widths;
}

Type Lowering::pieceType(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get({width}, element);
}

SmallVector<Type> Lowering::pieceTypes(TypeRange types) const {
  SmallVector<Type> result;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      result.push_back(type);
      continue;
    }
    int64_t extent = vector.getRank() ? vector.getShape().back() : 1;
    SmallVector<int64_t> widths = widthsOf(extent);
    for (int64_t row = 0; row < vector.getNumElements(); row += extent)
      for (int64_t each : widths)
        result.push_back(pieceType(vector.getElementType(), each));
  }
  return result;
}

OpBuilder Lowering::behind(Value value, Value piece) {
  // The old op stays until the end, behind what it has become.
  if (Operation *op = value.getDefiningOp())
    return OpBuilder(op);
  return OpBuilder::atBlockBegin(piece.getParentBlock());
}

ArrayRef<Value> Lowering::elements(Value value) {
  auto [it, isNew] = elementLists.try_emplace(value);
  SmallVector<Value, 0> &list = it->second;
  if (!isNew)
    return list;
  if (!isa<VectorType>(value.getType())) {
    list = {value};
    return list;
  }
  auto known = pieceLists.find(value);
  assert(known != pieceLists.end() && "operands are lowered first");
  OpBuilder b = behind(value, known->second.front());
  for (Value piece : known->second) {
    if (!isa<VectorType>(piece.getType())) {
      list.push_back(piece);
      continue;
    }
    auto parts = vector::ToElementsOp::create(b, value.getLoc(), piece);
    llvm::append_range(list, parts.getElements());
  }
  return list;
}

void Lowering::setElements(Value vector, ArrayRef<Value> elements) {
  if (auto type = dyn_cast<VectorType>(vector.getType())) {
    assert(type.getNumElements() == int64_t(elements.size()) &&
           "one value per element");
    elementLists[vector].assign(elements.begin(), elements.end());
    return;
  }
  vector.replaceAllUsesWith(elements.front());
  // A scalar that was asked for before it was replaced may be in no list: the
  // users of a result come after its op.
  elementLists[vector] = {elements.front()};
}

ArrayRef<Value> Lowering::pieces(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || width == 1)
    return elements(value);
  auto [it, isNew] = pieceLists.try_emplace(value);
  SmallVector<Value, 0> &list = it->second;
  if (!isNew)
    return list;
  auto known = elementLists.find(value);
  assert(known != elementLists.end() && "operands are lowered first");
  ArrayRef<Value> rest = known->second;
  OpBuilder b = behind(value, rest.front());
  for (Type type : pieceTypes(vector)) {
    auto piece = dyn_cast<VectorType>(type);
    int64_t count = piece ? piece.getNumElements() : 1;
    list.push_back(piece ? vector::FromElementsOp::create(
                               b, value.getLoc(), piece, rest.take_front(count))
                         : rest.front());
    rest = rest.drop_front(count);
  }
  return list;
}

SmallVector<Value> Lowering::pieces(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    llvm::append_range(result, pieces(value));
  return result;
}

void Lowering::setPieces(Value vector, ArrayRef<Value> pieces) {
  if (!isa<VectorType>(vector.getType()) || width == 1)
    return setElements(vector, pieces);
  assert(pieceTypes(vector.getType()).size() == pieces.size() &&
         "one value per piece");
  pieceLists[vector].assign(pieces.begin(), pieces.end());
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
      return op->emitOpError("has a scalable vector, and targets have none; "
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
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.emplace_back(pieces(operand));

  SmallVector<SmallVector<Type>> types;
  for (Type type : op->getResultTypes())
    types.push_back(pieceTypes(type));
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (size_t i = 0; i < types.front().size(); ++i) {
    SmallVector<Value> parts;
    for (auto [operand, list] : llvm::zip_equal(op->getOperands(), operands))
      parts.push_back(isVector(operand.getType()) ? list[i] : list.front());
    Operation *part = Operation::create(
        op->getLoc(), op->getName(),
        llvm::map_to_vector(types, [&](const auto &list) { return list[i]; }),
        parts, op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0);
    builder.insert(part);
    for (auto [list, value] : llvm::zip_equal(results, part->getResults()))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip_equal(op->getResults(), results))
    setPieces(result, list);
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
    if (machine->isHost()) {
      addPieceMemoryRules(rules);
      addPieceReductionRules(rules);
      addPieceShapeRules(rules);
    }
    if (failed(Lowering(getOperation(), rules, *machine, strictFp).run()))
      signalPassFailure();
  }
};
} // namespace
