//===- ClusterTiles.cpp - Tiles of a contraction of clusters --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the resources that tiles need, and checks that the target has them.
// The same checks apply to a user's tiles and to chosen ones.
//
//===----------------------------------------------------------------------===//
#include "ClusterTiles.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/CheckedSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using iree::LoweringConfigAttr;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

/// Returns the bits of a number; types that are no numbers count as 64 bits.
static int64_t bitsOf(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

ClusterProblem::ClusterProblem(linalg::LinalgOp op, const ContractionBody &body)
    : op(op), body(body), extents(op.getStaticLoopRanges()),
      maps(op.getIndexingMapsArray()) {
  for (int64_t &extent : extents)
    if (ShapedType::isDynamic(extent))
      extent = nominalExtent;
}

ClusterProblem::ClusterProblem(const ContractionKernel &kernel)
    : ClusterProblem(kernel.contraction, kernel.body) {
  auto product = llvm::find_if(kernel.steps,
                               [&](const auto &step) { return step.op == op; });
  for (const auto &step : llvm::make_range(product, kernel.steps.end()))
    if (!step.op && step.tensor.loops.size() == maps[2].getNumResults())
      followerBits +=
          bitsOf(getElementTypeOrSelf(step.tensor.tensor.getType()));
}

bool ClusterProblem::isReduced(unsigned loop) const {
  return llvm::is_contained(body.k, loop);
}

/// Returns whether an instruction does all ops of an operand's chain: they
/// extend numbers exactly.
static bool isPartOfInstruction(ArrayRef<Operation *> chain) {
  return llvm::all_of(chain, isExactExtension);
}

Type ClusterProblem::elementType(unsigned operand) const {
  linalg::LinalgOp product = op;
  Type type = getElementTypeOrSelf(product->getOperand(operand).getType());
  if (operand == 2)
    return type;
  ArrayRef<Operation *> chain = operand == 0 ? body.lhsChain : body.rhsChain;
  return isPartOfInstruction(chain) ? type
                                    : chain.back()->getResult(0).getType();
}

int64_t ClusterProblem::elementBits(unsigned operand) const {
  linalg::LinalgOp product = op;
  return bitsOf(getElementTypeOrSelf(product->getOperand(operand).getType()));
}

bool ClusterProblem::typesFit(const MmaRow &row) const {
  linalg::LinalgOp product = op;
  bool dropsBits = mayDropBits(product);
  auto factor = [&](unsigned operand, ArrayRef<Operation *> chain) {
    return Multiplicand::get(
        getElementTypeOrSelf(product->getOperand(operand).getType()), chain);
  };
  // Other ops would have to run before the instruction, and run in its body.
  return isPartOfInstruction(body.lhsChain) &&
         isPartOfInstruction(body.rhsChain) &&
         factor(0, body.lhsChain).is(row.a, dropsBits) &&
         factor(1, body.rhsChain).is(row.b, dropsBits) &&
         elementType(2) == elementTypeOf(row.c, product.getContext()) &&
         row.blocks == 1;
}

bool ClusterProblem::hasNeighboursInK(unsigned operand) const {
  return maps[operand].getDimPosition(maps[operand].getNumResults() - 1) ==
         body.k.back();
}

bool ClusterProblem::mayTile(unsigned loop) const {
  return loop == body.m.back() || loop == body.n.back() ||
         loop == body.k.back();
}

int64_t ClusterProblem::granule(iree::MmaLayoutAttr mma, unsigned loop) const {
  if (!mma)
    return 1;
  const MmaRow *row = mma.getRow();
  if (loop == body.k.back())
    return row->k;
  if (loop == body.m.back())
    return mma.getColMajor() ? row->n : row->m;
  return loop == body.n.back() ? (mma.getColMajor() ? row->m : row->n) : 1;
}

//===----------------------------------------------------------------------===//
// Resources of tiles
//===----------------------------------------------------------------------===//

ClusterTiles ClusterTiles::get(LoweringConfigAttr config) {
  if (!config)
    return {};
  return {config.getWorkgroupTiles(), config.getReductionTiles(),
          config.getInts("subgroup"), config.getPromotedOperands(),
          config.getMmaKind()};
}

int64_t ClusterTiles::numSubgroups() const {
  int64_t count = 1;
  for (auto [whole, part] : llvm::zip_equal(workgroup, subgroup))
    if (part > 0)
      count = saturatingProduct(count, whole / part);
  return count;
}

std::optional<unsigned>
ClusterTiles::getSharedLoop(const ClusterProblem &problem,
                            int64_t clusters) const {
  for (AffineExpr result : problem.maps[2].getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (workgroup[loop] % clusters == 0 && subgroup[loop] > 0)
      return loop;
  }
  return std::nullopt;
}

bool ClusterTiles::canBeShared(const ClusterProblem &problem,
                               int64_t clusters) const {
  if (clusters == 1)
    return true;
  std::optional<unsigned> loop = getSharedLoop(problem, clusters);
  return loop && workgroup[*loop] / subgroup[*loop] % clusters == 0;
}

int64_t ClusterTiles::panelElements(const ClusterProblem &problem,
                                    unsigned operand) const {
  int64_t elements = 1;
  for (unsigned loop = 0; loop < workgroup.size(); ++loop)
    if (problem.maps[operand].isFunctionOfDim(loop))
      elements = saturatingProduct(elements,
                                   std::max(workgroup[loop], reduction[loop]));
  return elements;
}

int64_t ClusterTiles::panelBytes(const ClusterProblem &problem,
                                 unsigned operand) const {
  int64_t bytes = llvm::divideCeil(problem.elementBits(operand), 8);
  return saturatingProduct(panelElements(problem, operand), bytes);
}

/// Returns the registers of a lane for so many elements of a subgroup.
static int64_t registersOf(int64_t elements, int64_t bits, int64_t lanes) {
  return llvm::divideCeil(
      saturatingProduct(int64_t(llvm::divideCeil(elements, lanes)), bits), 32);
}

int64_t ClusterTiles::sumBits(const ClusterProblem &problem) const {
  int64_t bits = problem.elementBits(2);
  return mma ? bits : std::max<int64_t>(bits, 32);
}

int64_t ClusterTiles::resultRegisters(const ClusterProblem &problem,
                                      int64_t lanes) const {
  int64_t elements = 1;
  for (int64_t part : subgroup)
    elements = saturatingProduct(elements, std::max<int64_t>(part, 1));
  return registersOf(elements, sumBits(problem), lanes);
}

int64_t ClusterTiles::operandRegisters(const ClusterProblem &problem,
                                       int64_t lanes, bool holdsSteps) const {
  int64_t registers = 0;
  for (unsigned operand : {0, 1}) {
    int64_t elements = 1;
    for (unsigned loop = 0; loop < subgroup.size(); ++loop)
      if (problem.maps[operand].isFunctionOfDim(loop))
        elements = saturatingProduct(
            elements, !problem.isReduced(loop)
                          ? std::max<int64_t>(subgroup[loop], 1)
                      : holdsSteps ? std::max<int64_t>(reduction[loop], 1)
                                   : problem.granule(mma, loop));
    // Without an instruction a lane has rows and columns of its own box, and
    // each number in as many registers as the sum that it is extended to.
    int64_t sharing = mma ? lanes : std::max<int64_t>(1, llvm::Log2_64(lanes));
    int64_t bits = problem.elementBits(operand);
    if (!mma)
      bits = std::max(bits, sumBits(problem));
    else if (bits < 16 && !problem.hasNeighboursInK(operand))
      bits = 32; // each is loaded by itself, before they share a register
    registers += registersOf(elements, bits, sharing);
  }
  return registers;
}

int64_t ClusterTiles::computeSlots(const ClusterProblem &problem,
                                   const Target &target) const {
  int64_t points = 1;
  for (auto [box, step] : llvm::zip_equal(subgroup, reduction))
    points = saturatingProduct(points, std::max<int64_t>({box, step, 1}));
  if (!mma)
    return llvm::divideCeil(points, target.subgroupSize) *
           target.issue.multiplyAdd;
  const MmaRow &row = *target.findMma(mma.getName());
  return points / row.multiplyAdds() * row.issueCost;
}

int64_t ClusterTiles::operandSlots(const ClusterProblem &problem,
                                   const Target &target, unsigned operand,
                                   int64_t subgroups) const {
  const GlobalMemoryModel &global = target.globalMemory;
  // The elements that each subgroup reads for its own box.
  int64_t elements = 1;
  for (unsigned loop = 0; loop < subgroup.size(); ++loop)
    if (problem.maps[operand].isFunctionOfDim(loop))
      elements = saturatingProduct(elements,
                                   std::max(subgroup[loop], reduction[loop]));
  int64_t bytes = elements * problem.elementBits(operand) / 8;
  int64_t words = llvm::divideCeil(bytes, 4 * target.subgroupSize);
  int64_t sectors = panelBytes(problem, operand) / global.sectorBytes;
  if (llvm::is_contained(promoted, operand))
    return sectors * global.sectorCost +
           2 * subgroups * words * target.costs.sharedWavefront;
  return subgroups * (words * global.issueCost +
                      bytes / global.sectorBytes * global.sectorCost);
}

int64_t ClusterTiles::sharedBytes(const ClusterProblem &problem,
                                  int64_t slots) const {
  int64_t bytes = 0;
  for (int64_t operand : promoted)
    bytes = saturatingSum(bytes, panelBytes(problem, operand));
  return saturatingProduct(bytes, slots);
}

//===----------------------------------------------------------------------===//
// Keys of a user's config
//===----------------------------------------------------------------------===//

static LogicalResult checkList(const ClusterProblem &problem, StringRef key,
                               ArrayRef<int64_t> sizes) {
  linalg::LinalgOp op = problem.op;
  if (sizes.size() != op.getNumLoops())
    return op.emitOpError("has ")
           << sizes.size() << " `" << key << "` tiles for " << op.getNumLoops()
           << " loops; 0 is for a loop that has none";
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    bool wanted = problem.isReduced(loop) == (key == "reduction");
    if (size > 0 && !wanted)
      return op.emitOpError("has the `")
             << key << "` tile " << size << " for loop " << loop << ", which "
             << (problem.isReduced(loop)
                     ? "it reduces; steps of it are `reduction`"
                     : "it does not reduce; tiles of it are `workgroup`");
    if (size <= 0 && wanted)
      return op.emitOpError("has no `")
             << key << "` tile for loop " << loop
             << "; phases are formed of tiles of static size, so give it one";
  }
  return success();
}

