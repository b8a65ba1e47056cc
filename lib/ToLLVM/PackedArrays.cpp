//===- PackedArrays.cpp - Arrays of sub-byte elements ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PackedArrays.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace distaff;

namespace {

/// The byte that contains an element, and its number in the byte: a constant if
/// `inByte` is null.
struct BytePlace {
  Value byte;
  Value inByte;
  int64_t constantInByte = 0;
};

/// The positions of a view's elements in the array: the sum of the indices
/// times the strides, and of the terms of the first element's position.
struct ElementPlaces {
  SmallVector<std::pair<Value, OpFoldResult>> first;
  SmallVector<OpFoldResult> strides;
};

class ByteAccess {
public:
  explicit ByteAccess(const PackedArray &array)
      : array(array), b(array.elements.getLoc(), array.elements.getContext()),
        bits(cast<MemRefType>(array.elements.getType())
                 .getElementTypeBitWidth()),
        perByte(8 / bits) {}

  LogicalResult rewriteUsers(Value memref);

private:
  LogicalResult rewrite(Operation *user);
  LogicalResult load(memref::LoadOp op);
  LogicalResult load(vector::LoadOp op);
  Value loadElements(vector::LoadOp op);
  LogicalResult store(memref::StoreOp op);
  LogicalResult store(vector::StoreOp op);
  LogicalResult readExtent(memref::DimOp op);
  LogicalResult describe(memref::ExtractStridedMetadataOp op);
  LogicalResult view(Operation *op);
  LogicalResult refuse(Operation *op, const Twine &why);

  ElementPlaces placesOf(Value memref);
  ElementPlaces placesOf(memref::SubViewOp view);
  ElementPlaces placesOf(memref::ExpandShapeOp view);
  ElementPlaces placesOf(memref::CollapseShapeOp view);
  ElementPlaces placesOf(memref::TransposeOp view);
  ElementPlaces placesOf(memref::ReinterpretCastOp view);
  ElementPlaces placesOf(memref::ExtractStridedMetadataOp view);
  SmallVector<OpFoldResult> sizesOf(Value memref);
  OpFoldResult sizeOf(Value memref, int64_t dim);
  Value byteOf(Value first, IndexFacts &facts);
  BytePlace placeOf(Value memref, ValueRange indices);
  Value elementAt(BytePlace place);
  SmallVector<Value> elementsOf(Value bytes, int64_t count);
  Value vectorOf(Value bytes);
  Value bytesOf(Value elements);

  Type element() const { return b.getIntegerType(bits); }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value valueOf(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  }
  Value sum(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(lhs, rhs);
  }
  OpFoldResult product(OpFoldResult lhs, OpFoldResult rhs) {
    return getAsOpFoldResult(
        b.createOrFold<arith::MulIOp>(valueOf(lhs), valueOf(rhs)));
  }

  const PackedArray &array;
  mutable ImplicitLocOpBuilder b;
  int64_t bits, perByte;
};

} // namespace

/// Lists the accesses that have a form for bytes (docs/ABI.md).
static constexpr StringLiteral accessWithForms =
    "read it by memref.load, vector.load or vector.transfer_read, of the array "
    "or of a view of it, which is a memref.subview, expand_shape, "
    "collapse_shape, transpose, reinterpret_cast, assume_alignment or cast";

LogicalResult ByteAccess::refuse(Operation *op, const Twine &why) {
  return op->emitOpError("accesses an array of ")
         << element() << ", of which " << perByte << " share a byte, " << why;
}

//===----------------------------------------------------------------------===//
// Position of an element
//===----------------------------------------------------------------------===//

ElementPlaces ByteAccess::placesOf(memref::SubViewOp view) {
  ElementPlaces source = placesOf(view.getSource()), result;
  result.first = source.first;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [dim, offset, step] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    result.first.push_back({valueOf(offset), source.strides[dim]});
    if (!dropped.test(dim))
      result.strides.push_back(product(source.strides[dim], step));
  }
  return result;
}

ElementPlaces ByteAccess::placesOf(memref::ExpandShapeOp view) {
  ElementPlaces source = placesOf(view.getSrc()), result;
  result.first = source.first;
  SmallVector<OpFoldResult> shape = view.getMixedOutputShape();
  result.strides.resize(shape.size());
  for (auto [stride, group] :
       llvm::zip_equal(source.strides, view.getReassociationIndices())) {
    OpFoldResult next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      result.strides[dim] = next;
      next = product(next, shape[dim]);
    }
  }
  return result;
}

/// Returns the places in a view whose groups have the stride of their last dim
/// of several elements: a dim of one element has any stride.
ElementPlaces ByteAccess::placesOf(memref::CollapseShapeOp view) {
  ElementPlaces source = placesOf(view.getSrc()), result;
  result.first = source.first;
  for (ArrayRef<int64_t> group : view.getReassociationIndices()) {
    while (group.size() > 1 && view.getSrcType().getDimSize(group.back()) == 1)
      group = group.drop_back();
    result.strides.push_back(source.strides[group.back()]);
  }
  return result;
}

