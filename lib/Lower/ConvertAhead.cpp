//===- ConvertAhead.cpp - What a loop converts bit by bit, at once --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a CPU. A product of halves reads an element of each row of its left side
// per step, and converts it; neighbours of it are converted in the next steps,
// one by one, where one instruction converts eight. So whatever a loop reads
// along its steps and converts is converted before the loop, and read from
// memory of the workgroup's own:
//
//   for k { ... extf(read A[m, k]) : 6x1 ... }
//   =>  for k by 8 { own[0, k] = extf(read A[m, k]) : 6x8 }
//       for k { ... read own[0, k] : 6x1 ... }
//
//===----------------------------------------------------------------------===//
#include "BlockedLoops.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/CheckedSize.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace distaff {
#define GEN_PASS_DEF_CONVERTAHEAD
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
/// A read that moves on with a loop's steps, and its conversion.
struct Conversion {
  vector::TransferReadOp read;
  Operation *convert;
  memref::SubViewOp view; // that moves on instead of the read; or null
  unsigned memrefDim;     // along which it moves
  unsigned vectorDim;     // which has one element
};

class LoopConversions {
public:
  LoopConversions(scf::ForOp loop, int64_t steps, int64_t width)
      : loop(loop), steps(steps), width(width), b(loop), loc(loop.getLoc()) {}

  std::optional<Conversion> match(vector::TransferReadOp read);
  int64_t bytesOf(const Conversion &conversion) const;
  void hoist(const Conversion &conversion);

private:
  bool isCounter(OpFoldResult value) {
    return dyn_cast<Value>(value) == loop.getInductionVar();
  }
  bool isOutside(OpFoldResult value) {
    auto operand = dyn_cast<Value>(value);
    return !operand || loop.isDefinedOutsideOfLoop(operand);
  }
  /// Room for all steps, and a line besides, so that rows do not fall into one
  /// set of the cache.
  int64_t ownSteps() const { return llvm::alignTo(steps, width) + 2 * width; }
  std::optional<unsigned> dimOfSteps(ArrayRef<OpFoldResult> indices);
  SmallVector<int64_t> shapeOf(const Conversion &conversion,
                               int64_t count) const;
  Value readSeveral(OpBuilder &in, const Conversion &conversion, Value at,
                    int64_t count);
  SmallVector<Value> placeOf(OpBuilder &in, const Conversion &conversion,
                             Value at);
  void writePart(OpBuilder &in, const Conversion &conversion, Value part,
                 Value own, Value at);
  void convert(const Conversion &conversion, Value own, Value from, Value to,
               int64_t count);

  scf::ForOp loop;
  int64_t steps; // at most
  int64_t width; // of what is converted at once
  OpBuilder b;
  Location loc;
};
} // namespace

/// The index that is the counter, if all others stay the same.
std::optional<unsigned>
LoopConversions::dimOfSteps(ArrayRef<OpFoldResult> indices) {
  std::optional<unsigned> found;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (isCounter(index) && !found)
      found = dim;
    else if (!isOutside(index))
      return std::nullopt;
  }
  return found;
}

