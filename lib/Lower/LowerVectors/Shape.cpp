//===- Shape.cpp - Rules that only rename registers -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers constants, broadcasts, transposes, casts of shape, insertions and
// extractions. On a GPU they emit at most a select, for a position that is
// known only at run time; on a CPU also shuffles of chunks.
//
//===----------------------------------------------------------------------===//
#include "Pieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

//===----------------------------------------------------------------------===//
// Ops without operands
//===----------------------------------------------------------------------===//

static LogicalResult lowerConstant(arith::ConstantOp op, Lowering &lowering) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitOpError("is a vector constant with no dense value; write its "
                          "elements out, as dense<[...]>");
  SmallVector<Attribute> values;
  if (!dense.isSplat())
    llvm::append_range(values, dense.getValues<Attribute>());
  SmallVector<Value> pieces;
  int64_t at = 0;
  for (Type type : lowering.pieceTypes(op.getType())) {
    auto piece = dyn_cast<VectorType>(type);
    int64_t width = piece ? piece.getNumElements() : 1;
    Attribute value =
        dense.isSplat() ? dense.getSplatValue<Attribute>() : values[at];
    if (piece)
      value = dense.isSplat() ? DenseElementsAttr::get(piece, value)
                              : DenseElementsAttr::get(
                                    piece, ArrayRef(values).slice(at, width));
    pieces.push_back(lowering.constant(cast<TypedAttr>(value)));
    at += width;
  }
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

