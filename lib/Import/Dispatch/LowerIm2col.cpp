//===- LowerIm2col.cpp - im2col as a gather -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An im2col reads one element of the input for each of its elements:
//
//   [b], [m0], [m1], [k0, k1, c]   the index, with offsets, split by the sizes
//   input[b, m0 * s0 + k0 * d0 - low, m1 * s1 + k1 * d1 - low, c]
//
// If that is outside of the input, or the element is one of the output's
// padding, it is the value of the padding (VX-237).
//
//===----------------------------------------------------------------------===//
#include "LinalgExtRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::dispatch;

namespace {
/// Holds the lists of one im2col, and builds its body.
class Im2colWriter {
public:
  explicit Im2colWriter(Im2colOp op);

  LogicalResult check();
  void write();

private:
  SmallVector<Value> coordinatesOf(OpBuilder &b, ValueRange loops);
  Value isInside(OpBuilder &b, ValueRange loops);
  Value readInput(OpBuilder &b, Location loc, ValueRange loops);
  /// Returns a number, computed before the op: its body only computes with
  /// numbers.
  Value valueOf(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(before, loc, number);
  }
  Value extentOf(Value tensor, int64_t dim) {
    return valueOf(tensor::getMixedSize(before, loc, tensor, dim));
  }

  Im2colOp op;
  OpBuilder before;
  Location loc;
  int64_t inputRank, outputRank;
  SmallVector<OpFoldResult> strides, dilations, offsets, sizes, inputLow,
      outputLow, outputHigh;
  SmallVector<int64_t> batch, windows, channels, groups;
};
} // namespace

static SmallVector<int64_t> integersOf(ArrayRef<OpFoldResult> list) {
  return llvm::map_to_vector(list, [](OpFoldResult number) {
    return getConstantIntValue(number).value_or(-1);
  });
}

Im2colWriter::Im2colWriter(Im2colOp op)
    : op(op), before(op), loc(op.getLoc()),
      inputRank(cast<ShapedType>(op.getInput().getType()).getRank()),
      outputRank(cast<ShapedType>(op.getOutput().getType()).getRank()),
      strides(op.getList("strides")), dilations(op.getList("dilations")),
      offsets(op.getList("offsets")), sizes(op.getList("output_sizes")),
      inputLow(op.getList("input_pad_low")),
      outputLow(op.getList("output_pad_low")),
      outputHigh(op.getList("output_pad_high")),
      batch(integersOf(op.getList("batch_pos"))),
      windows(integersOf(op.getList("m_pos"))),
      channels(integersOf(op.getList("k_pos"))), groups(op.getGroups()) {}

static bool isIdentity(ArrayRef<OpFoldResult> permutation) {
  for (auto [place, number] : llvm::enumerate(permutation))
    if (getConstantIntValue(number) != int64_t(place))
      return false;
  return true;
}

LogicalResult Im2colWriter::check() {
  size_t spatial = windows.size();
  SmallVector<int64_t> dims(batch);
  llvm::append_range(dims, windows);
  llvm::append_range(dims, channels);
  llvm::sort(dims);
  auto isOfRank = [](ArrayRef<OpFoldResult> list, int64_t rank) {
    return list.empty() || int64_t(list.size()) == rank;
  };
  bool fits = llvm::equal(dims, llvm::seq<int64_t>(inputRank)) &&
              strides.size() == spatial && dilations.size() == spatial &&
              op.getList("kernel_size").size() == spatial &&
              int64_t(offsets.size()) == outputRank &&
              int64_t(groups.size()) == outputRank &&
              sizes.size() == batch.size() + 2 * spatial + channels.size() &&
              isOfRank(inputLow, inputRank) &&
              isOfRank(outputLow, outputRank) &&
              isOfRank(outputHigh, outputRank);
  bool pads = !inputLow.empty() || !outputLow.empty() || !outputHigh.empty();
  if (fits && pads == bool(op.getPadValue()) &&
      isIdentity(op.getList("input_k_perm")) &&
      isIdentity(op.getList("output_perm")))
    return success();
  return op.emitOpError(
      "is read with a position for each dimension of its input, an offset and "
      "a list of sizes for each of its output, which split it into batches, "
      "windows, places in a window and channels, without permutations, and "
      "with a pad_value where it pads; give it the dispatch as it is dumped "
      "before ConvolutionToIGEMMPass");
}

