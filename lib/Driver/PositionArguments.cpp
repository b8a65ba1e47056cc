//===- PositionArguments.cpp - Arguments used as indices ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/PositionArguments.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff {
namespace {

/// The largest random number for an argument that is a loop's bound.
constexpr int64_t largestCount = 16;
PositionUse countUse() {
  PositionUse use{largestCount + 1};
  use.least = 1;
  return use;
}

/// Follows the elements of one argument to the accesses that they index.
class Follower {
public:
  Follower(FunctionOpInterface kernel, ArrayRef<SmallVector<int64_t>> shapes)
      : kernel(kernel), shapes(shapes) {}

  std::optional<PositionUse> follow(Value argument) {
    push(argument);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      for (OpOperand &use : value.getUses())
        visit(use);
    }
    return found;
  }

private:
  void push(Value value) {
    if (seen.insert(value).second)
      worklist.push_back(value);
  }

  /// Follows a use to values that hold the same elements, or some of them.
  void visit(OpOperand &use) {
    Operation *op = use.getOwner();
    if (!isa<ShapedType>(use.get().getType()) ||
        isa<VectorType>(use.get().getType()) ||
        isa<tensor::GatherOp, tensor::ScatterOp>(op))
      addUses(use);
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      push(generic.getMatchingBlockArgument(&use));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                   arith::ExtUIOp, arith::TruncIOp, vector::BroadcastOp,
                   vector::ShapeCastOp, vector::TransposeOp, vector::ExtractOp,
                   vector::ExtractStridedSliceOp, tensor::ExpandShapeOp,
                   tensor::CollapseShapeOp, memref::ExpandShapeOp,
                   memref::CollapseShapeOp, vector_ext::ToLayoutOp>(op)) {
      push(op->getResult(0));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (use.getOperandNumber() < loop.getNumControlOperands() && !found)
        found = countUse();
    } else if (isa<tensor::ScatterOp, tensor::ConcatOp, tensor::InsertSliceOp,
                   tensor::PadOp>(op)) {
      if (use.getOperandNumber() < 2 || isa<tensor::ConcatOp>(op))
        push(op->getResult(0));
    } else if (isa<vector::TransferReadOp, vector::LoadOp, memref::LoadOp,
                   memref::SubViewOp, tensor::ExtractOp, tensor::GatherOp,
                   tensor::ExtractSliceOp>(op)) {
      if (use.getOperandNumber() == 0) // an operand that is read, not an index
        push(op->getResult(0));
    }
  }

  /// Notes the extent that an element indexes at a use as an index of an
  /// access.
  void addUses(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      addIndex(use, load.getMemRef(), load.getIndicesMutable());
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      addOffset(use, load.getBase(), load.getIndicesMutable(),
                load.getVectorType().getShape());
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      addOffset(use, store.getBase(), store.getIndicesMutable(),
                store.getVectorType().getShape());
    else if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
      addTransfer(use, transfer);
    else if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      addIndex(use, extract.getTensor(), extract.getIndicesMutable());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      addIndex(use, insert.getDest(), insert.getIndicesMutable());
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      addSlice(use, slice, slice.getSource());
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      addSlice(use, slice, slice.getDest());
    else if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
      addIndex(use, atomic.getMemref(), atomic.getIndicesMutable());
    else if (auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op))
      addIndex(use, generic.getMemref(), generic.getIndicesMutable());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      addIndex(use, store.getMemRef(), store.getIndicesMutable(), true);
    else if (auto gather = dyn_cast<tensor::GatherOp>(op))
      addCoordinates(use, gather.getIndicesMutable(), gather.getSource(),
                     gather.getGatherDims(), false);
    else if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
      addCoordinates(use, scatter.getIndicesMutable(), scatter.getDest(),
                     scatter.getScatterDims(), true);
    else if (auto gather = dyn_cast<vector::GatherOp>(op)) {
      if (use.get() == gather.getIndices()) // the innermost dimension
        add(gather.getBase(), gather.getBaseType().getRank() - 1, 0, false);
    } else if (auto gather = dyn_cast<vector_ext::TransferGatherOp>(op))
      addIndexed(use, gather, false);
    else if (auto scatter = dyn_cast<vector_ext::TransferScatterOp>(op))
      addIndexed(use, scatter, true);
  }

  void addIndex(OpOperand &use, Value base, MutableOperandRange indices,
                bool isWrite = false) {
    for (auto [d, index] : llvm::enumerate(indices))
      if (&index == &use)
        add(base, d, 0, isWrite);
  }

  /// Notes coordinates along several dims at once, each below an extent of its
  /// own; if other uses are tighter, all are below the least extent.
  void addCoordinates(OpOperand &use, OpOperand &coordinates, Value base,
                      ArrayRef<int64_t> dims, bool isWrite) {
    if (&coordinates != &use)
      return;
    bool isFirst = !found;
    SmallVector<int64_t> extents;
    for (int64_t dim : dims) {
      add(base, dim, 0, isWrite);
      extents.push_back(extentOf(base, dim));
    }
    if (found && isFirst && isa<BlockArgument>(use.get()))
      found->extentsOfRow = extents;
  }

  /// Notes an access that begins at the value and takes `extents` of the last
  /// dims.
  void addOffset(OpOperand &use, Value base, MutableOperandRange offsets,
                 ArrayRef<int64_t> extents) {
    int64_t leading = offsets.size() - extents.size();
    for (auto [d, offset] : llvm::enumerate(offsets))
      if (&offset == &use)
        add(base, d, int64_t(d) < leading ? 0 : extents[d - leading] - 1,
            false);
  }

  /// Notes a slice of constant size, which begins where all of it is inside.
  void addSlice(OpOperand &use, OffsetSizeAndStrideOpInterface slice,
                Value base) {
    for (auto [d, size] : llvm::enumerate(slice.getStaticSizes()))
      if (slice.isDynamicOffset(d) &&
          slice.getIndexOfDynamicOffset(d) == use.getOperandNumber() &&
          !ShapedType::isDynamic(size))
        add(base, d, std::max<int64_t>(size, 1) - 1, /*isWrite=*/false);
  }

  /// Notes a transfer: dims in bounds begin where all of them is inside, the
  /// others where some is.
  void addTransfer(OpOperand &use, VectorTransferOpInterface op) {
    SmallVector<bool> inBounds = op.getInBoundsValues();
    for (auto [d, index] : llvm::enumerate(op.getIndices())) {
      if (&op->getOpOperand(1 + isa<vector::TransferWriteOp>(op) + d) != &use)
        continue;
      int64_t beyond = 0;
      for (auto [v, result] :
           llvm::enumerate(op.getPermutationMap().getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result);
            dim && dim.getPosition() == d && inBounds[v])
          beyond = op.getVectorType().getDimSize(v) - 1;
      add(op.getBase(), d, beyond, false);
    }
  }

  /// Notes the offset along a dim; a dim of the vector or an index value may be
  /// added to it.
  template <typename Op> void addOffsetOf(OpOperand &use, Op op) {
    SmallVector<bool> inBounds = op.getInBoundsArray();
    for (auto [d, offset] : llvm::enumerate(op.getOffsetsMutable())) {
      if (&offset != &use)
        continue;
      AffineExpr added = op.getBaseMap().getResult(d);
      auto dim = dyn_cast<AffineDimExpr>(added);
      if (isa<AffineSymbolExpr>(added)) // index values are below the extent
        found = PositionUse{1, found && found->isDistinct};
      else
        add(op.getBase(), d,
            dim && inBounds[dim.getPosition()]
                ? op.getVectorType().getDimSize(dim.getPosition()) - 1
                : 0,
            false);
    }
  }

  /// Notes index values: symbol k of the base map is index value k, relative to
  /// the offset.
  template <typename Op> void addIndexed(OpOperand &use, Op op, bool isWrite) {
    addOffsetOf(use, op);
    for (auto [k, index] : llvm::enumerate(op.getIndexVecsMutable())) {
      if (&index != &use)
        continue;
      for (auto [d, result] : llvm::enumerate(op.getBaseMap().getResults())) {
        auto symbol = dyn_cast<AffineSymbolExpr>(result);
        if (!symbol || symbol.getPosition() != k)
          continue;
        std::optional<int64_t> offset = getConstantIntValue(op.getOffsets()[d]);
        add(op.getBase(), d, offset.value_or(0), isWrite);
      }
    }
  }

  /// Returns an extent, through ops that compute a tensor of the shape of
  /// another; dynamic if these lead to no argument.
  int64_t extentOf(Value base, int64_t dim) {
    while (true) {
      int64_t extent = cast<ShapedType>(base.getType()).getDimSize(dim);
      auto argument = dyn_cast<BlockArgument>(base);
      if (argument && argument.getOwner() == &kernel.front())
        return shapes[argument.getArgNumber()][dim];
      auto loop = argument ? dyn_cast<LoopLikeOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : LoopLikeOpInterface();
      if (OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr) {
        base = init->get();
        continue;
      }
      Operation *op = base.getDefiningOp();
      if (!ShapedType::isDynamic(extent) || !op)
        return extent;
      if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
        OpOperand *init = written.getTiedOpOperand(cast<OpResult>(base));
        if (!init)
          return extent;
        base = init->get();
      } else if (OpTrait::hasElementwiseMappableTraits(op) ||
                 isa<tensor::CastOp>(op)) {
        base = op->getOperand(op->getNumOperands() - 1); // skips a condition
        if (!isa<ShapedType>(base.getType()))
          return extent;
      } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
        auto size = dyn_cast<Value>(empty.getMixedSizes()[dim]);
        auto asked = size.getDefiningOp<tensor::DimOp>();
        std::optional<int64_t> number =
            asked ? asked.getConstantIndex() : std::nullopt;
        if (!number)
          return extent;
        base = asked.getSource();
        dim = *number;
      } else {
        return extent;
      }
    }
  }

  void add(Value base, int64_t dim, int64_t offset, bool isWrite) {
    int64_t extent = extentOf(base, dim);
    if (ShapedType::isDynamic(extent) || extent - offset < 1)
      return;
    // A use by single elements has no rows.
    if (found)
      found->extentsOfRow.clear();
    bool isDistinct = isWrite || (found && found->isDistinct);
    if (!found || extent - offset < found->extent)
      found = PositionUse{extent - offset, isDistinct};
    found->least = 0;
    found->isDistinct = isDistinct;
  }

  FunctionOpInterface kernel;
  ArrayRef<SmallVector<int64_t>> shapes;
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
  std::optional<PositionUse> found;
};

} // namespace

