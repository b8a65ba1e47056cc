//===- RowBoxes.cpp - Row blocking of a worker for its registers ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowBoxes.h"

#include "../Order/RefAccess.h"
#include "CarriedValues.h"
#include "Rounds.h"
#include "WorkerGrids.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <numeric>

using namespace distaff;
using namespace distaff::pcf;

static RankedTensorType getTensor(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Choice of rows
//===----------------------------------------------------------------------===//

std::optional<unsigned> RowBoxes::dimOf(Value tensor, unsigned extent) const {
  RankedTensorType type = getTensor(tensor);
  for (unsigned dim : llvm::seq<unsigned>(0, type ? type.getRank() : 0))
    if (bounds.classOf(tensor, dim) == extent)
      return dim;
  return std::nullopt;
}

bool RowBoxes::touches(Operation *op, unsigned extent) const {
  auto isTouched = [&](Value value) {
    return dimOf(value, extent).has_value();
  };
  return llvm::any_of(op->getOperands(), isTouched) ||
         llvm::any_of(op->getResults(), isTouched);
}

/// Returns whether the rows are one parallel loop of the op that no
/// `linalg.index` reads.
bool RowBoxes::isIndependentIn(linalg::LinalgOp op, unsigned extent) const {
  std::optional<unsigned> rows;
  SmallVector<std::pair<Value, AffineMap>> tensors;
  for (OpOperand &operand : op->getOpOperands())
    if (getTensor(operand.get()))
      tensors.push_back({operand.get(), op.getMatchingIndexingMap(&operand)});
  for (auto [tensor, map] : tensors)
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (bounds.classOf(tensor, dim) == extent) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        if (rows && *rows != loop)
          return false;
        rows = loop;
      }
  if (!rows ||
      op.getIteratorTypesArray()[*rows] != utils::IteratorType::parallel)
    return false;
  // A tensor of a known extent along this loop would not become smaller.
  for (auto [tensor, map] : tensors)
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == *rows &&
          bounds.classOf(tensor, dim) != extent)
        return false;
  return !op->walk([&](linalg::IndexOp index) {
              return index.getDim() == *rows ? WalkResult::interrupt()
                                             : WalkResult::advance();
            }).wasInterrupted();
}

/// Returns whether all ops compute the rows of the class independently of each
/// other.
bool RowBoxes::isIndependent(unsigned extent) const {
  auto hasRowsTwice = [&](Value value) {
    RankedTensorType type = getTensor(value);
    return type && llvm::count_if(llvm::seq<unsigned>(0, type.getRank()),
                                  [&](unsigned dim) {
                                    return bounds.classOf(value, dim) == extent;
                                  }) > 1;
  };
  return llvm::all_of(ops, [&](Operation *op) {
    if (!touches(op, extent))
      return true;
    if (llvm::any_of(op->getOperands(), hasRowsTwice) ||
        llvm::any_of(op->getResults(), hasRowsTwice))
      return false;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return isIndependentIn(linalgOp, extent);
    return handsOnValues(op) || op->hasTrait<mlir::OpTrait::IsTerminator>() ||
           isa<ReadSliceOp, WriteSliceOp, tensor::EmptyOp>(op) ||
           mlir::OpTrait::hasElementwiseMappableTraits(op);
  });
}

//===----------------------------------------------------------------------===//
// Legality of rounds
//===----------------------------------------------------------------------===//

bool pcf::isWorkersOwn(Value ref, GenericOp generic) {
  auto argument = dyn_cast<BlockArgument>(ref);
  return argument && argument.getOwner()->getParentOp() == generic &&
         getAllocation(argument);
}

