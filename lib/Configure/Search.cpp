//===- Search.cpp - Rank the ways to run a kernel, apply one --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps that leave everything they found in the IR or in the ranking: to
// a form that can be ranked, the ranking, and a candidate as attributes.
//
//===----------------------------------------------------------------------===//
#include "distaff/Configure/Search.h"
#include "AttentionSteps.h"
#include "BodyForms.h"
#include "ControlFlow.h"
#include "InputLegality.h"
#include "MatrixTiles.h"
#include "RankedKernels.h"
#include "ReadThrough.h"
#include "Recurrences.h"
#include "Unrolled.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Configure/LogSumExp.h"
#include "distaff/Configure/Scans.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;
using iree::LoweringConfigAttr;
using iree::TranslationInfoAttr;

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

LogicalResult distaff::checkLaunchShape(func::FuncOp kernel,
                                        const Target &target) {
  UserChoices user = UserChoices::get(kernel);
  if (user.subgroupSize && user.subgroupSize != target.subgroupSize)
    return kernel.emitOpError("asks for subgroups of ")
           << user.subgroupSize << " lanes, those of " << target.name
           << " have " << target.subgroupSize;
  if (user.workgroupSize > target.maxWorkgroupSize ||
      user.workgroupSize % target.subgroupSize != 0)
    return kernel.emitOpError("asks for workgroups of ")
           << user.workgroupSize << " lanes; " << target.name
           << " takes multiples of " << target.subgroupSize << " up to "
           << target.maxWorkgroupSize;
  return success();
}

/// Whether upstream's patterns take unit loops out of a product as it is: their
/// ops extend by the sign, and of two loops with a dynamic extent between them
/// they make a shape that nothing can cut.
static bool mayDropUnitLoops(linalg::LinalgOp op) {
  auto cast = op->getAttrOfType<linalg::TypeFnAttr>("cast");
  if (op->hasAttr(LoweringConfigAttr::attributeName) ||
      (cast && cast.getValue() == linalg::TypeFn::cast_unsigned))
    return false;
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() <= 2 || tensor.hasStaticShape());
  });
}

/// The ops of attentions of several rows: a batch of one is theirs like others.
static llvm::SmallPtrSet<Operation *, 8> attentionsOf(func::FuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> ops;
  kernel.walk([&](linalg::LinalgOp op) {
    std::optional<ContractionBody> body = matchContraction(op);
    if (!body)
      return;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    if (llvm::any_of(body->m,
                     [&](unsigned loop) { return extents[loop] != 1; }))
      ops.insert_range(findAttention(op));
  });
  return ops;
}

/// Takes loops of one step out of products, which are then products by a
/// vector: of these nothing is used twice, and there are no tiles to choose.
/// Those of which the user has chosen tiles stay. Of a CPU: instructions of
/// GPUs have rows and columns to fill.
static void dropUnitLoops(func::FuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> attentions = attentionsOf(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](linalg::LinalgOp op) {
    if (mayDropUnitLoops(op) && !attentions.contains(op))
      ops.push_back(op);
  });
  RewritePatternSet patterns(kernel.getContext());
  linalg::populateContractionOpRankReducingPatterns(patterns);
  (void)applyOpPatternsGreedily(ops, guarded(std::move(patterns)));
}

LogicalResult distaff::prepareKernel(func::FuncOp kernel, const Target &target,
                                     bool strictFp) {
  // A pass has loaded them before; other callers need not know what is made.
  kernel.getContext()
      ->loadDialect<affine::AffineDialect, iree::IREECodegenDialect,
                    iree::IREEGPUDialect, core::DistaffDialect,
                    arith::ArithDialect, linalg::LinalgDialect,
                    memref::MemRefDialect, tensor::TensorDialect,
                    vector::VectorDialect>();
  bool isRaised = mentionsTensors(kernel) && !comesTiled(kernel) &&
                  kernel.getBody().hasOneBlock();
  if (isRaised && strictFp && failed(checkLogSumExpOrder(kernel)))
    return failure();
  if (isRaised && !strictFp)
    splitLogSumExp(kernel);
  if (isRaised && target.isHost() &&
      !kernel->hasAttr(LoweringConfigAttr::attributeName))
    dropUnitLoops(kernel);
  if (isRaised && (failed(flattenBodyBranches(kernel)) ||
                   failed(attachBodyAssertions(kernel))))
    return failure();
  if (isRaised && failed(countConditionalLoops(kernel)))
    return failure();
  if (isRaised)
    raiseScans(kernel, target, strictFp);
  if (isRaised)
    raiseRecurrences(kernel);
  if (isRaised &&
      (failed(straightenControlFlow(kernel)) || failed(raiseTensorOps(kernel))))
    return failure();
  if (isRaised) {
    splitResults(kernel);
    separateZeroPoints(kernel);
    widenBits(kernel);
  }
  // Layouts are of whole tensors, also of those that a branch yields.
  if (laysOutTensors(kernel) &&
      (failed(selectBranches(kernel)) ||
       (!findWorkgroupLoop(kernel) && failed(raiseMovements(kernel)))))
    return failure();
  if (failed(checkForm(kernel, target)) ||
      failed(checkAttributes(kernel, target)) ||
      failed(passVectorsInMemory(kernel)) ||
      failed(checkLaunchShape(kernel, target)))
    return failure();
  // Around a loop over workgroups nothing is left to be brought into a form.
  if (!mentionsTensors(kernel) || findWorkgroupLoop(kernel))
    return success();
  if (failed(normalizeTensors(kernel)))
    return failure();
  return isRaised ? readThroughElementwise(kernel) : success();
}

