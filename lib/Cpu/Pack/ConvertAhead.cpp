//===- ConvertAhead.cpp - Vectorized conversions ahead of a loop ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This pass is for CPUs. A product of halves reads an element of each row of
// its left side per step, and converts it; its neighbours are converted in the
// next steps, one by one, where one instruction converts eight. So elements
// that a loop reads along its steps and converts are converted before the loop,
// and read from the workgroup's own memory:
//
//   for k { ... extf(read A[m, k]) : 6x1 ... }
//   =>  for k by 8 { own[0, k] = extf(read A[m, k]) : 6x8 }
//       for k { ... read own[0, k] : 6x1 ... }
//
//===----------------------------------------------------------------------===//
#include "CacheBlocking.h"
#include "RowReads.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/CheckedSize.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace distaff {
#define GEN_PASS_DEF_CONVERTAHEAD
#include "distaff/Cpu/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
/// A read along a row, and its conversion.
struct Conversion {
  RowRead row;
  Operation *convert;
};

class LoopConversions {
public:
  LoopConversions(scf::ForOp loop, int64_t steps, int64_t width)
      : loop(loop), steps(steps), width(width), b(loop), loc(loop.getLoc()) {}

  std::optional<Conversion> match(vector::TransferReadOp read);
  int64_t bytesOf(const Conversion &conversion) const;
  void hoist(const Conversion &conversion);

private:
  /// Returns room for all steps, and a cache line more, so that rows do not map
  /// to one set of the cache.
  int64_t ownSteps() const { return llvm::alignTo(steps, width) + 2 * width; }
  SmallVector<Value> placeOf(OpBuilder &in, const Conversion &conversion,
                             Value at);

  scf::ForOp loop;
  int64_t steps; // at most
  int64_t width; // elements converted at once
  OpBuilder b;
  Location loc;
};
} // namespace

std::optional<Conversion> LoopConversions::match(vector::TransferReadOp read) {
  Operation *convert = read->hasOneUse() ? *read->getUsers().begin() : nullptr;
  if (!isa_and_nonnull<CastOpInterface>(convert) ||
      !OpTrait::hasElementwiseMappableTraits(convert) ||
      !fillsItsBytes(getElementTypeOrSelf(read.getBase())) ||
      !fillsItsBytes(getElementTypeOrSelf(convert->getResult(0))))
    return std::nullopt;
  std::optional<RowRead> row = matchRowRead(read, loop, [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  });
  if (!row)
    return std::nullopt;
  return Conversion{*row, convert};
}

int64_t LoopConversions::bytesOf(const Conversion &conversion) const {
  return saturatingProduct(
      saturatingProduct(conversion.row.shapeOf(ownSteps())),
      bytesInMemory(getElementTypeOrSelf(conversion.convert->getResult(0))));
}

SmallVector<Value> LoopConversions::placeOf(OpBuilder &in,
                                            const Conversion &conversion,
                                            Value at) {
  Value zero = arith::ConstantIndexOp::create(in, loc, 0);
  SmallVector<Value> place(conversion.row.shapeOf(1).size(), zero);
  place[conversion.row.vectorDim] =
      arith::SubIOp::create(in, loc, at, loop.getLowerBound());
  return place;
}

void LoopConversions::hoist(const Conversion &conversion) {
  Operation *convertOp = conversion.convert;
  auto type = cast<VectorType>(convertOp->getResult(0).getType());
  // The memory is the workgroup's: no loop inside of it allocates again.
  Operation *home = loop->getParentOfType<scf::ForallOp>();
  if (!home)
    home = loop->getParentOfType<FunctionOpInterface>();
  OpBuilder atStart = OpBuilder::atBlockBegin(&home->getRegion(0).front());
  Value own = memref::AllocaOp::create(
      atStart, loc,
      MemRefType::get(conversion.row.shapeOf(ownSteps()),
                      type.getElementType()),
      ValueRange(), b.getI64IntegerAttr(64));
  auto convertSteps = [&](OpBuilder &in, Value at, int64_t count) {
    Value several = conversion.row.readSteps(in, at, count);
    Type many =
        cast<VectorType>(several.getType()).clone(type.getElementType());
    Operation *converted = clone(in, convertOp, many, several);
    SmallVector<Value> place = placeOf(in, conversion, at);
    vector::TransferWriteOp::create(in, loc, converted->getResult(0), own,
                                    place,
                                    SmallVector<bool>(place.size(), true));
  };
  forSeveralSteps(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                  {width, 1}, convertSteps);
  OpBuilder inside(convertOp);
  Value padding = arith::ConstantOp::create(
      inside, loc, inside.getZeroAttr(type.getElementType()));
  Value part = vector::TransferReadOp::create(
      inside, loc, type, own,
      placeOf(inside, conversion, loop.getInductionVar()), padding,
      SmallVector<bool>(type.getRank(), true));
  convertOp->getResult(0).replaceAllUsesWith(part);
  convertOp->erase();
  vector::TransferReadOp(conversion.row.read).erase();
}

/// Returns an upper bound of the trip count of a loop with step 1; none if
/// there is none.
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
    constexpr int64_t mostBytes = 96 << 10; // limit of stack bytes
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