ElementPlaces ByteAccess::placesOf(memref::TransposeOp view) {
  ElementPlaces result = placesOf(view.getIn());
  result.strides = applyPermutationMap(view.getPermutation(),
                                       ArrayRef<OpFoldResult>(result.strides));
  return result;
}

/// Returns the places in a cast, which starts at the start of the array, as the
/// base of a view does.
ElementPlaces ByteAccess::placesOf(memref::ReinterpretCastOp view) {
  return {{{valueOf(view.getMixedOffsets().front()), b.getIndexAttr(1)}},
          view.getMixedStrides()};
}

ElementPlaces ByteAccess::placesOf(memref::ExtractStridedMetadataOp) {
  return {};
}

ElementPlaces ByteAccess::placesOf(Value memref) {
  if (memref == array.elements)
    return {{}, array.strides};
  return llvm::TypeSwitch<Operation *, ElementPlaces>(memref.getDefiningOp())
      .Case<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
            memref::TransposeOp, memref::ReinterpretCastOp,
            memref::ExtractStridedMetadataOp>(
          [&](auto view) { return placesOf(view); })
      .Default([&](Operation *cast) { return placesOf(cast->getOperand(0)); });
}

OpFoldResult ByteAccess::sizeOf(Value memref, int64_t dim) {
  if (memref == array.elements)
    return array.sizes[dim];
  return llvm::TypeSwitch<Operation *, OpFoldResult>(memref.getDefiningOp())
      .Case([&](memref::SubViewOp view) {
        llvm::SmallBitVector kept = ~view.getDroppedDims();
        return view.getMixedSizes()[*std::next(kept.set_bits_begin(), dim)];
      })
      .Case([&](memref::ExpandShapeOp view) {
        return view.getMixedOutputShape()[dim];
      })
      .Case([&](memref::CollapseShapeOp view) {
        OpFoldResult size = b.getIndexAttr(1);
        for (int64_t each : view.getReassociationIndices()[dim])
          size = product(size, sizeOf(view.getSrc(), each));
        return size;
      })
      .Case([&](memref::TransposeOp view) {
        return sizeOf(view.getIn(), view.getPermutation().getDimPosition(dim));
      })
      .Case([&](memref::ReinterpretCastOp view) {
        return view.getMixedSizes()[dim];
      })
      .Default(
          [&](Operation *cast) { return sizeOf(cast->getOperand(0), dim); });
}

SmallVector<OpFoldResult> ByteAccess::sizesOf(Value memref) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  return llvm::map_to_vector(llvm::seq(rank),
                             [&](int64_t dim) { return sizeOf(memref, dim); });
}

/// Splits a sum into a value and the constants that are added to it.
static std::pair<Value, int64_t> withoutConstants(Value value) {
  int64_t constant = 0;
  APInt number;
  while (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&number)))
      break;
    constant += number.getSExtValue();
    value = sum.getLhs();
  }
  return {value, constant};
}

/// Returns the byte of an element that is first in it. Terms of a sum, which
/// may be negative, and constant factors of products are divided one by one, so
/// that the address stays one sum.
Value ByteAccess::byteOf(Value first, IndexFacts &facts) {
  auto terms = first.getDefiningOp<arith::AddIOp>();
  if (terms && facts.divisor(terms.getLhs()) % perByte == 0 &&
      facts.divisor(terms.getRhs()) % perByte == 0)
    return sum(byteOf(terms.getLhs(), facts), byteOf(terms.getRhs(), facts));
  APInt factor;
  if (auto product = first.getDefiningOp<arith::MulIOp>();
      product && matchPattern(product.getRhs(), m_ConstantInt(&factor)) &&
      factor.getSExtValue() % perByte == 0)
    return b.createOrFold<arith::MulIOp>(
        product.getLhs(), constant(factor.getSExtValue() / perByte));
  return b.createOrFold<arith::ShRSIOp>(first,
                                        constant(llvm::Log2_64(perByte)));
}

