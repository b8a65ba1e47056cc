//===- TileCopies.cpp - Tiling copies into loops --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to a panel is cut into chunks of 16 bytes, which are distributed to
// the lanes that copy. If each lane has many, they become the iterations of a
// loop (PCF-170):
//
//   %v = transfer_read %a[%i, %j]         for %t = 0 to 1024 step 128
//          : vector<4x1024xf32>      =>     %v = transfer_read %a[%i, %j + %t]
//   write_slice %v into %panel[0, 0]               : vector<4x128xf32>
//                                           write_slice %v into %panel[0, %t]
//
// One dim is cut, so that the loop has one induction variable. Lanes that copy
// only wait for memory, so a loop costs them no time, and the kernel has the
// code of a chunk once.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_PCFTILECOPIES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

/// Bytes that one access of a lane moves.
static constexpr int64_t pieceBytes = 16;

namespace {
/// Describes a read of memory and the write of all of it to a panel.
struct TiledCopy {
  vector::TransferReadOp read;
  WriteSliceOp write;
  int64_t dim, step; // of the vector

  VectorType getType() const {
    return cast<VectorType>(WriteSliceOp(write).getSource().getType());
  }
};

/// Describes the lanes that copy, and their number of chunks per iteration.
struct CopyLanes {
  int64_t count;       // number of lanes that copy together
  bool isAsynchronous; // a chunk in flight needs no registers

  int64_t elementsOfPiece(Type element) const;
  /// Returns how many chunks of a lane may be fully unrolled.
  int64_t mostPieces(const TiledCopy &copy) const;
  /// Returns the number of chunks of a lane in an iteration. If chunks in
  /// flight are held in registers, several of them hide the latency.
  int64_t piecesAtATime(const TiledCopy &copy) const;
};
} // namespace

/// Returns the elements of a chunk: one if elements do not fill their bytes.
int64_t CopyLanes::elementsOfPiece(Type element) const {
  if (!fillsItsBytes(element))
    return 1;
  return std::max<int64_t>(1, pieceBytes / bytesInMemory(element));
}

/// Returns whether a chunk is one or two instructions. A chunk that may reach
/// over an edge, or whose elements are accessed one by one, is more.
static bool isOneAccess(const TiledCopy &copy) {
  vector::TransferReadOp read = copy.read;
  return !read.hasOutOfBoundsDim() &&
         fillsItsBytes(copy.getType().getElementType());
}

int64_t CopyLanes::mostPieces(const TiledCopy &copy) const {
  return isOneAccess(copy) ? 8 : 2;
}

int64_t CopyLanes::piecesAtATime(const TiledCopy &copy) const {
  return isOneAccess(copy) ? 4 : isAsynchronous ? 1 : 2;
}

/// Returns the uncut copy that a write ends; none if the same ops on slices of
/// it would not be equivalent.
static std::optional<TiledCopy> findCopy(WriteSliceOp write) {
  auto read = write.getSource().getDefiningOp<vector::TransferReadOp>();
  if (!read || !read->hasOneUse() || read->getBlock() != write->getBlock() ||
      read.getMask() || read.getVectorType().isScalable())
    return std::nullopt;
  bool isAll =
      llvm::equal(write.getStaticSizes(), read.getVectorType().getShape()) &&
      llvm::all_of(write.getStaticStrides(),
                   [](int64_t stride) { return stride == 1; });
  if (!isAll || !read.getPermutationMap().isProjectedPermutation())
    return std::nullopt;
  return TiledCopy{read, write, 0, 0};
}

/// Chooses the dim that is cut and the step along it: those that give an
/// iteration the most elements up to its limit; of two dims the outer one,
/// whose rows stay whole. Returns false if the copy needs no loop, or if no cut
/// exceeds half of a chunk per lane.
static bool chooseCut(TiledCopy &copy, const CopyLanes &lanes) {
  VectorType type = copy.getType();
  int64_t all = type.getNumElements(), best = 0,
          piece = lanes.elementsOfPiece(type.getElementType()),
          most = lanes.count * piece * lanes.piecesAtATime(copy);
  if (all <= lanes.count * piece * lanes.mostPieces(copy))
    return false;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t row = all / extent, unit = 1;
    // Chunks of a row stay whole.
    if (int64_t(dim) + 1 == type.getRank())
      unit = piece;
    for (int64_t step = unit; step * row <= most && step < extent; step += unit)
      if (extent % step == 0 && step * row > best) {
        best = step * row;
        copy.dim = dim;
        copy.step = step;
      }
  }
  return 2 * best > most / lanes.piecesAtATime(copy);
}

static OpFoldResult plus(OpBuilder &builder, Location loc, OpFoldResult offset,
                         Value by) {
  AffineExpr a, b;
  bindSymbols(builder.getContext(), a, b);
  return affine::makeComposedFoldedAffineApply(builder, loc, a + b,
                                               {offset, OpFoldResult(by)});
}

static void tile(const TiledCopy &copy, IRRewriter &rewriter) {
  vector::TransferReadOp read = copy.read;
  WriteSliceOp write = copy.write;
  Location loc = write.getLoc();
  // No op between the two accesses the memory: the read moves to the write.
  rewriter.setInsertionPoint(write);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop = scf::ForOp::create(rewriter, loc, number(0),
                                 number(copy.getType().getDimSize(copy.dim)),
                                 number(copy.step));
  rewriter.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  SmallVector<int64_t> shape(copy.getType().getShape());
  shape[copy.dim] = copy.step;
  auto type = VectorType::get(shape, copy.getType().getElementType());

  SmallVector<Value> indices(read.getIndices());
  Value &index = indices[read.getPermutationMap().getDimPosition(copy.dim)];
  index = getValueOrCreateConstantIndexOp(
      rewriter, loc, plus(rewriter, loc, OpFoldResult(index), place));
  Value part = vector::TransferReadOp::create(
      rewriter, read.getLoc(), type, read.getBase(), indices,
      read.getPermutationMapAttr(), read.getPadding(), /*mask=*/Value(),
      read.getInBoundsAttr());
  SmallVector<OpFoldResult> offsets = write.getMixedOffsets();
  offsets[copy.dim] = plus(rewriter, loc, offsets[copy.dim], place);
  WriteSliceOp::create(rewriter, loc, part, write.getDest(), offsets,
                       getAsIndexOpFoldResult(rewriter.getContext(), shape),
                       write.getMixedStrides());
  rewriter.eraseOp(write);
  rewriter.eraseOp(read);
}

/// Returns whether no op between the two has an effect on the memory that is
/// read.
static bool mayMove(const TiledCopy &copy) {
  for (Operation *op = copy.read->getNextNode(); op != copy.write;
       op = op->getNextNode())
    if (!isPure(op) && !isa<vector::TransferReadOp, WriteSliceOp>(op))
      return false;
  return true;
}

namespace {
struct TileCopies final : distaff::impl::PCFTileCopiesBase<TileCopies> {
  using PCFTileCopiesBase::PCFTileCopiesBase;

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    CopyLanes lanes{workers * machine->subgroupSize,
                    !machine->asyncCopyBytes.empty()};
    SmallVector<TiledCopy> copies;
    getOperation()->walk([&](RunClusterOp phase) {
      if (!phase.getResult())
        phase->walk([&](WriteSliceOp write) {
          std::optional<TiledCopy> copy = findCopy(write);
          if (copy && mayMove(*copy) && chooseCut(*copy, lanes))
            copies.push_back(*copy);
        });
    });
    IRRewriter rewriter(&getContext());
    for (const TiledCopy &copy : copies)
      tile(copy, rewriter);
  }
};
} // namespace
