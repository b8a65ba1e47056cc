//===- PhaseTiles.cpp - Tiles of products in phases -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates are those of ClusterSearch.cpp but for the workgroup's tile, which
// the phase fixes, and so are their prices. For a group whose size is known at
// run time, the price is the mean over all splits that leave every cluster a
// member.
//
//===----------------------------------------------------------------------===//
#include "PhaseTiles.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace distaff;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

/// Returns a number that is computed from constants and the number of
/// subgroups.
static std::optional<int64_t> evaluateFor(Value value, int64_t subgroups) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() ||
      !value.getType().isIndex())
    return std::nullopt;
  if (isa<gpu::NumSubgroupsOp>(op))
    return subgroups;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluateFor(operand, subgroups);
    if (!known)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *known));
  }
  SmallVector<OpFoldResult> results;
  if (operands.empty() || failed(op->fold(operands, results)) ||
      results.size() != 1)
    return std::nullopt;
  auto number = dyn_cast_or_null<IntegerAttr>(
      dyn_cast_if_present<Attribute>(results.front()));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Returns a bound of a cluster for the numbers that it is computed from.
static std::optional<int64_t> evaluateFor(AffineExpr bound, ValueRange ranges,
                                          int64_t subgroups) {
  SmallVector<AffineExpr> dims;
  for (Value range : ranges) {
    std::optional<int64_t> known = evaluateFor(range, subgroups);
    dims.push_back(known ? getAffineConstantExpr(*known, bound.getContext())
                         : getAffineDimExpr(dims.size(), bound.getContext()));
  }
  AffineExpr number = simplifyAffineExpr(
      bound.replaceDimsAndSymbols(
          dims, {getAffineConstantExpr(subgroups, bound.getContext())}),
      dims.size(), 0);
  auto constant = dyn_cast<AffineConstantExpr>(number);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

std::optional<int64_t> distaff::countMembers(pcf::RunClusterOp phase,
                                             int64_t subgroups) {
  auto cluster = dyn_cast<pcf::ClusterType>(phase.getGroupType());
  if (!cluster)
    return subgroups;
  if (cluster.getRank() != 1)
    return std::nullopt;
  std::optional<int64_t> lower =
      evaluateFor(cluster.getLowerBound(0), phase.getRanges(), subgroups);
  std::optional<int64_t> upper =
      evaluateFor(cluster.getUpperBound(0), phase.getRanges(), subgroups);
  if (!lower || !upper)
    return std::nullopt;
  return std::max<int64_t>(*upper - *lower, 0);
}

std::optional<PhaseProduct> PhaseProduct::match(linalg::LinalgOp op,
                                                const Target &target) {
  auto phase = op->getParentOfType<pcf::RunClusterOp>();
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  std::optional<ContractionBody> body = matchContraction(op);
  if (!phase || !kernel || !body || !op.hasPureTensorSemantics() ||
      !isa<iree::SubgroupScopeAttr, iree::LaneScopeAttr>(phase.getScope()) ||
      !llvm::all_of(op.getStaticLoopRanges(),
                    [](int64_t extent) { return extent > 0; }))
    return std::nullopt;
  int64_t subgroups = launchSizesOf(kernel).numLanes() / target.subgroupSize;
  if (subgroups <= 0)
    return std::nullopt;
  // A product that lanes compute together is computed by one subgroup.
  bool isOfLanes = isa<iree::LaneScopeAttr>(phase.getScope());
  PhaseProduct product{{op, *body},
                       phase,
                       subgroups,
                       isOfLanes ? 1 : countMembers(phase, subgroups)};
  for (Value operand : op->getOperands().take_front(2))
    product.holdsOperands |=
        llvm::is_contained(phase.getPayloadArgs(), operand);
  return product;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
class PhaseRanker {
public:
  PhaseRanker(const PhaseProduct &product, const Target &target,
              iree::LoweringConfigAttr user, int64_t boxes, Ranking &ranking)
      : product(product), problem(product.problem), target(target), user(user),
        boxes(boxes), ranking(ranking) {}

  void rank();

private:
  SmallVector<iree::MmaLayoutAttr> kinds(bool areTransposed) const;
  void rankKind(iree::MmaLayoutAttr mma);
  int64_t countFragments(const ClusterTiles &tiles, unsigned operand) const;
  int64_t countPlainRegisters(const ClusterTiles &tiles) const;
  int64_t countRegisters(const ClusterTiles &tiles) const;
  int64_t countAvailable(const ClusterTiles &tiles) const;
  int64_t countSpilled(const ClusterTiles &tiles) const;
  void addLoops(ClusterTiles &tiles, unsigned loop);
  int64_t priceFor(const ClusterTiles &tiles, int64_t registers,
                   int64_t members) const;
  void price(const ClusterTiles &tiles);

  const PhaseProduct &product;
  const ClusterProblem &problem;
  const Target &target;
  iree::LoweringConfigAttr user;
  int64_t boxes;
  Ranking &ranking;
};
} // namespace

/// Returns the instructions for the types; a transposed one computes the
/// transpose of its result with swapped operands.
SmallVector<iree::MmaLayoutAttr> PhaseRanker::kinds(bool areTransposed) const {
  if (iree::MmaLayoutAttr asked = user ? user.getMmaKind() : nullptr)
    return {asked};
  SmallVector<iree::MmaLayoutAttr> kinds;
  for (const MmaRow &row : target.mma)
    if (problem.typesFit(row) && row.issueCost < infiniteCost &&
        (!areTransposed || row.a == row.b))
      kinds.push_back(iree::MmaLayoutAttr::get(problem.op->getContext(),
                                               row.name, areTransposed));
  return kinds;
}

int64_t PhaseRanker::priceFor(const ClusterTiles &tiles, int64_t registers,
                              int64_t members) const {
  int64_t active = std::clamp<int64_t>(tiles.numSubgroups(), 1,
                                       std::max<int64_t>(members, 1));
  int64_t rounds = countRounds(tiles.numSubgroups(), members);
  int64_t compute = tiles.computeSlots(problem, target);
  // Other work does not fill the issuers of subgroups without a box.
  int64_t step = saturatingProduct(
      compute, int64_t(llvm::divideCeil(active, target.issue.issuers)));
  for (unsigned operand : {0, 1})
    step = saturatingSum(step,
                         tiles.operandSlots(problem, target, operand, active));
  int64_t latency =
      target.globalMemory.latency + 2 * target.costs.barrier + compute;
  return priceLaunch(target, 1, product.subgroups * target.subgroupSize,
                     registers, saturatingProduct(rounds, step),
                     saturatingProduct(rounds, latency));
}

/// `NV_MMA_SYNC_F32_16x8x16_F16, boxes 1x4x2x1 of 1x64x64x32`
static std::string describe(const ClusterTiles &tiles,
                            ArrayRef<int64_t> counts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (tiles.mma ? tiles.mma.getName() : StringRef("no MMA"))
     << (tiles.mma && tiles.mma.getColMajor() ? " transposed" : "")
     << ", boxes ";
  llvm::interleave(counts, os, "x");
  os << " of ";
  llvm::interleave(
      llvm::zip_equal(tiles.subgroup, tiles.reduction), os,
      [&](auto sizes) {
        os << std::max(std::get<0>(sizes), std::get<1>(sizes));
      },
      "x");
  return text;
}

/// Returns the registers of a lane for the fragments of an operand, or of the
/// result (2): some instructions take copies of one element from several lanes.
int64_t PhaseRanker::countFragments(const ClusterTiles &tiles,
                                    unsigned operand) const {
  const MmaRow &row = *tiles.mma.getRow();
  const Fragment *fragments[] = {&row.fragmentA, &row.fragmentB,
                                 &row.fragmentC};
  if (tiles.mma.getColMajor())
    std::swap(fragments[0], fragments[1]);
  int64_t elements = fragments[operand]->numRegisters();
  for (auto [loop, box] : llvm::enumerate(tiles.subgroup)) {
    if (!problem.maps[operand].isFunctionOfDim(loop))
      continue;
    int64_t size = problem.isReduced(loop) ? tiles.reduction[loop] : box;
    int64_t granule = problem.granule(tiles.mma, loop);
    // Operands in memory are read for one instruction at a time.
    if (!problem.isReduced(loop) || product.holdsOperands)
      elements = saturatingProduct(elements, size / granule);
  }
  return llvm::divideCeil(
      saturatingProduct(elements, problem.elementBits(operand)), 32);
}

/// Returns the registers of a lane without an instruction: a box of the result,
/// with the widest access along each row, as the lanes of a phase share out
/// writes, and the rows and columns of the box of the operands.
int64_t PhaseRanker::countPlainRegisters(const ClusterTiles &tiles) const {
  // Steps of the reduction that are read ahead of the sums.
  constexpr int64_t stepsAhead = 4;
  SmallVector<int64_t> own(tiles.subgroup.size(), 1);
  int64_t lanes = target.subgroupSize;
  for (auto [number, dim] :
       llvm::enumerate(llvm::reverse(problem.maps[2].getResults()))) {
    unsigned loop = cast<AffineDimExpr>(dim).getPosition();
    int64_t width =
        number ? 1 : std::max<int64_t>(128 / problem.elementBits(2), 1);
    int64_t size = tiles.subgroup[loop];
    int64_t workers = std::gcd(size / std::gcd(size, width), lanes);
    own[loop] = size / workers;
    lanes /= workers;
  }
  for (auto [loop, extent] : llvm::enumerate(problem.extents))
    if (problem.isReduced(loop))
      own[loop] = product.holdsOperands ? extent : std::min(extent, stepsAhead);
  int64_t registers = 0;
  for (unsigned operand : {0, 1, 2}) {
    int64_t elements = 1;
    for (auto [loop, size] : llvm::enumerate(own))
      if (problem.maps[operand].isFunctionOfDim(loop))
        elements = saturatingProduct(elements, size);
    int64_t bits = std::max<int64_t>(problem.elementBits(operand), 32);
    registers =
        saturatingSum(registers, saturatingProduct(elements, bits / 32));
  }
  return registers;
}

int64_t PhaseRanker::countRegisters(const ClusterTiles &tiles) const {
  if (!tiles.mma)
    return countPlainRegisters(tiles);
  return countFragments(tiles, 0) + countFragments(tiles, 1) +
         countFragments(tiles, 2);
}

/// Returns the registers of a lane for a product. Others hold addresses, also
/// those of concurrent copies, the copied data where no instruction copies past
/// registers, and the loop over boxes where the number of members is dynamic.
int64_t PhaseRanker::countAvailable(const ClusterTiles &tiles) const {
  int64_t all =
      std::min(target.registersFor(product.subgroups * target.subgroupSize),
               target.registersPerLane - target.accumulationRegisters);
  if (!tiles.mma)
    return all * 3 / 4;
  int64_t others = 2 + target.asyncCopyBytes.empty() + !product.members;
  return std::max<int64_t>(all - others * target.overheadRegisters, all / 4);
}

/// Returns the registers that are lacking. Where sums alone take more than
/// there are, they are spilled: an instruction is no better for smaller
/// operands then.
int64_t PhaseRanker::countSpilled(const ClusterTiles &tiles) const {
  int64_t available = countAvailable(tiles);
  int64_t sums = tiles.mma ? countFragments(tiles, 2) : 0;
  return std::max<int64_t>(
      0, (sums > available ? sums : countRegisters(tiles)) - available);
}

void PhaseRanker::price(const ClusterTiles &tiles) {
  Candidate candidate;
  candidate.workgroupSize = product.subgroups * target.subgroupSize;
  candidate.workgroupTiles = tiles.workgroup;
  candidate.reductionTiles = tiles.reduction;
  candidate.subgroups = llvm::map_to_vector(
      llvm::zip_equal(tiles.workgroup, tiles.subgroup), [](auto sizes) {
        auto [whole, part] = sizes;
        return part > 0 ? whole / part : 1;
      });
  candidate.mma = tiles.mma;
  candidate.registers = countRegisters(tiles);
  candidate.spilled = countSpilled(tiles);
  int64_t points = 1;
  for (int64_t part : tiles.subgroup)
    points = saturatingProduct(points, std::max<int64_t>(part, 1));
  candidate.starves = !tiles.mma && points % target.subgroupSize != 0;
  if (product.members) {
    candidate.cost = priceFor(tiles, candidate.registers, *product.members);
  } else {
    int64_t splits = std::max<int64_t>(product.subgroups - 1, 1);
    for (int64_t members = 1; members <= splits; ++members)
      candidate.cost = saturatingSum(
          candidate.cost, priceFor(tiles, candidate.registers, members));
    candidate.cost /= splits;
  }
  candidate.description = describe(tiles, candidate.subgroups);
  ranking.add(std::move(candidate));
}

/// Adds the sizes of a box along each loop, recursively.
void PhaseRanker::addLoops(ClusterTiles &tiles, unsigned loop) {
  if (loop == problem.extents.size()) {
    if (boxes == 0 || tiles.numSubgroups() == boxes)
      price(tiles);
    return;
  }
  if (problem.isReduced(loop))
    return addLoops(tiles, loop + 1);
  SmallVector<int64_t> asked =
      user ? user.getInts("subgroup") : SmallVector<int64_t>();
  int64_t granule = problem.granule(tiles.mma, loop);
  for (int64_t size : divisors(problem.extents[loop])) {
    bool isAsked = asked.size() != problem.extents.size() || asked[loop] <= 0 ||
                   asked[loop] == size;
    if (size % granule != 0 || !isAsked)
      continue;
    tiles.subgroup[loop] = size;
    addLoops(tiles, loop + 1);
  }
}

void PhaseRanker::rankKind(iree::MmaLayoutAttr mma) {
  ClusterTiles tiles;
  tiles.mma = mma;
  tiles.promoted = {0, 1};
  for (auto [loop, extent] : llvm::enumerate(problem.extents)) {
    bool isReduced = problem.isReduced(loop);
    tiles.workgroup.push_back(isReduced ? 0 : extent);
    tiles.reduction.push_back(isReduced ? extent : 0);
    tiles.subgroup.push_back(0);
    if (isReduced && extent % problem.granule(mma, loop) != 0)
      return;
  }
  addLoops(tiles, 0);
}

void PhaseRanker::rank() {
  // A transposed one costs the same, and may fit where the instruction does
  // not.
  for (bool areTransposed : {false, true})
    if (ranking.empty())
      for (iree::MmaLayoutAttr kind : kinds(areTransposed))
        rankKind(kind);
  if (ranking.empty())
    rankKind({});
}

void distaff::rankPhase(const PhaseProduct &product, const Target &target,
                        iree::LoweringConfigAttr user, int64_t boxes,
                        Ranking &ranking) {
  PhaseRanker(product, target, user, boxes, ranking).rank();
}