static LogicalResult checkPromotion(linalg::LinalgOp op,
                                    LoweringConfigAttr config,
                                    const ClusterSchedule &schedule) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t operand : config.getPromotedOperands())
    if (operand > 1)
      return op.emitOpError("asks for operand ")
             << operand << " in shared memory; `promote_operands` are 0 or 1";
    else if (!seen.insert(operand).second)
      return op.emitOpError("names operand ")
             << operand << " twice in `promote_operands`";
  if (seen.empty() && schedule.overlapsSteps() &&
      config.getAttributes().contains("promote_operands"))
    return op.emitOpError("has empty `promote_operands`, and where nothing is "
                          "copied to shared memory there is nothing that ")
           << (schedule.clusters > 1
                   ? "one cluster reads while another computes"
                   : "producers could copy ahead")
           << "; promote an operand, 0 or 1, or do not specialize";
  return success();
}

LogicalResult distaff::checkClusterKeys(const ClusterProblem &problem,
                                        const Target &target,
                                        const ClusterSchedule &schedule) {
  linalg::LinalgOp op = problem.op;
  auto config =
      op->getAttrOfType<LoweringConfigAttr>(LoweringConfigAttr::attributeName);
  if (!config)
    return success();
  for (NamedAttribute entry : config.getAttributes()) {
    StringRef key = entry.getName();
    if (llvm::is_contained({"workgroup", "reduction", "subgroup"}, key)) {
      if (failed(checkList(problem, key, config.getInts(key))))
        return failure();
    } else if (!llvm::is_contained({"promote_operands", "mma_kind", "resident"},
                                   key)) {
      return op.emitOpError("asks for `")
             << key
             << "`, which the pipeline run-cluster does not read; subgroups "
                "are "
                "split by `subgroup`, the tile that each one has";
    }
  }
  if (config.getResident().value_or(1) > target.maxGrid[0])
    return op.emitOpError("asks for `resident` workgroups, ")
           << *config.getResident() << ", and " << target.name
           << " launches up to " << target.maxGrid[0]
           << "; ask for fewer, or leave it out";
  if (failed(checkPromotion(op, config, schedule)))
    return failure();
  iree::MmaLayoutAttr mma = config.getMmaKind();
  if (!mma)
    return success();
  if (std::optional<std::string> why = whyNotInstruction(target, mma))
    return op.emitOpError("asks for `mma_kind` ")
           << mma.getName() << ", " << *why;
  const MmaRow *row = mma.getRow();
  for (auto chain : {problem.body.lhsChain, problem.body.rhsChain})
    if (!isPartOfInstruction(chain))
      return op.emitOpError("asks for `mma_kind` ")
             << mma.getName() << ", and its body computes "
             << (*llvm::find_if_not(chain, isExactExtension))->getName()
             << " of an operand, which no instruction does before it "
                "multiplies; compute that by an op of its own";
  if (row->blocks > 1)
    return op.emitOpError("asks for `mma_kind` ")
           << mma.getName()
           << ", which multiplies several blocks; vector-distribute is the "
              "pipeline that lays such operands out";
  if (!problem.typesFit(*row))
    return op.emitOpError("asks for `mma_kind` ")
           << mma.getName() << ", which multiplies " << nameOf(row->a)
           << " and " << nameOf(row->b) << " into " << nameOf(row->c)
           << ", not " << problem.elementType(0) << " and "
           << problem.elementType(1) << " into " << problem.elementType(2);
  return success();
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

static LogicalResult checkDivision(const ClusterProblem &problem,
                                   const ClusterTiles &tiles) {
  linalg::LinalgOp op = problem.op;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    int64_t part = tiles.subgroup[loop], whole = tiles.workgroup[loop];
    if (part > 0 && whole % part != 0)
      return op.emitOpError("has the `subgroup` tile ")
             << part << " of loop " << loop << ", which does not divide the "
             << "`workgroup` tile " << whole << "; make it a divisor";
    int64_t size = problem.isReduced(loop) ? tiles.reduction[loop] : part;
    int64_t granule = problem.granule(tiles.mma, loop);
    if (size % granule != 0)
      return op.emitOpError("has the `")
             << (problem.isReduced(loop) ? "reduction" : "subgroup")
             << "` tile " << size << " of loop " << loop << ", of which "
             << tiles.mma.getName() << " takes " << granule
             << " at once; make it a multiple";
  }
  return success();
}