BytePlace ByteAccess::placeOf(Value memref, ValueRange indices) {
  ElementPlaces places = placesOf(memref);
  for (auto [index, stride] : llvm::zip_equal(indices, places.strides))
    places.first.push_back({index, stride});
  // Constants are kept apart, so that neighbours differ by an offset.
  Value variable = constant(0);
  int64_t fixed = 0;
  for (auto [index, stride] : places.first) {
    auto [part, number] = withoutConstants(index);
    if (std::optional<int64_t> known = getConstantIntValue(stride))
      fixed += number * *known;
    else
      part = index;
    variable =
        sum(variable, b.createOrFold<arith::MulIOp>(part, valueOf(stride)));
  }
  IndexFacts facts;
  APInt number;
  if (matchPattern(variable, m_ConstantInt(&number))) {
    fixed += number.getSExtValue();
    variable = constant(0);
  }
  Value shift = constant(llvm::Log2_64(perByte));
  if (facts.divisor(variable) % perByte == 0 && fixed >= 0) {
    Value byte = byteOf(variable, facts);
    if (fixed / perByte != 0)
      byte = sum(byte, constant(fixed / perByte));
    return {byte, {}, fixed % perByte};
  }
  if (fixed != 0)
    variable = sum(variable, constant(fixed));
  return {b.createOrFold<arith::ShRUIOp>(variable, shift),
          b.createOrFold<arith::AndIOp>(variable, constant(perByte - 1))};
}

//===----------------------------------------------------------------------===//
// Elements of bytes, bytes of elements
//===----------------------------------------------------------------------===//

Value ByteAccess::elementAt(BytePlace place) {
  Value byte = memref::LoadOp::create(b, array.bytes, place.byte);
  Value shift;
  if (place.inByte) {
    Value number =
        b.createOrFold<arith::IndexCastOp>(b.getI8Type(), place.inByte);
    shift = b.createOrFold<arith::MulIOp>(
        number, arith::ConstantIntOp::create(b, b.getI8Type(), bits));
  } else if (place.constantInByte != 0) {
    shift = arith::ConstantIntOp::create(b, b.getI8Type(),
                                         bits * place.constantInByte);
  }
  if (shift)
    byte = arith::ShRUIOp::create(b, byte, shift);
  return arith::TruncIOp::create(b, element(), byte);
}

/// Returns elements one by one, from words: those that a GPU lane has in
/// registers.
SmallVector<Value> ByteAccess::elementsOf(Value bytes, int64_t count) {
  int64_t size = count / perByte, wordBytes = std::gcd<int64_t>(size, 4);
  Type word = b.getIntegerType(8 * wordBytes);
  auto words = VectorType::get({size / wordBytes}, word);
  if (wordBytes != 1)
    bytes = vector::BitCastOp::create(b, words, bytes);
  auto parts = vector::ToElementsOp::create(b, bytes);
  SmallVector<Value> elements;
  int64_t perWord = wordBytes * perByte;
  for (int64_t i = 0; i < count; ++i) {
    Value part = parts.getElements()[i / perWord];
    if (i % perWord != 0)
      part = arith::ShRUIOp::create(
          b, part, arith::ConstantIntOp::create(b, word, i % perWord * bits));
    elements.push_back(arith::TruncIOp::create(b, element(), part));
  }
  return elements;
}

/// Returns all elements as one vector, for a CPU core.
Value ByteAccess::vectorOf(Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  SmallVector<Value> parts; // elements that are first in their byte, then
                            // second, and so on
  for (int64_t i = 0; i < perByte; ++i) {
    Value part = bytes;
    if (i != 0) {
      auto shift = DenseElementsAttr::get(
          type, b.getIntegerAttr(type.getElementType(), i * bits));
      part = arith::ShRUIOp::create(b, part,
                                    arith::ConstantOp::create(b, type, shift));
    }
    parts.push_back(arith::TruncIOp::create(
        b, VectorType::get(type.getShape(), element()), part));
  }
  // First interleaves those with even numbers, and those with odd ones.
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    SmallVector<Value> next;
    for (size_t i = 0; i < half; ++i) {
      int64_t width = cast<VectorType>(parts[i].getType()).getNumElements();
      SmallVector<int64_t> order;
      for (int64_t k = 0; k < width; ++k) {
        order.push_back(k);
        order.push_back(width + k);
      }
      next.push_back(
          vector::ShuffleOp::create(b, parts[i], parts[i + half], order));
    }
    parts = std::move(next);
  }
  return parts.front();
}

Value ByteAccess::bytesOf(Value elements) {
  auto parts = vector::ToElementsOp::create(b, elements);
  SmallVector<Value> bytes;
  for (auto [i, part] : llvm::enumerate(parts.getElements())) {
    Value wide = arith::ExtUIOp::create(b, b.getI8Type(), part);
    if (i % perByte == 0) {
      bytes.push_back(wide);
      continue;
    }
    Value up = arith::ShLIOp::create(
        b, wide,
        arith::ConstantIntOp::create(b, b.getI8Type(), i % perByte * bits));
    bytes.back() = arith::OrIOp::create(b, bytes.back(), up);
  }
  return vector::FromElementsOp::create(
      b, VectorType::get({int64_t(bytes.size())}, b.getI8Type()), bytes);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult ByteAccess::load(memref::LoadOp op) {
  op.getResult().replaceAllUsesWith(
      elementAt(placeOf(op.getMemRef(), op.getIndices())));
  op.erase();
  return success();
}

/// Loads a vector that may begin inside a byte, one element after the other.
Value ByteAccess::loadElements(vector::LoadOp op) {
  VectorType type = op.getVectorType();
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> at = op.getIndices();
    MutableArrayRef<Value> along =
        MutableArrayRef(at).take_back(type.getRank());
    for (auto [index, offset] : llvm::zip_equal(along, delinearize(i, strides)))
      index = sum(index, constant(offset));
    elements.push_back(elementAt(placeOf(op.getBase(), at)));
  }
  return vector::FromElementsOp::create(b, type, elements);
}