/// Returns whether a loop around the op contains a barrier: then another worker
/// may write the same rows in a later iteration.
static bool isOrderedByBarriers(Operation *op, Operation *root) {
  for (Operation *parent = op->getParentOp(); parent != root;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) &&
        parent->walk([](BarrierOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return true;
  return false;
}

bool RowBoxes::isRepeatable(WriteSliceOp write, ArrayRef<RowBox> boxes) const {
  auto isPart = [&](Value tensor) {
    return llvm::any_of(boxes, [&](const RowBox &box) {
      return dimOf(tensor, box.extent).has_value();
    });
  };
  bool isOwn = isWorkersOwn(write.getDest(), generic);
  bool isPartial = isPart(write.getSource());
  if (isPartial && (isOwn || isOrderedByBarriers(write, executor)))
    return false;
  if (isOwn)
    return true;
  return llvm::none_of(ops, [&](Operation *op) {
    if (auto read = dyn_cast<ReadSliceOp>(op))
      // A round may read the rows that it writes.
      return mayAlias(read.getSource(), write.getDest()) &&
             !(isPartial && isPart(read.getResult()) &&
               areEqualSlices(read, write));
    auto other = dyn_cast<WriteSliceOp>(op);
    return other && other != write &&
           mayAlias(other.getDest(), write.getDest()) &&
           (isPartial || isPart(other.getSource()));
  });
}

/// Returns whether each round of the code has the same effects as the one
/// before, except for the rows that it writes.
bool RowBoxes::isRepeatable(ArrayRef<RowBox> boxes) const {
  return llvm::all_of(ops, [&](Operation *op) {
    if (auto write = dyn_cast<WriteSliceOp>(op))
      return isRepeatable(write, boxes);
    // A worker that has returned would miss later barriers.
    if (isa<scf::ExecuteRegionOp, RunClusterOp, RunThreadOp,
            RefOwnerOpInterface>(op))
      return false;
    return isa<ReadSliceOp, BarrierOp, FenceOp>(op) ||
           isa_and_nonnull<scf::SCFDialect>(op->getDialect()) ||
           op->hasTrait<mlir::OpTrait::IsTerminator>() ||
           isMemoryEffectFree(op);
  });
}

//===----------------------------------------------------------------------===//
// Number of rows
//===----------------------------------------------------------------------===//

/// Returns the 32-bit registers of a lane for a tensor that is distributed over
/// the worker's lanes.
int64_t RowBoxes::countRegisters(Value tensor,
                                 std::optional<RowBox> box) const {
  RankedTensorType type = getTensor(tensor);
  if (!type)
    return 0;
  SmallVector<int64_t> shape(bounds.typeOf(tensor).getShape());
  if (std::optional<unsigned> dim =
          box ? dimOf(tensor, box->extent) : std::nullopt)
    shape[*dim] = box->size;
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements = saturatingProduct(elements, extent);
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  return llvm::divideCeil(saturatingProduct(elements, bits),
                          32 * target.subgroupSize);
}

/// Returns the registers for the results of an op, or for the values that loops
/// around it carry if these need more.
int64_t RowBoxes::countRegisters(Operation *op,
                                 std::optional<RowBox> box) const {
  int64_t own = 0, carried = 0;
  for (Value result : op->getResults())
    own = saturatingSum(own, countRegisters(result, box));
  for (Operation *parent = op->getParentOp(); parent != executor;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      for (Value result : parent->getResults())
        carried = saturatingSum(carried, countRegisters(result, box));
  return std::max(own, carried);
}

/// Returns the largest box with which the op fits, the smallest if none does.
std::optional<RowBox> RowBoxes::shrink(Operation *op, unsigned extent) const {
  constexpr int64_t rowsOfFragments = 16;
  int64_t most = bounds.mostOf(extent);
  int64_t granule = std::lcm(rowsOfFragments, bounds.granuleOf(extent));
  RowBox box{extent, most, granule};
  if (most <= granule)
    return std::nullopt;
  for (int64_t size = granule; size < most; size *= 2)
    if (RowBox larger{extent, most, size}; countRegisters(op, larger) <= budget)
      box = larger;
  return countRegisters(op, box) < countRegisters(op, std::nullopt)
             ? std::optional(box)
             : std::nullopt;
}

SmallVector<RowBox> RowBoxes::compute() {
  std::optional<int64_t> subgroups =
      getLaunchCount(generic, generic.getScope());
  if (!subgroups)
    return {};
  // The other half is for operands and addresses. Copies through registers need
  // more.
  budget = (target.registersFor(*subgroups * target.subgroupSize) + 1) / 2 -
           (target.asyncCopyBytes.empty() ? target.overheadRegisters : 0);
  SmallVector<RowBox> boxes;
  auto isApart = [&](unsigned extent) {
    return llvm::none_of(ops, [&](Operation *op) {
      return touches(op, extent) && llvm::any_of(boxes, [&](RowBox box) {
               return box.extent != extent && touches(op, box.extent);
             });
    });
  };
  for (Operation *op : ops) {
    if (!isa<linalg::LinalgOp>(op) ||
        countRegisters(op, std::nullopt) <= budget)
      continue;
    for (unsigned extent : llvm::seq(bounds.getNumClasses())) {
      std::optional<RowBox> box;
      if (!touches(op, extent) || !isIndependent(extent) || !isApart(extent) ||
          !(box = shrink(op, extent)))
        continue;
      auto *known = llvm::find_if(
          boxes, [&](const RowBox &each) { return each.extent == extent; });
      if (known == boxes.end())
        boxes.push_back(*box);
      else
        known->size = std::min(known->size, box->size);
      break;
    }
  }
  return isRepeatable(boxes) ? boxes : SmallVector<RowBox>();
}