/// Checks that each of several clusters has a part of the result, of whole
/// boxes.
static LogicalResult checkClusters(const ClusterProblem &problem,
                                   const ClusterTiles &tiles,
                                   int64_t clusters) {
  if (tiles.canBeShared(problem, clusters))
    return success();
  linalg::LinalgOp op = problem.op;
  InFlightDiagnostic error = op.emitOpError("is shared out among ");
  error << clusters << " clusters, for which ";
  std::optional<unsigned> loop = tiles.getSharedLoop(problem, clusters);
  if (!loop)
    return error << "a `workgroup` tile has to be a multiple of " << clusters;
  return error << "the `workgroup` tile " << tiles.workgroup[*loop]
               << " of loop " << *loop << " has to be a multiple of "
               << clusters << " `subgroup` tiles, and is "
               << tiles.workgroup[*loop] / tiles.subgroup[*loop] << " of "
               << tiles.subgroup[*loop];
}

static LogicalResult checkSubgroups(const ClusterProblem &problem,
                                    const ClusterTiles &tiles,
                                    const Target &target, int64_t clusters,
                                    int64_t workgroupSize) {
  linalg::LinalgOp op = problem.op;
  int64_t subgroups = tiles.numSubgroups();
  if (failed(checkClusters(problem, tiles, clusters)))
    return failure();
  int64_t lanes = saturatingProduct(subgroups, target.subgroupSize);
  if (lanes > target.maxWorkgroupSize)
    return op.emitOpError("is tiled for ")
           << subgroups << " subgroups, " << lanes << " lanes; " << target.name
           << " has workgroups of up to " << target.maxWorkgroupSize
           << ", so make `subgroup` tiles larger";
  if (workgroupSize && workgroupSize != lanes)
    return op.emitOpError("is tiled for ")
           << subgroups << " subgroups of " << target.subgroupSize
           << " lanes, and its function's `workgroup_size` is " << workgroupSize
           << ", not " << lanes << "; change that or the `subgroup` tiles";
  return success();
}

