//===- Unrolled.cpp - Operations that tiles will unroll to ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prediction from tiles alone. Lanes share a loop in equal parts, so that of
// 61 points along it 32 lanes can share none.
//
//===----------------------------------------------------------------------===//
#include "Unrolled.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

/// More than any machine compiles; the sum of two such fits.
static constexpr int64_t enough = int64_t(1) << 40;

/// Points of one step that one lane computes; `lanes` share them, innermost
/// loop first.
static int64_t pointsPerLane(const GroupOp &groupOp, const Sharing &sharing,
                             int64_t lanes) {
  int64_t points = 1;
  for (auto [axis, iterator] : llvm::zip_equal(
           llvm::reverse(groupOp.axes), llvm::reverse(groupOp.iterators))) {
    int64_t along = sharing.heldAlong(axis);
    // Each lane walks all of K for the elements that it computes.
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

/// Operations at one point of the iteration space.
static int64_t operationsPerPoint(const GroupOp &groupOp,
                                  const Target &target) {
  // Maximum, difference, exponential, sum and division.
  constexpr int64_t ofSoftmax = 6;
  if (isa<linalg::SoftmaxOp>(groupOp.op))
    return ofSoftmax;
  Block &body = groupOp.op->getRegion(0).front();
  int64_t operations = int64_t(body.getOperations().size()) - 1;
  // Without an instruction that hands on what is no number, it is looked for.
  constexpr int64_t besides = 3;
  if (target.family == Family::AMDGPU)
    for (Operation &op : body)
      operations += isa<arith::MaximumFOp, arith::MinimumFOp>(op) ? besides : 0;
  return std::max<int64_t>(1, operations);
}

int64_t distaff::unrolledOperations(const FusedGroup &group,
                                    const Target &target,
                                    const UnrolledTiles &tiles) {
  Sharing sharing(group, tiles.workgroup, tiles.reduction,
                  {/*subgroups=*/1, tiles.lanes});
  const GroupOp *root = group.root();
  int64_t total = 0;
  for (const GroupOp &groupOp : group.ops()) {
    if (isa<linalg::FillOp>(groupOp.op))
      continue; // constants
    int64_t operations =
        saturatingProduct(pointsPerLane(groupOp, sharing, tiles.lanes),
                          operationsPerPoint(groupOp, target));
    // A subgroup's lanes share each instruction.
    if (tiles.row && &groupOp == root)
      operations /=
          std::max<int64_t>(1, tiles.row->multiplyAdds() / target.subgroupSize);
    total = std::min(enough, total + std::min(enough, operations));
  }
  return total;
}

void distaff::warnOfUnrolledCode(const FusedGroup &group, const Target &target,
                                 int64_t lanes) {
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  SmallVector<int64_t> workgroupTiles = config.getWorkgroupTiles(),
                       reductionTiles = config.getReductionTiles();
  compat::MmaLayoutAttr kind = config.getMmaKind();
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