static LogicalResult lowerPoison(ub::PoisonOp op, Lowering &lowering) {
  llvm::SmallDenseMap<Type, Value> byType;
  SmallVector<Value> pieces;
  for (Type type : lowering.pieceTypes(op.getType())) {
    Value &poison = byType[type];
    if (!poison)
      poison = ub::PoisonOp::create(lowering.builder, op.getLoc(), type);
    pieces.push_back(poison);
  }
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

static LogicalResult lowerStep(vector::StepOp op, Lowering &lowering) {
  auto type = cast<VectorType>(op.getType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(lowering.constant(
        lowering.builder.getIntegerAttr(type.getElementType(), i)));
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerFromElements(vector::FromElementsOp op,
                                       Lowering &lowering) {
  lowering.setElements(op.getResult(), SmallVector<Value>(op.getElements()));
  return success();
}

static LogicalResult lowerToElements(vector::ToElementsOp op,
                                     Lowering &lowering) {
  for (auto [result, element] :
       llvm::zip_equal(op.getElements(),
                       SmallVector<Value>(lowering.elements(op.getSource()))))
    lowering.setElements(result, {element});
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes of the same registers
//===----------------------------------------------------------------------===//

static LogicalResult lowerBroadcast(vector::BroadcastOp op,
                                    Lowering &lowering) {
  SmallVector<Value> source(lowering.pieces(op.getSource()));
  lowering.setPieces(op.getResult(),
                     broadcast(source, shapeOf(op.getSource()),
                               shapeOf(op.getResult()), lowering));
  return success();
}

static LogicalResult lowerTranspose(vector::TransposeOp op,
                                    Lowering &lowering) {
  SmallVector<Value> source(lowering.pieces(op.getVector()));
  lowering.setPieces(op.getResult(),
                     op.getPermutation().empty()
                         ? source
                         : transpose(source, shapeOf(op.getVector()),
                                     op.getPermutation(), lowering));
  return success();
}

/// Lowers a cast: chunks of the same widths stay; else elements form new ones.
static LogicalResult lowerShapeCast(vector::ShapeCastOp op,
                                    Lowering &lowering) {
  if (lowering.pieceTypes(op.getSourceVectorType()) ==
      lowering.pieceTypes(op.getResultVectorType()))
    lowering.setPieces(op.getResult(),
                       SmallVector<Value>(lowering.pieces(op.getSource())));
  else
    lowering.setElements(op.getResult(),
                         SmallVector<Value>(lowering.elements(op.getSource())));
  return success();
}

static LogicalResult lowerShuffle(vector::ShuffleOp op, Lowering &lowering) {
  SmallVector<Value> first(lowering.elements(op.getV1()));
  SmallVector<Value> both = first;
  llvm::append_range(both, lowering.elements(op.getV2()));
  ArrayRef<int64_t> shape = shapeOf(op.getV1());
  int64_t slice =
      shape.empty() ? 1 : ShapedType::getNumElements(shape.drop_front());
  SmallVector<Value> elements;
  for (int64_t row : op.getMask())
    for (int64_t i = 0; i < slice; ++i)
      // -1 is poison: any register will do.
      elements.push_back(both[std::max<int64_t>(row, 0) * slice + i]);
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerInterleave(vector::InterleaveOp op,
                                     Lowering &lowering) {
  SmallVector<Value> elements;
  SmallVector<Value> lhs(lowering.elements(op.getLhs()));
  for (auto [even, odd] : llvm::zip_equal(lhs, lowering.elements(op.getRhs())))
    elements.append({even, odd});
  lowering.setElements(op.getResult(), elements);
  return success();
}

static LogicalResult lowerDeinterleave(vector::DeinterleaveOp op,
                                       Lowering &lowering) {
  SmallVector<Value> halves[2];
  for (auto [i, element] : llvm::enumerate(lowering.elements(op.getSource())))
    halves[i % 2].push_back(element);
  lowering.setElements(op.getRes1(), halves[0]);
  lowering.setElements(op.getRes2(), halves[1]);
  return success();
}

static LogicalResult lowerBitcast(vector::BitCastOp op, Lowering &lowering) {
  // Elements of different width share words: row by row through a 1-D vector,
  // which is how the hardware sees a register pair or half.
  VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
  int64_t fromRow = from.getRank() ? from.getShape().back() : 1;
  int64_t toRow = to.getRank() ? to.getShape().back() : 1;
  auto fromType = VectorType::get({fromRow}, from.getElementType());
  auto toType = VectorType::get({toRow}, to.getElementType());
  ArrayRef<Value> source = lowering.elements(op.getSource());
  SmallVector<Value> elements;
  for (; !source.empty(); source = source.drop_front(fromRow)) {
    Value row = vector::FromElementsOp::create(
        lowering.builder, op.getLoc(), fromType, source.take_front(fromRow));
    row = vector::BitCastOp::create(lowering.builder, op.getLoc(), toType, row);
    auto parts =
        vector::ToElementsOp::create(lowering.builder, op.getLoc(), row);
    llvm::append_range(elements, parts.getElements());
  }
  lowering.setElements(op.getResult(), elements);
  return success();
}

/// Returns the elements as one word.
static Value asWord(ArrayRef<Value> elements, Location loc, OpBuilder &b) {
  auto type =
      VectorType::get(int64_t(elements.size()), elements.front().getType());
  Value parts = vector::FromElementsOp::create(b, loc, type, elements);
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get(1, b.getI32Type()), parts);
  return vector::ToElementsOp::create(b, loc, word).getElements().front();
}

static SmallVector<Value> fromWord(Value word, int64_t count, Type element,
                                   Location loc, OpBuilder &b) {
  Value whole = vector::FromElementsOp::create(
      b, loc, VectorType::get(1, word.getType()), word);
  Value parts =
      vector::BitCastOp::create(b, loc, VectorType::get(count, element), whole);
  return llvm::to_vector_of<Value>(
      vector::ToElementsOp::create(b, loc, parts).getElements());
}

/// Lowers a select of vectors of bytes or halves by one condition to selects of
/// whole registers of the machine.
static LogicalResult lowerSelect(arith::SelectOp op, Lowering &lowering) {
  constexpr int64_t wordBits = 32;
  Type element = getElementTypeOrSelf(op.getType());
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  int64_t share = bits == 8 || bits == 16 ? wordBits / bits : 1;
  int64_t count = cast<VectorType>(op.getType()).getNumElements();
  if (lowering.width > 1 || isa<VectorType>(op.getCondition().getType()) ||
      share == 1 || count % share != 0)
    return lowering.lowerElementwise(op);
  SmallVector<Value> ifTrue(lowering.elements(op.getTrueValue()));
  SmallVector<Value> ifFalse(lowering.elements(op.getFalseValue()));
  OpBuilder &b = lowering.builder;
  SmallVector<Value> chosen;
  for (int64_t at = 0; at < count; at += share) {
    Value word = arith::SelectOp::create(
        b, op.getLoc(), op.getCondition(),
        asWord(ArrayRef(ifTrue).slice(at, share), op.getLoc(), b),
        asWord(ArrayRef(ifFalse).slice(at, share), op.getLoc(), b));
    llvm::append_range(chosen, fromWord(word, share, element, op.getLoc(), b));
  }
  lowering.setElements(op.getResult(), chosen);
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A slice that a position may select: one where the position is static, else
/// each, with the condition that it is selected.
namespace {
struct Slice {
  int64_t slice;   // row-major number of the slice
  Value condition; // null: always
};
} // namespace

static SmallVector<Slice> candidates(ArrayRef<int64_t> shape,
                                     ArrayRef<OpFoldResult> position,
                                     Location loc, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  SmallVector<Slice> result = {{0, Value()}};
  for (auto [extent, digit] :
       llvm::zip(shape.take_front(position.size()), position)) {
    SmallVector<Slice> next;
    std::optional<int64_t> fixed = getConstantIntValue(digit);
    for (Slice candidate : result)
      for (int64_t i = 0; i < extent; ++i) {
        if (fixed && i != *fixed)
          continue;
        Value condition = candidate.condition;
        if (!fixed && extent > 1) {
          Value equal =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    cast<Value>(digit), lowering.index(i));
          condition =
              condition
                  ? builder.createOrFold<arith::AndIOp>(loc, condition, equal)
                  : equal;
        }
        next.push_back({candidate.slice * extent + i, condition});
      }
    result = std::move(next);
  }
  return result;
}

static Value select(Value condition, Value ifTrue, Value ifFalse,
                    Lowering &lowering) {
  if (!condition || ifTrue == ifFalse)
    return ifTrue;
  return arith::SelectOp::create(lowering.builder, ifTrue.getLoc(), condition,
                                 ifTrue, ifFalse);
}

/// Returns whether a position is the counter of a loop that is uniform across
/// lanes.
static bool isCounter(OpFoldResult position) {
  auto argument = dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(position));
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : nullptr;
  return loop && argument == loop.getInductionVar() &&
         getConstantIntValue(loop.getLowerBound()) &&
         getConstantIntValue(loop.getUpperBound()) &&
         getConstantIntValue(loop.getStep());
}

/// Returns the elements of a slice whose position consists of loops' counters,
/// as indexed reads of registers (VX-290). Empty for other slices, and on
/// targets without such a read.
static SmallVector<Value> numberedElements(vector::ExtractOp op,
                                           Lowering &lowering) {
  SmallVector<OpFoldResult> position = op.getMixedPosition();
  Type element = op.getSourceVectorType().getElementType();
  auto isNumber = [](OpFoldResult digit) { return isa<Value>(digit); };
  if (!lowering.target.indexesRegisters || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() != 32 || !op.hasDynamicPosition() ||
      !llvm::all_of(llvm::make_filter_range(position, isNumber), isCounter))
    return {};
  // The registers from the first number on are one vector, of which a lane
  // reads the element `number + i`.
  OpBuilder &b = lowering.builder;
  ArrayRef<int64_t> shape = shapeOf(op.getSource());
  size_t at = llvm::find_if(position, isNumber) - position.begin();
  int64_t numbered = ShapedType::getNumElements(shape.drop_front(at));
  constexpr int64_t most = 32; // size of LLVM's largest vector registers
  if (numbered > most)
    return {};
  int64_t first = 0;
  for (auto [digit, extent] : llvm::zip(position, shape.take_front(at)))
    first = first * extent + *getConstantIntValue(digit);
  Value registers = vector::FromElementsOp::create(
      b, op.getLoc(), VectorType::get({numbered}, element),
      lowering.elements(op.getSource()).slice(first * numbered, numbered));
  int64_t size = ShapedType::getNumElements(shape.drop_front(position.size()));
  int64_t stride = numbered, offset = 0;
  Value number = lowering.index(0);
  for (auto [digit, extent] :
       llvm::zip(ArrayRef(position).drop_front(at), shape.drop_front(at))) {
    stride /= extent;
    if (auto fixed = getConstantIntValue(digit)) {
      offset += *fixed * stride;
      continue;
    }
    Value share = b.createOrFold<arith::MulIOp>(op.getLoc(), cast<Value>(digit),
                                                lowering.index(stride));
    number = b.createOrFold<arith::AddIOp>(op.getLoc(), number, share);
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < size; ++i)
    elements.push_back(vector::ExtractOp::create(
        b, op.getLoc(), registers,
        OpFoldResult(lowering.offset(number, offset + i))));
  return elements;
}

static LogicalResult lowerExtract(vector::ExtractOp op, Lowering &lowering) {
  if (SmallVector<Value> elements = numberedElements(op, lowering);
      !elements.empty()) {
    lowering.setElements(op.getResult(), elements);
    return success();
  }
  auto resultType = dyn_cast<VectorType>(op.getType());
  // Rows keep their chunks; a scalar is extracted from one.
  ArrayRef<Value> source = resultType && resultType.getRank()
                               ? lowering.pieces(op.getSource())
                               : lowering.elements(op.getSource());
  int64_t size = lowering.pieceTypes(op.getType()).size();
  SmallVector<Value> elements;
  for (Slice candidate :
       candidates(shapeOf(op.getSource()), op.getMixedPosition(), op.getLoc(),
                  lowering)) {
    ArrayRef<Value> slice = source.slice(candidate.slice * size, size);
    if (elements.empty())
      elements.assign(slice.begin(), slice.end()); // out of bounds is poison
    else
      for (auto [element, other] : llvm::zip_equal(elements, slice))
        element = select(candidate.condition, other, element, lowering);
  }
  if (!resultType || resultType.getRank() == 0)
    lowering.setElements(op.getResult(), elements);
  else
    lowering.setPieces(op.getResult(), elements);
  return success();
}

static LogicalResult lowerInsert(vector::InsertOp op, Lowering &lowering) {
  auto storedType = dyn_cast<VectorType>(op.getValueToStoreType());
  bool isOfRows = storedType && storedType.getRank();
  auto list = [&](Value value) {
    return isOfRows ? lowering.pieces(value) : lowering.elements(value);
  };
  SmallVector<Value> elements(list(op.getDest()));
  SmallVector<Value> stored(list(op.getValueToStore()));
  for (Slice candidate : candidates(
           shapeOf(op.getDest()), op.getMixedPosition(), op.getLoc(), lowering))
    for (auto [i, value] : llvm::enumerate(stored)) {
      Value &element = elements[candidate.slice * stored.size() + i];
      element = select(candidate.condition, value, element, lowering);
    }
  if (isOfRows)
    lowering.setPieces(op.getResult(), elements);
  else
    lowering.setElements(op.getResult(), elements);
  return success();
}

static SmallVector<int64_t> integers(ArrayAttr attribute) {
  return llvm::map_to_vector(attribute.getAsRange<IntegerAttr>(),
                             [](IntegerAttr value) { return value.getInt(); });
}

static LogicalResult lowerExtractSlice(vector::ExtractStridedSliceOp op,
                                       Lowering &lowering) {
  ArrayRef<int64_t> from = shapeOf(op.getSource()),
                    to = shapeOf(op.getResult());
  SmallVector<int64_t> offsets = integers(op.getOffsets());
  offsets.resize(from.size());
  SmallVector<Value> source(lowering.pieces(op.getSource()));
  int64_t perRow = lowering.widthsOf(from.back()).size();
  SmallVector<Value> pieces;
  forEachIndex(to.drop_back(), [&](int64_t, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at(index);
    for (auto [digit, offset] : llvm::zip(at, offsets))
      digit += offset;
    ArrayRef<Value> row = ArrayRef(source).slice(
        linearIndex(from.drop_back(), at) * perRow, perRow);
    int64_t begin = offsets.back();
    for (int64_t width : lowering.widthsOf(to.back())) {
      int64_t piece = begin / lowering.width;
      pieces.push_back(takeElements(
          row[piece], piece + 1 < perRow ? row[piece + 1] : Value(),
          begin % lowering.width, width, lowering));
      begin += width;
    }
  });
  lowering.setPieces(op.getResult(), pieces);
  return success();
}

static LogicalResult lowerInsertSlice(vector::InsertStridedSliceOp op,
                                      Lowering &lowering) {
  SmallVector<Value> elements(lowering.elements(op.getDest()));
  SmallVector<Value> stored(lowering.elements(op.getValueToStore()));
  SmallVector<int64_t> offsets = integers(op.getOffsets());
  ArrayRef<int64_t> shape = shapeOf(op.getDest());
  forEachIndex(shapeOf(op.getValueToStore()),
               [&](int64_t position, ArrayRef<int64_t> index) {
                 SmallVector<int64_t> at = offsets;
                 size_t leading = shape.size() - index.size();
                 for (auto [i, digit] : llvm::enumerate(index))
                   at[leading + i] += digit;
                 elements[linearIndex(shape, at)] = stored[position];
               });
  lowering.setElements(op.getResult(), elements);
  return success();
}

void registers::addShapeRules(RuleSet &rules) {
  rules.add(lowerConstant);
  rules.add(lowerPoison);
  rules.add(lowerStep);
  rules.add(lowerFromElements);
  rules.add(lowerToElements);
  rules.add(lowerBroadcast);
  rules.add(lowerTranspose);
  rules.add(lowerShapeCast);
  rules.add(lowerShuffle);
  rules.add(lowerInterleave);
  rules.add(lowerDeinterleave);
  rules.add(lowerBitcast);
  rules.add(lowerSelect);
  rules.add(lowerExtract);
  rules.add(lowerInsert);
  rules.add(lowerExtractSlice);
  rules.add(lowerInsertSlice);
}