SmallVector<std::optional<PositionUse>>
findPositionArguments(FunctionOpInterface kernel,
                      ArrayRef<SmallVector<int64_t>> shapes) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  assert(succeeded(signature) && "the arguments were described by it");
  // Extents are in the order of the function's arguments; some may be results.
  SmallVector<SmallVector<int64_t>> extents;
  for (Type type : kernel.getArgumentTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    extents.push_back(shaped && shaped.hasRank()
                          ? llvm::to_vector(shaped.getShape())
                          : SmallVector<int64_t>());
  }
  for (const KernelParameter &argument : signature->arguments)
    extents[argument.position] = shapes[argument.number];
  SmallVector<std::optional<PositionUse>> uses;
  for (const KernelParameter &parameter : signature->arguments) {
    BlockArgument argument = kernel.getArgument(parameter.position);
    bool isInteger = getElementTypeOrSelf(argument.getType()).isIntOrIndex();
    uses.push_back(isInteger ? Follower(kernel, extents).follow(argument)
                             : std::nullopt);
    if (argument.getType().isIndex() && !uses.back())
      uses.back() = countUse();
  }
  return uses;
}

/// Returns whether a value's memory is only written, as far as this code shows.
static bool isOnlyWritten(Value memory) {
  return llvm::all_of(memory.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<ViewLikeOpInterface>(op))
      return use.getOperandNumber() == 0 && isOnlyWritten(op->getResult(0));
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    SmallVector<MemoryEffects::EffectInstance> on;
    if (effects)
      effects.getEffectsOnValue(memory, on);
    return !on.empty() && llvm::all_of(on, [](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
  });
}

