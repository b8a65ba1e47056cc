//===- Search.cpp - Ranking of candidates of a kernel ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps keep their whole result in the IR or in the ranking: ranking, and
// writing a candidate as attributes. The ranker has both.
//
//===----------------------------------------------------------------------===//
#include "distaff/Configure/Search.h"
#include "AttentionSteps.h"
#include "MatrixRegisterTiles.h"
#include "RankedKernels.h"
#include "Unrolled.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace distaff;
using iree::LoweringConfigAttr;
using iree::TranslationInfoAttr;

//===----------------------------------------------------------------------===//
// Ranking
//===----------------------------------------------------------------------===//

static LoweringConfigAttr configOf(Operation *root) {
  return root->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
}

/// Returns the lanes that a user's lowering_config requires, or 0.
static int64_t lanesOf(LoweringConfigAttr config, int64_t subgroupSize) {
  auto basis = config.getSubgroupBasis();
  if (!basis)
    return 0;
  int64_t lanes = subgroupSize;
  for (int64_t count : basis->counts)
    lanes = saturatingProduct(lanes, count);
  return lanes;
}

/// Diagnoses that no candidate was left, and which ops keep workgroups from
/// sharing the root's loops.
static LogicalResult diagnoseNoTiles(const FusedGroup &group,
                                     const Target &target) {
  const GroupOp &root = *group.root();
  InFlightDiagnostic diagnostic =
      root.op->emitOpError("has no tile sizes that fit into the registers of ")
      << target.name;
  for (auto [loop, axis] : llvm::enumerate(root.axes)) {
    if (root.iterators[loop] == utils::IteratorType::reduction ||
        group.axes()[axis].mayBeGridAxis())
      continue;
    for (const GroupOp &other : group.ops()) {
      std::optional<unsigned> theirs = other.loopOf(axis);
      if (isa<linalg::FillOp>(other.op) ||
          (theirs && other.iterators[*theirs] == utils::IteratorType::parallel))
        continue;
      diagnostic.attachNote(other.op->getLoc())
          << "workgroups cannot share its loop " << loop << ", which this op "
          << (theirs ? "reduces" : "lacks") << "; in a kernel of its own "
          << "either op may be tiled";
      break;
    }
  }
  return diagnostic;
}

/// Warns where most lanes of each workgroup are idle.
static void warnOfIdleLanes(const FusedGroup &group, const Candidate &candidate,
                            const Target &target) {
  const GroupOp &root = *group.root();
  if (candidate.workgroups == 1 ||
      2 * candidate.busyLanes > target.subgroupSize)
    return;
  std::string extents;
  llvm::raw_string_ostream stream(extents);
  llvm::interleave(
      root.axes, stream,
      [&](unsigned axis) { stream << group.axes()[axis].extent; }, "x");
  root.op->emitWarning()
      << "'" << root.op->getName() << "' op: only " << candidate.busyLanes
      << " of " << target.subgroupSize << " lanes are active in each of "
      << candidate.workgroups << " workgroups; no better tiling of " << extents
      << " was found (the search is not exhaustive): --config workgroup=... "
         "sets another";
}

/// Returns a candidate with the user's choices and no price.
static Candidate usersOwn(int64_t workgroupSize) {
  Candidate candidate;
  candidate.workgroupSize = workgroupSize;
  candidate.isUsers = true;
  candidate.description = "as the kernel asks";
  return candidate;
}

/// Diagnoses why no candidate of `ranking` is acceptable, if none is.
static LogicalResult checkRanking(const FusedGroup &group,
                                  const UserChoices &user, const Target &target,
                                  const Ranking &ranking) {
  Operation *root = group.root()->op;
  if (ranking.empty() && user.config && user.config.getMmaKind())
    return root->emitOpError("asks for `mma_kind` ")
           << user.config.getMmaKind().getRow()->name
           << ", which does not fit its element types, or no tile that may be "
              "chosen";
  if (ranking.empty() && !(user.config && user.workgroupSize))
    return diagnoseNoTiles(group, target);
  if (!ranking.empty() && matchContraction(root) && user.config &&
      user.config.getSubgroupBasis() && ranking.winner().subgroups.empty())
    return root->emitOpError(
        "asks for `subgroup_basis`, which splits the tiles of MMA instructions "
        "over subgroups, and no instruction fits its types and tiles so split");
  return success();
}