/// Elements that a body takes out of a tensor of its surroundings are of no
/// operand that phases could share out.
static LogicalResult checkGathers(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](tensor::ExtractOp op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      return WalkResult::advance();
    op.emitOpError("takes elements at places that are computed, and phases "
                   "share out whole operands; --pipeline=vector-distribute "
                   "takes such a kernel");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Bytes that elements of a result share are written by a launch of their own,
/// and phases are all of one.
static LogicalResult checkNothingPacked(func::FuncOp kernel) {
  for (Type type : kernel.getResultTypes())
    if (isPackedElement(getElementTypeOrSelf(type)))
      return kernel.emitOpError("returns ")
             << type << ", of which several elements share a byte, and phases "
             << "write single elements; --pipeline=vector-distribute takes "
                "such a kernel";
  return success();
}

LogicalResult distaff::prepareForClusters(func::FuncOp kernel,
                                          const Target &target) {
  if (!mentionsTensors(kernel))
    return kernel.emitOpError("has no tensors to form phases of; "
                              "--pipeline=vector-distribute takes vectors");
  if (failed(checkForm(kernel, target, /*isTiledByPhases=*/true)) ||
      failed(checkAttributes(kernel, target)) || failed(checkGathers(kernel)) ||
      failed(checkNothingPacked(kernel)) ||
      failed(passVectorsInMemory(kernel)) ||
      failed(checkLaunchShape(kernel, target)))
    return failure();
  return normalizeTensors(kernel);
}

//===----------------------------------------------------------------------===//
// Ranking
//===----------------------------------------------------------------------===//

static FusedGroup groupOf(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  return FusedGroup::get(body, body.getTerminator()->getOperands());
}

Operation *distaff::findRoot(func::FuncOp kernel) {
  FusedGroup group = groupOf(kernel);
  return group.root() ? group.root()->op : nullptr;
}

static LoweringConfigAttr configOf(Operation *root) {
  return root->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
}

/// Lanes that a user's lowering_config asks for, or 0.
static int64_t lanesOf(LoweringConfigAttr config, int64_t subgroupSize) {
  auto basis = config.getSubgroupBasis();
  if (!basis)
    return 0;
  int64_t lanes = subgroupSize;
  for (int64_t count : basis->counts)
    lanes = saturatingProduct(lanes, count);
  return lanes;
}

/// Says that no candidate was left, and which ops keep workgroups from sharing
/// the root's loops.
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

/// Says where most lanes of each workgroup have nothing to do.
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

/// What the user fixed, priced against nothing.
static Candidate usersOwn(int64_t workgroupSize) {
  Candidate candidate;
  candidate.workgroupSize = workgroupSize;
  candidate.isUsers = true;
  candidate.description = "as the kernel asks";
  return candidate;
}

/// Says why no candidate of `ranking` will do, if none does.
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
  FusedGroup group = groupOf(kernel);
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
  // Nothing that would be chosen here, but the user may know better.
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
                                       const Target &target,
                                       const UserChoices &user,
                                       RankedKernels &ranked,
                                       int64_t mostCost) {
  assert(ranked.isOf(target) && "prices are of one target");
  return rankOnce(kernel, target, user,
                  Ranking(Ranking::keptByDefault, mostCost), &ranked);
}

//===----------------------------------------------------------------------===//
// Writing a candidate down
//===----------------------------------------------------------------------===//

static ArrayAttr intArray(Builder &builder, ArrayRef<int64_t> values) {
  return builder.getI64ArrayAttr(values);
}

/// The candidate as an attribute; what the user wrote stays. Subgroups that the
/// op's loops do not share compute the same: they are of no loop, and come
/// first.
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

/// Checks that lanes can share the root's tile as its config says.
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
                                  MatrixTiles(group, target, strictFp)
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
  FusedGroup group = groupOf(kernel);
  if (!group.root())
    return success();
  Operation *root = group.root()->op;
  if (!candidate.isUsers)
    root->setAttr(
        LoweringConfigAttr::attributeName,
        makeConfig(kernel.getContext(), candidate, target, configOf(root)));
  return checkTiles(group, target, candidate.workgroupSize, strictFp);
}
