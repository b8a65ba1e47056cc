//===- Unrolled.cpp - Operations that tiles will unroll to ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts operations from tiles alone. Lanes share a loop in equal parts, so
// that 32 lanes cannot share 61 points along it. For a product that an
// instruction computes, its instructions count (VX-257): a 64x64x64 product of
// two subgroups is 64 of m16n8k16 for each and the loads of their fragments,
// not 4,096 multiplications of each lane.
//
//===----------------------------------------------------------------------===//
#include "Unrolled.h"
#include "AttentionSteps.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// More than any machine compiles; the sum of two such numbers fits.
static constexpr int64_t enough = int64_t(1) << 40;

/// Returns the points of one step that one lane computes; `lanes` share them,
/// innermost loop first.
static int64_t pointsPerLane(const GroupOp &groupOp, const Sharing &sharing,
                             int64_t lanes) {
  int64_t points = 1;
  for (auto [axis, iterator] : llvm::zip_equal(
           llvm::reverse(groupOp.axes), llvm::reverse(groupOp.iterators))) {
    int64_t along = sharing.heldAlong(axis);
    // Each lane runs over all of K for the elements that it computes.
    if (!groupOp.contracts || iterator == utils::IteratorType::parallel) {
      int64_t sharers = std::min(along, lanes);
      while (along % sharers != 0)
        --sharers;
      along /= sharers;
      lanes /= sharers;
    }
    points = saturatingProduct(points, along);
  }
  return points;
}

/// Returns the operations at one point of the iteration space.
static int64_t operationsPerPoint(const GroupOp &groupOp,
                                  const Target &target) {
  // Maximum, difference, exponential, sum and division.
  constexpr int64_t ofSoftmax = 6;
  if (isa<linalg::SoftmaxOp>(groupOp.op))
    return ofSoftmax;
  Block &body = groupOp.op->getRegion(0).front();
  int64_t operations = int64_t(body.getOperations().size()) - 1;
  // Without an instruction that propagates NaN, code tests for it.
  constexpr int64_t besides = 3;
  if (target.family == Family::AMDGPU)
    for (Operation &op : body)
      operations += isa<arith::MaximumFOp, arith::MinimumFOp>(op) ? besides : 0;
  return std::max<int64_t>(1, operations);
}

/// Returns the instructions of one subgroup for a product in one step, each
/// with a load of fragments.
static int64_t instructionsOf(const GroupOp &groupOp, const Sharing &sharing,
                              const MmaRow &row, int64_t subgroups) {
  constexpr int64_t withLoads = 2;
  int64_t points = 1;
  for (unsigned axis : groupOp.axes)
    points = saturatingProduct(points, sharing.heldAlong(axis));
  return saturatingProduct(
      withLoads,
      int64_t(llvm::divideCeil(points, row.multiplyAdds() * subgroups)));
}

int64_t distaff::unrolledOperations(const FusedGroup &group,
                                    const Target &target,
                                    const UnrolledTiles &tiles) {
  Sharing sharing(group, tiles.workgroup, tiles.reduction,
                  {/*subgroups=*/1, tiles.lanes});
  const GroupOp *root = group.root();
  SmallVector<int64_t> held;
  for (unsigned axis = 0; axis < group.axes().size(); ++axis)
    held.push_back(sharing.heldAlong(axis));
  int64_t total = 0;
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op))
      continue; // constants
    // If the root has no instruction, no other product has one.
    const MmaRow *row = tiles.row;
    if (row && groupOp.contracts && &groupOp != root)
      row = instructionOf(group, groupOp, held, target);
    int64_t operations =
        row && groupOp.contracts
            ? instructionsOf(groupOp, sharing, *row,
                             tiles.lanes / target.subgroupSize)
            : saturatingProduct(pointsPerLane(groupOp, sharing, tiles.lanes),
                                operationsPerPoint(groupOp, target));
    total = std::min(enough, total + std::min(enough, operations));
  }
  return total;
}

void distaff::warnOfUnrolledCode(const FusedGroup &group, const Target &target,
                                 int64_t lanes) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  SmallVector<int64_t> workgroupTiles = config.getWorkgroupTiles(),
                       reductionTiles = config.getReductionTiles();
  iree::MmaLayoutAttr kind = config.getMmaKind();
  int64_t unrolled = unrolledOperations(
      group, target,
      {workgroupTiles, reductionTiles, lanes, kind ? kind.getRow() : nullptr});
  if (unrolled <= mostUnrolled)
    return;
  root->emitWarning() << "'" << root->getName() << "' op unrolls to about "
                      << unrolled << " operations per lane, more than the "
                      << mostUnrolled
                      << " that compile in seconds; smaller tiles of its loops "
                         "or more lanes make fewer, where they divide";
}