std::optional<Conversion> LoopConversions::match(vector::TransferReadOp read) {
  Operation *convert = read->hasOneUse() ? *read->getUsers().begin() : nullptr;
  auto memref = dyn_cast<MemRefType>(read.getBase().getType());
  if (!memref || read.getMask() || !isa_and_nonnull<CastOpInterface>(convert) ||
      !OpTrait::hasElementwiseMappableTraits(convert) ||
      !isOutside(read.getPadding()) ||
      !fillsItsBytes(memref.getElementType()) ||
      !fillsItsBytes(getElementTypeOrSelf(convert->getResult(0))))
    return std::nullopt;
  Conversion conversion{read, convert, nullptr, 0, 0};
  SmallVector<OpFoldResult> indices =
      getAsOpFoldResult(SmallVector<Value>(read.getIndices()));
  std::optional<unsigned> dim;
  if (loop.isDefinedOutsideOfLoop(read.getBase())) {
    dim = dimOfSteps(indices);
  } else if (auto view = read.getBase().getDefiningOp<memref::SubViewOp>()) {
    if (!loop.isDefinedOutsideOfLoop(view.getSource()) ||
        view.getDroppedDims().any() ||
        !llvm::all_of(
            indices, [](OpFoldResult index) { return isZeroInteger(index); }) ||
        !llvm::all_of(view.getMixedStrides(),
                      [](OpFoldResult step) { return isOneInteger(step); }) ||
        !llvm::all_of(view.getMixedSizes(),
                      [&](OpFoldResult size) { return isOutside(size); }))
      return std::nullopt;
    dim = dimOfSteps(view.getMixedOffsets());
    if (dim && !isOneInteger(view.getMixedSizes()[*dim]))
      return std::nullopt;
    conversion.view = view;
    memref = view.getSourceType();
  }
  if (!dim)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) || strides[*dim] != 1)
    return std::nullopt;
  conversion.memrefDim = *dim;
  for (auto [i, expr] : llvm::enumerate(read.getPermutationMap().getResults()))
    if (auto position = dyn_cast<AffineDimExpr>(expr);
        position && position.getPosition() == *dim) {
      conversion.vectorDim = i;
      bool isInside = cast<BoolAttr>(read.getInBounds()[i]).getValue();
      if (read.getVectorType().getDimSize(i) == 1 && isInside)
        return conversion;
    }
  return std::nullopt;
}

SmallVector<int64_t> LoopConversions::shapeOf(const Conversion &conversion,
                                              int64_t count) const {
  vector::TransferReadOp read = conversion.read;
  SmallVector<int64_t> shape(read.getVectorType().getShape());
  shape[conversion.vectorDim] = count;
  return shape;
}

int64_t LoopConversions::bytesOf(const Conversion &conversion) const {
  return saturatingProduct(
      saturatingProduct(shapeOf(conversion, ownSteps())),
      bytesInMemory(getElementTypeOrSelf(conversion.convert->getResult(0))));
}

/// What the read takes in `count` steps.
Value LoopConversions::readSeveral(OpBuilder &in, const Conversion &conversion,
                                   Value at, int64_t count) {
  vector::TransferReadOp read = conversion.read;
  Value base = read.getBase();
  SmallVector<Value> indices(read.getIndices());
  if (memref::SubViewOp view = conversion.view) {
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets(),
                              sizes = view.getMixedSizes();
    offsets[conversion.memrefDim] = at;
    sizes[conversion.memrefDim] = in.getIndexAttr(count);
    base = memref::SubViewOp::create(in, loc, view.getSource(), offsets, sizes,
                                     view.getMixedStrides());
    // Zeros, which the loop may have made.
    Value zero = arith::ConstantIndexOp::create(in, loc, 0);
    indices.assign(indices.size(), zero);
  } else {
    indices[conversion.memrefDim] = at;
  }
  auto type = VectorType::get(shapeOf(conversion, count),
                              read.getVectorType().getElementType());
  return vector::TransferReadOp::create(
      in, loc, type, base, indices, read.getPadding(),
      AffineMapAttr::get(read.getPermutationMap()), read.getInBounds());
}

/// Converts from one step to before another, `count` at once.
void LoopConversions::convert(const Conversion &conversion, Value own,
                              Value from, Value to, int64_t count) {
  Type element = getElementTypeOrSelf(conversion.convert->getResult(0));
  Value by = arith::ConstantIndexOp::create(b, loc, count);
  scf::ForOp::create(
      b, loc, from, to, by, ValueRange(),
      [&](OpBuilder &in, Location, Value at, ValueRange) {
        Value several = readSeveral(in, conversion, at, count);
        Type type = cast<VectorType>(several.getType()).clone(element);
        Operation *converted = clone(in, conversion.convert, type, several);
        writePart(in, conversion, converted->getResult(0), own, at);
        scf::YieldOp::create(in, loc);
      });
}