LogicalResult ByteAccess::load(vector::LoadOp op) {
  if (!movesWholeBytes(op)) {
    op.getResult().replaceAllUsesWith(loadElements(op));
    op.erase();
    return success();
  }
  int64_t count = op.getVectorType().getNumElements();
  BytePlace place = placeOf(op.getBase(), op.getIndices());
  Value bytes = vector::LoadOp::create(
      b, VectorType::get({count / perByte}, b.getI8Type()), array.bytes,
      ValueRange{place.byte}, op.getNontemporal(), op.getAlignmentAttr());
  if (!llvm::all_of(op->getUsers(), llvm::IsaPred<vector::ToElementsOp>)) {
    op.getResult().replaceAllUsesWith(vectorOf(bytes));
    op.erase();
    return success();
  }
  SmallVector<Value> elements = elementsOf(bytes, count);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    user->replaceAllUsesWith(elements);
    user->erase();
  }
  op.erase();
  return success();
}

LogicalResult ByteAccess::store(memref::StoreOp op) {
  if (failed(checkPackedStore(op)))
    return failure();
  Value byte = arith::ExtUIOp::create(b, b.getI8Type(), op.getValue());
  memref::StoreOp::create(b, byte, array.bytes, constant(0));
  op.erase();
  return success();
}

LogicalResult ByteAccess::store(vector::StoreOp op) {
  if (failed(checkPackedStore(op)))
    return failure();
  BytePlace place = placeOf(op.getBase(), op.getIndices());
  vector::StoreOp::create(b, bytesOf(op.getValueToStore()), array.bytes,
                          ValueRange{place.byte}, op.getNontemporal(),
                          op.getAlignmentAttr());
  op.erase();
  return success();
}

LogicalResult ByteAccess::readExtent(memref::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = cast<MemRefType>(op.getSource().getType());
  if (!dim || *dim < 0 || *dim >= type.getRank())
    return refuse(op, "and asks for an extent of it that is not known; give "
                      "the number of the dimension as a constant");
  op.replaceAllUsesWith(valueOf(sizeOf(op.getSource(), *dim)));
  op.erase();
  return success();
}

LogicalResult ByteAccess::describe(memref::ExtractStridedMetadataOp op) {
  Value source = op.getSource(), offset = constant(0);
  ElementPlaces places = placesOf(source);
  for (auto [index, stride] : places.first)
    offset = sum(offset, valueOf(product(index, stride)));
  op.getOffset().replaceAllUsesWith(offset);
  for (auto [result, size] : llvm::zip_equal(op.getSizes(), sizesOf(source)))
    result.replaceAllUsesWith(valueOf(size));
  for (auto [result, stride] : llvm::zip_equal(op.getStrides(), places.strides))
    result.replaceAllUsesWith(valueOf(stride));
  return view(op);
}

/// Rewrites the users of a view, which is the first result.
LogicalResult ByteAccess::view(Operation *op) {
  if (failed(rewriteUsers(op->getResult(0))))
    return failure();
  if (op->use_empty())
    op->erase();
  return success();
}

LogicalResult ByteAccess::rewrite(Operation *user) {
  b.setInsertionPoint(user);
  b.setLoc(user->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(user)
      .Case<memref::LoadOp, vector::LoadOp>([&](auto op) { return load(op); })
      .Case<memref::StoreOp, vector::StoreOp>(
          [&](auto op) { return store(op); })
      .Case<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
            memref::TransposeOp, memref::ReinterpretCastOp, memref::CastOp,
            memref::AssumeAlignmentOp>([&](auto op) { return view(op); })
      .Case([&](memref::ExtractStridedMetadataOp op) { return describe(op); })
      .Case([&](memref::DimOp op) { return readExtent(op); })
      .Default([&](Operation *op) {
        return refuse(op, "and has no form for its bytes; " + accessWithForms);
      });
}

LogicalResult ByteAccess::rewriteUsers(Value memref) {
  for (Operation *user : llvm::make_early_inc_range(memref.getUsers()))
    if (failed(rewrite(user)))
      return failure();
  return success();
}

LogicalResult distaff::accessBytes(const PackedArray &array) {
  return ByteAccess(array).rewriteUsers(array.elements);
}