LogicalResult distaff::checkClusterTiles(const ClusterProblem &problem,
                                         const ClusterTiles &tiles,
                                         const Target &target,
                                         const ClusterSchedule &schedule,
                                         int64_t workgroupSize) {
  linalg::LinalgOp op = problem.op;
  int64_t slots = schedule.slots;
  if (failed(checkDivision(problem, tiles)) ||
      failed(checkSubgroups(problem, tiles, target, schedule.clusters,
                            workgroupSize)))
    return failure();
  int64_t result = tiles.resultRegisters(problem, target.subgroupSize);
  int64_t operands = tiles.operandRegisters(problem, target.subgroupSize,
                                            schedule.clusters > 1);
  int64_t lanes = tiles.numLanes(target, schedule);
  int64_t budget = target.vectorRegistersFor(lanes);
  if (saturatingSum(result, operands) > budget)
    return op.emitOpError("needs ")
           << result << " registers per lane for its `subgroup` tile and "
           << operands << " for operands; in workgroups of " << lanes
           << " lanes " << target.name << " has " << budget
           << " for vectors, so make the `subgroup` "
           << (schedule.clusters > 1 ? "or the `reduction` " : "")
           << "tile smaller";
  int64_t bytes = tiles.sharedBytes(problem, slots);
  if (bytes > target.dynamicSharedMemoryBytes) {
    InFlightDiagnostic diagnostic = op.emitOpError("needs ")
                                    << bytes << " bytes of shared memory for ";
    if (slots > 1)
      diagnostic << slots << " slots of ";
    return diagnostic << "its promoted operands, " << target.name << " has "
                      << target.dynamicSharedMemoryBytes
                      << "; make the `workgroup` or the `reduction` tiles "
                         "smaller"
                      << (slots > 1 ? ", or the slots fewer" : "");
  }
  return success();
}