/// Returns the loops with their offsets, split by the sizes.
SmallVector<Value> Im2colWriter::coordinatesOf(OpBuilder &b, ValueRange loops) {
  SmallVector<Value> coordinates;
  ArrayRef<OpFoldResult> rest = sizes;
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    Value index = arith::AddIOp::create(b, loc, loop, valueOf(offsets[dim]));
    if (!outputLow.empty())
      index = arith::SubIOp::create(b, loc, index, valueOf(outputLow[dim]));
    ArrayRef<OpFoldResult> own = rest.take_front(groups[dim]);
    rest = rest.drop_front(groups[dim]);
    SmallVector<Value> digits(own.size());
    for (size_t place = own.size(); place-- > 1;) {
      Value size = valueOf(own[place]);
      digits[place] = arith::RemUIOp::create(b, loc, index, size);
      index = arith::DivUIOp::create(b, loc, index, size);
    }
    if (!digits.empty())
      digits.front() = index;
    llvm::append_range(coordinates, digits);
  }
  return coordinates;
}

/// Returns whether an element is not in the output's padding; null: always.
Value Im2colWriter::isInside(OpBuilder &b, ValueRange loops) {
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
    inside = inside ? arith::AndIOp::create(b, loc, inside, holds) : holds;
  };
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    if (!outputLow.empty() && !isZeroInteger(outputLow[dim]))
      require(arith::CmpIPredicate::sge, loop, valueOf(outputLow[dim]));
    if (outputHigh.empty() || isZeroInteger(outputHigh[dim]))
      continue;
    Value end = arith::SubIOp::create(b, loc, extentOf(op.getOutput(), dim),
                                      valueOf(outputHigh[dim]));
    require(arith::CmpIPredicate::slt, loop, end);
  }
  return inside;
}

Value Im2colWriter::readInput(OpBuilder &b, Location, ValueRange loops) {
  SmallVector<Value> coordinates = coordinatesOf(b, loops), at(inputRank);
  size_t next = 0, spatial = windows.size();
  for (int64_t dim : batch)
    at[dim] = coordinates[next++];
  for (auto [number, dim] : llvm::enumerate(windows)) {
    Value window = arith::MulIOp::create(b, loc, coordinates[next + number],
                                         valueOf(strides[number]));
    Value place =
        arith::MulIOp::create(b, loc, coordinates[next + spatial + number],
                              valueOf(dilations[number]));
    at[dim] = arith::AddIOp::create(b, loc, window, place);
  }
  next += 2 * spatial;
  for (int64_t dim : channels)
    at[dim] = coordinates[next++];
  if (!op.getPadValue())
    return tensor::ExtractOp::create(b, loc, op.getInput(), at);
  Value inside = isInside(b, loops), zero = valueOf(b.getIndexAttr(0));
  for (int64_t dim = 0; dim < inputRank; ++dim) {
    if (!inputLow.empty())
      at[dim] = arith::SubIOp::create(b, loc, at[dim], valueOf(inputLow[dim]));
    // The comparison is unsigned, so that a place before the input is outside
    // too.
    Value isIn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       at[dim], extentOf(op.getInput(), dim));
    inside =
        inside ? arith::AndIOp::create(b, loc, inside, isIn).getResult() : isIn;
  }
  for (Value &place : at)
    place = arith::SelectOp::create(b, loc, inside, place, zero);
  Value element = tensor::ExtractOp::create(b, loc, op.getInput(), at);
  return arith::SelectOp::create(b, loc, inside, element, op.getPadValue());
}

void Im2colWriter::write() {
  OpBuilder b(op);
  SmallVector<utils::IteratorType> iterators(outputRank,
                                             utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      b, loc, op->getResultTypes(), /*inputs=*/ValueRange(), op.getOutput(),
      b.getMultiDimIdentityMap(outputRank), iterators,
      [&](OpBuilder &inner, Location at, ValueRange) {
        SmallVector<Value> loops;
        for (int64_t dim = 0; dim < outputRank; ++dim)
          loops.push_back(linalg::IndexOp::create(inner, at, dim));
        linalg::YieldOp::create(inner, at, readInput(inner, at, loops));
      });
  op->replaceAllUsesWith(made);
  op->erase();
}

LogicalResult distaff::lowerIm2col(Im2colOp op) {
  Im2colWriter writer(op);
  if (failed(writer.check()))
    return failure();
  writer.write();
  return success();
}