SmallVector<Value> LoopConversions::placeOf(OpBuilder &in,
                                            const Conversion &conversion,
                                            Value at) {
  vector::TransferReadOp read = conversion.read;
  Value zero = arith::ConstantIndexOp::create(in, loc, 0);
  SmallVector<Value> place(read.getVectorType().getRank(), zero);
  place[conversion.vectorDim] =
      arith::SubIOp::create(in, loc, at, loop.getLowerBound());
  return place;
}

void LoopConversions::writePart(OpBuilder &in, const Conversion &conversion,
                                Value part, Value own, Value at) {
  int64_t rank = cast<VectorType>(part.getType()).getRank();
  vector::TransferWriteOp::create(in, loc, part, own,
                                  placeOf(in, conversion, at),
                                  SmallVector<bool>(rank, true));
}

void LoopConversions::hoist(const Conversion &conversion) {
  Operation *convertOp = conversion.convert;
  auto type = cast<VectorType>(convertOp->getResult(0).getType());
  // The workgroup's own: no loop inside of it makes more.
  Operation *home = loop->getParentOfType<scf::ForallOp>();
  if (!home)
    home = loop->getParentOfType<FunctionOpInterface>();
  OpBuilder atStart = OpBuilder::atBlockBegin(&home->getRegion(0).front());
  Value own = memref::AllocaOp::create(
      atStart, loc,
      MemRefType::get(shapeOf(conversion, ownSteps()), type.getElementType()),
      ValueRange(), b.getI64IntegerAttr(64));
  // A loop may begin behind its end.
  Value span = arith::MaxSIOp::create(
      b, loc,
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound()),
      arith::ConstantIndexOp::create(b, loc, 0));
  Value whole = arith::AndIOp::create(
      b, loc, span, arith::ConstantIndexOp::create(b, loc, -width));
  Value middle = arith::AddIOp::create(b, loc, loop.getLowerBound(), whole);
  convert(conversion, own, loop.getLowerBound(), middle, width);
  convert(conversion, own, middle, loop.getUpperBound(), 1);
  OpBuilder inside(convertOp);
  Value padding = arith::ConstantOp::create(
      inside, loc, inside.getZeroAttr(type.getElementType()));
  Value part = vector::TransferReadOp::create(
      inside, loc, type, own,
      placeOf(inside, conversion, loop.getInductionVar()), padding,
      SmallVector<bool>(type.getRank(), true));
  convertOp->getResult(0).replaceAllUsesWith(part);
  convertOp->erase();
  vector::TransferReadOp(conversion.read).erase();
}

/// A bound of how often a loop by steps of 1 runs; none where there is none.
static std::optional<int64_t> mostSteps(scf::ForOp loop) {
  if (getConstantIntValue(loop.getStep()) != 1)
    return std::nullopt;
  AffineExpr first, last;
  bindDims(loop.getContext(), last, first);
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB,
      ValueBoundsConstraintSet::Variable(
          AffineMap::get(2, 0, last - first),
          ValueRange{loop.getUpperBound(), loop.getLowerBound()}),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  return succeeded(bound) ? std::optional(*bound) : std::nullopt;
}

namespace {
struct ConvertAhead final : distaff::impl::ConvertAheadBase<ConvertAhead> {
  using ConvertAheadBase::ConvertAheadBase;

  void runOnOperation() override {
    const Target *host = requireTarget(getOperation()->getLoc(), target);
    if (!host)
      return signalPassFailure();
    int64_t width = host->simd.vectorBits / 32;
    constexpr int64_t mostBytes = 96 << 10; // of the stack
    int64_t left = std::min<int64_t>(host->simd.level2Bytes / 4, mostBytes);
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<int64_t> steps = mostSteps(loop);
      if (!steps || *steps < 2 * width ||
          !llvm::all_of(loop.getBody()->without_terminator(), isRepeatable))
        continue;
      LoopConversions conversions(loop, *steps, width);
      for (auto read :
           llvm::to_vector(loop.getBody()->getOps<vector::TransferReadOp>()))
        if (auto conversion = conversions.match(read);
            conversion && conversions.bytesOf(*conversion) <= left) {
          left -= conversions.bytesOf(*conversion);
          conversions.hoist(*conversion);
        }
    }
  }
};
} // namespace