/// Returns whether a value's memory is only read.
static bool isOnlyRead(Value memory) {
  return llvm::all_of(memory.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<ViewLikeOpInterface>(op))
      return use.getOperandNumber() == 0 && isOnlyRead(op->getResult(0));
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    SmallVector<MemoryEffects::EffectInstance> on;
    if (effects)
      effects.getEffectsOnValue(memory, on);
    return effects && llvm::none_of(on, [](const auto &effect) {
             return isa<MemoryEffects::Write>(effect.getEffect());
           });
  });
}

SmallVector<bool> findWritten(FunctionOpInterface kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  assert(succeeded(signature) && "the arguments were described by it");
  SmallVector<bool> written;
  for (const KernelParameter &parameter : signature->arguments) {
    BlockArgument argument = kernel.getArgument(parameter.position);
    written.push_back(isa<MemRefType>(argument.getType()) &&
                      !isOnlyRead(argument));
  }
  return written;
}

SmallVector<bool> findOutputs(FunctionOpInterface kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  assert(succeeded(signature) && "the arguments were described by it");
  SmallVector<bool> outputs;
  for (const KernelParameter &parameter : signature->arguments) {
    BlockArgument argument = kernel.getArgument(parameter.position);
    outputs.push_back(isa<MemRefType>(argument.getType()) &&
                      isOnlyWritten(argument));
  }
  return outputs;
}

} // namespace distaff