static LogicalResult rankTensors(func::FuncOp kernel, const Target &target,
                                 UserChoices user, Ranking &ranking,
                                 RankedKernels *ranked) {
  FusedGroup group = FusedGroup::of(kernel);
  if (!group.root() && computedResults(kernel.getBody().front()).empty()) {
    ranking.add(usersOwn(user.workgroupSize ? user.workgroupSize
                                            : target.subgroupSize));
    return success();
  }
  if (!group.root())
    return kernel.emitOpError("computes nothing");
  if (failed(checkUserConfigs(group, target, user.workgroupSize)))
    return failure();
  Operation *root = group.root()->op;
  user.config = configOf(root);
  if (user.config && !user.workgroupSize)
    user.workgroupSize = lanesOf(user.config, target.subgroupSize);
  if (const Ranking *known = ranked ? ranked->find(kernel, user) : nullptr) {
    ranking = *known;
  } else {
    if (matchProduct(root))
      rankContraction(group, target, user, ranking);
    else
      rankRows(group, target, user, ranking);
    if (ranked && ranking.isComplete())
      ranked->add(kernel, user, ranking);
  }
  if (failed(checkRanking(group, user, target, ranking)))
    return failure();
  // No candidate was found here, but the user's choice is kept.
  if (ranking.empty())
    ranking.add(usersOwn(user.workgroupSize));
  else if (!user.config)
    warnOfIdleLanes(group, ranking.winner(), target);
  return success();
}

static FailureOr<Ranking> rankOnce(func::FuncOp kernel, const Target &target,
                                   const UserChoices &user, Ranking ranking,
                                   RankedKernels *ranked) {
  if (mentionsTensors(kernel) && !comesTiled(kernel)) {
    if (failed(rankTensors(kernel, target, user, ranking, ranked)))
      return failure();
  } else if (user.workgroupSize) {
    ranking.add(usersOwn(user.workgroupSize));
  } else {
    rankVectors(kernel, target, ranking);
  }
  return ranking;
}

FailureOr<Ranking> distaff::rankKernel(func::FuncOp kernel,
                                       const Target &target,
                                       const UserChoices &user, size_t kept) {
  return rankOnce(kernel, target, user, Ranking(kept), nullptr);
}

FailureOr<Ranking> distaff::rankKernel(func::FuncOp kernel,
                                       const UserChoices &user,
                                       RankedKernels &ranked,
                                       int64_t mostCost) {
  return rankOnce(kernel, ranked.getTarget(), user,
                  Ranking(Ranking::keptByDefault, mostCost), &ranked);
}

//===----------------------------------------------------------------------===//
// Candidates as attributes
//===----------------------------------------------------------------------===//

static ArrayAttr intArray(Builder &builder, ArrayRef<int64_t> values) {
  return builder.getI64ArrayAttr(values);
}

/// Returns the candidate as an attribute; what the user wrote stays. Subgroups
/// that the op's loops do not share compute the same: they belong to no loop,
/// and come first.
static LoweringConfigAttr makeConfig(MLIRContext *context,
                                     const Candidate &candidate,
                                     const Target &target,
                                     LoweringConfigAttr user) {
  Builder builder(context);
  NamedAttrList entries;
  entries.set("workgroup", intArray(builder, candidate.workgroupTiles));
  entries.set("reduction", intArray(builder, candidate.reductionTiles));
  if (!candidate.subgroups.empty()) {
    SmallVector<int64_t> counts = candidate.subgroups;
    int64_t copies = candidate.workgroupSize / target.subgroupSize /
                     saturatingProduct(counts);
    if (copies > 1)
      counts.insert(counts.begin(), copies);
    int64_t first = counts.size() - candidate.subgroups.size();
    SmallVector<int64_t> positions =
        llvm::to_vector(llvm::seq<int64_t>(first, counts.size()));
    entries.set("subgroup_basis",
                builder.getArrayAttr(
                    {intArray(builder, counts), intArray(builder, positions)}));
  }
  if (candidate.mma)
    entries.set("mma_kind", candidate.mma);
  if (!candidate.promoted.empty())
    entries.set("promote_operands", intArray(builder, candidate.promoted));
  if (user)
    for (NamedAttribute entry : user.getAttributes())
      entries.set(entry.getName(), entry.getValue());
  return LoweringConfigAttr::get(context, entries.getDictionary(context));
}

void distaff::setLaunchShape(func::FuncOp kernel, int64_t workgroupSize,
                             int64_t subgroupSize, StringRef name) {
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  SmallVector<int64_t> size = {workgroupSize, 1, 1};
  StringAttr pipeline;
  DictionaryAttr configuration;
  if (!name.empty())
    pipeline = StringAttr::get(kernel.getContext(), name);
  if (info) {
    if (name.empty())
      pipeline = info.getPipeline();
    configuration = info.getConfiguration();
    if (!info.getWorkgroupSize().empty()) {
      size = llvm::to_vector(info.getWorkgroupSize());
      size.resize(3, 1);
    }
  }
  kernel->setAttr(TranslationInfoAttr::attributeName,
                  TranslationInfoAttr::get(kernel.getContext(), pipeline, size,
                                           subgroupSize, configuration));
}