/// Checks that, without an instruction, all lanes have equally many points.
static LogicalResult checkPoints(const ClusterProblem &problem,
                                 const ClusterTiles &tiles,
                                 const Target &target) {
  int64_t points = 1;
  for (int64_t part : tiles.subgroup)
    points = saturatingProduct(points, std::max<int64_t>(part, 1));
  if (tiles.mma || points % target.subgroupSize == 0)
    return success();
  linalg::LinalgOp op = problem.op;
  InFlightDiagnostic error = op.emitOpError("has a `subgroup` tile of ")
                             << points << " points, which is ";
  if (llvm::any_of(target.mma,
                   [&](const MmaRow &row) { return problem.typesFit(row); }))
    error << "not one of whole instructions and ";
  return error << "not shared evenly by the " << target.subgroupSize
               << " lanes of a subgroup; make it a multiple";
}

LogicalResult distaff::checkFixedTiles(const ClusterProblem &problem,
                                       ClusterTiles tiles, const Target &target,
                                       ClusterSchedule schedule,
                                       int64_t workgroupSize) {
  if (tiles.subgroup.empty())
    return success();
  // Where nothing is fixed, the smallest tiles.
  if (tiles.reduction.empty())
    for (unsigned loop = 0; loop < problem.extents.size(); ++loop)
      tiles.reduction.push_back(
          problem.isReduced(loop) ? problem.granule(tiles.mma, loop) : 0);
  if (tiles.workgroup.empty()) {
    tiles.workgroup = tiles.subgroup;
    schedule.clusters = 1;
    workgroupSize = 0;
  }
  if (failed(checkPoints(problem, tiles, target)))
    return failure();
  return checkClusterTiles(problem, tiles, target, schedule, workgroupSize);
}