/// Checks that lanes can share the root's tile as its config specifies.
static LogicalResult checkLaneTiles(const FusedGroup &group,
                                    LoweringConfigAttr config,
                                    const Target &target) {
  const GroupOp &root = *group.root();
  if (!config.laysOutLanes())
    return success();
  SmallVector<int64_t> tile;
  for (auto [loop, axis] : llvm::enumerate(root.axes)) {
    int64_t extent = group.axes()[axis].extent;
    for (StringRef key : {"workgroup", "reduction"})
      if (int64_t size = tileOf(config, key, loop))
        extent = std::min(extent, size);
    tile.push_back(extent);
  }
  std::string why;
  if (layOutTile(config, tile, target.subgroupSize, why))
    return success();
  return root.op->emitOpError("has a `lowering_config` that does not fit: ")
         << why;
}

/// Checks the tiles of the root's lowering_config, which may be the user's.
static LogicalResult checkTiles(const FusedGroup &group, const Target &target,
                                int64_t lanes, bool strictFp) {
  FailureOr<SmallVector<int64_t>> workgroup = readWorkgroupTiles(group),
                                  serial = readSerialTiles(group, strictFp);
  if (failed(workgroup) || failed(serial) ||
      failed(checkTilesTogether(group, *workgroup, *serial)))
    return failure();
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
  if (failed(checkLaneTiles(group, config, target)))
    return failure();
  // A core has an attention's tiles in memory, and loops over them.
  bool isInMemory = target.isHost() && featuresOfAttention(root);
  int64_t most = isInMemory ? attentionElements(target)
                            : lanes * target.registersPerLane +
                                  MatrixRegisterTiles(group, target, strictFp)
                                      .elementsOf(config.getWorkgroupTiles(),
                                                  config.getReductionTiles());
  std::optional<Misfit> misfit = findMisfit(group, config.getWorkgroupTiles(),
                                            config.getReductionTiles(), most);
  if (!misfit) {
    if (!isInMemory)
      warnOfUnrolledCode(group, target, lanes);
    return success();
  }
  if (config.getAttributes().contains("native_vector"))
    return root->emitOpError("has a native_vector, by which '")
           << misfit->op->getName() << "' takes " << misfit->elements
           << " elements at once in one workgroup, whose registers hold "
           << most << "; give a smaller native_vector";
  InFlightDiagnostic diagnostic =
      misfit->op->emitOpError("needs ")
      << misfit->elements << " elements at once in one workgroup of " << lanes
      << " lanes, which have room for " << most
      << (config.getWorkgroupTiles().empty()
              ? ": it is no part of a tile of the op that tiles are chosen "
                "for; "
                "make it a kernel of its own"
              : "; give smaller `workgroup` or `reduction` tiles");
  if (misfit->op != root)
    diagnostic.attachNote(root->getLoc()) << "tiles are chosen for this op";
  return diagnostic;
}

LogicalResult distaff::applyCandidate(func::FuncOp kernel,
                                      const Candidate &candidate,
                                      const Target &target, bool strictFp) {
  setLaunchShape(kernel, candidate.workgroupSize, target.subgroupSize);
  if (!mentionsTensors(kernel) || comesTiled(kernel))
    return success();
  FusedGroup group = FusedGroup::of(kernel);
  if (!group.root())
    return success();
  Operation *root = group.root()->op;
  if (!candidate.isUsers)
    root->setAttr(
        LoweringConfigAttr::attributeName,
        makeConfig(kernel.getContext(), candidate, target, configOf(root)));
  return checkTiles(group, target, candidate.workgroupSize, strictFp);
}

//===----------------------------------------------------------------------===//
// The ranker
//===----------------------------------------------------------------------===//

namespace {
/// Ranks and applies as the functions above do, and keeps rankings.
class CachingRanker final : public KernelRanker {
public:
  explicit CachingRanker(const Target &target) : ranked(target) {}

  const Target &target() const override { return ranked.getTarget(); }

  FailureOr<Ranking> rank(func::FuncOp kernel, const UserChoices &user,
                          int64_t mostCost) override {
    return rankKernel(kernel, user, ranked, mostCost);
  }

  LogicalResult apply(func::FuncOp kernel, const Candidate &candidate,
                      bool strictFp) override {
    return applyCandidate(kernel, candidate, target(), strictFp);
  }

private:
  RankedKernels ranked;
};
} // namespace

RankerSource distaff::makeRankers() {
  // Targets of one compilation differ in no more than this.
  using Key = std::tuple<std::string, int64_t, bool>;
  auto rankers =
      std::make_shared<std::map<Key, std::shared_ptr<CachingRanker>>>();
  return [rankers](const Target &target, bool strictFp) {
    std::shared_ptr<CachingRanker> &ranker =
        (*rankers)[{target.name.str(), target.maxWorkgroupSize, strictFp}];
    if (!ranker)
      ranker = std::make_shared<CachingRanker>(
          strictFp ? keepingFloatOrder(target) : target);
    return ranker;
  };
}
