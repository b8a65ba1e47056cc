//===- UserConfig.cpp - Which of a user's choices can be met --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user may override every choice (VX-113). A choice that cannot be met, and
// an attribute that no pass reads, is refused by its key: a kernel must not
// silently run in another way than the user wrote. TileSizes.cpp checks the
// sizes of tiles, where it reads them.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Legality/UserConfig.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/TileSizes.h"
#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace distaff;
using iree::LoweringConfigAttr;

/// A key that inherited kernels have and nothing here obeys, and what to do
/// instead.
struct UnreadKey {
  StringLiteral name, instead;
};
static constexpr StringLiteral ofLayouts =
    "subgroups are split by `subgroup_basis`, lanes by the layouts that follow "
    "from `mma_kind` and memory";
static constexpr UnreadKey unreadKeys[] = {
    {"subgroup", ofLayouts},
    {"thread_basis", ofLayouts},
    {"resident",
     "here each tile has a workgroup, and on the pipeline run-cluster "
     "one takes several"},
};
/// Of contractions; other ops on tensors are laid out and walked so.
static constexpr UnreadKey unreadOfContractions[] = {
    {"thread", ofLayouts},
    {"lane_basis", ofLayouts},
    {"partial_reduction",
     "a loop over partial results is chosen by `reduction`, which keeps one "
     "accumulator per result"},
};

static LogicalResult checkUnread(Operation *op, LoweringConfigAttr config,
                                 bool contracts) {
  SmallVector<UnreadKey> keys(std::begin(unreadKeys), std::end(unreadKeys));
  if (contracts)
    llvm::append_range(keys, unreadOfContractions);
  for (const UnreadKey &key : keys)
    if (config.getAttributes().contains(key.name))
      return op->emitOpError("asks for `")
             << key.name << "`, which is not supported; " << key.instead;
  if (StringRef key = config.getForeignKey(); !key.empty())
    return op->emitOpError("asks for `")
           << key << "`, which only pipelines of IREE obey; leave it out";
  return success();
}

static LogicalResult checkLists(const GroupOp &groupOp,
                                LoweringConfigAttr config) {
  size_t loops = groupOp.iterators.size();
  for (StringRef key : {"workgroup", "reduction", "partial_reduction"})
    if (config.getAttributes().contains(key) &&
        config.getInts(key).size() != loops)
      return groupOp.op->emitOpError("has ")
             << config.getInts(key).size() << " `" << key << "` tiles for "
             << loops << " loops; 0 is for a loop that is not tiled";
  return checkUnread(groupOp.op, config,
                     matchContraction(groupOp.op).has_value());
}

/// Each subgroup position has one dim, and each dim a position; but subgroups
/// that are copies of each other, which come first.
static LogicalResult checkPositions(Operation *op, size_t loops,
                                    LoweringConfigAttr config) {
  auto basis = config.getSubgroupBasis();
  if (!basis)
    return success();
  if (basis->positions.size() != loops)
    return op->emitOpError("has a `subgroup_basis` with ")
           << basis->positions.size() << " positions for " << loops << " loops";
  llvm::SmallBitVector taken(basis->counts.size());
  for (int64_t position : basis->positions) {
    if (taken.test(position) && basis->counts[position] != 1)
      return op->emitOpError("has a `subgroup_basis` in which two loops share "
                             "position ")
             << position;
    taken.set(position);
  }
  for (auto [position, count] : llvm::enumerate(basis->counts))
    if (count != 1 && position > 0 && !taken.test(position))
      return op->emitOpError("has a `subgroup_basis` in which no loop has the ")
             << count << " subgroups at position " << position;
  return success();
}

static LogicalResult checkPromotion(Operation *op, LoweringConfigAttr config) {
  SmallVector<int64_t> operands = config.getPromotedOperands();
  for (auto [at, operand] : llvm::enumerate(operands)) {
    if (operand > 1)
      return op->emitOpError("asks for operand ")
             << operand << " in shared memory; `promote_operands` are 0 or 1";
    if (llvm::is_contained(ArrayRef(operands).take_front(at), operand))
      return op->emitOpError("names operand ")
             << operand << " twice in `promote_operands`";
  }
  return success();
}

static LogicalResult checkInstruction(Operation *op, LoweringConfigAttr config,
                                      const Target &machine) {
  iree::MmaLayoutAttr kind = config.getMmaKind();
  if (!kind)
    return success();
  if (std::optional<std::string> why = whyNotInstruction(machine, kind))
    return op->emitOpError("asks for `mma_kind` ")
           << kind.getName() << ", " << *why;
  return success();
}

static LogicalResult checkContractionKeys(const GroupOp &groupOp,
                                          LoweringConfigAttr config,
                                          const Target &machine) {
  Operation *op = groupOp.op;
  if (!matchContraction(op)) {
    for (StringRef key : {"mma_kind", "promote_operands"})
      if (config.getAttributes().contains(key))
        return op->emitOpError("asks for `")
               << key << "`, which only contractions have";
    if (config.getSubgroupBasis() && !config.laysOutLanes())
      return op->emitOpError(
          "asks for `subgroup_basis`, which without `thread` "
          "or `lane_basis` only contractions have");
    return success();
  }
  if (failed(checkPromotion(op, config)) ||
      failed(checkPositions(op, groupOp.iterators.size(), config)))
    return failure();
  return checkInstruction(op, config, machine);
}

static LogicalResult checkBasis(const GroupOp &groupOp,
                                LoweringConfigAttr config,
                                const Target &machine, int64_t workgroupSize) {
  auto basis = config.getSubgroupBasis();
  if (!basis)
    return success();
  int64_t lanes = machine.subgroupSize;
  for (int64_t count : basis->counts)
    lanes = saturatingProduct(lanes, count);
  if (lanes > machine.maxWorkgroupSize)
    return groupOp.op->emitOpError(
               "asks by `subgroup_basis` for workgroups of ")
           << lanes << " lanes; " << machine.name << " has up to "
           << machine.maxWorkgroupSize;
  if (workgroupSize && workgroupSize != lanes)
    return groupOp.op->emitOpError("asks by `subgroup_basis` for ")
           << lanes << " lanes, its function's `workgroup_size` for "
           << workgroupSize;
  return success();
}

/// `partial_reduction` is what `reduction` does to an op that is no
/// contraction.
static LogicalResult nameWalk(const GroupOp &groupOp,
                              LoweringConfigAttr &config) {
  StringRef partial = "partial_reduction";
  if (!config.getAttributes().contains(partial))
    return success();
  if (llvm::any_of(config.getReductionTiles(), [](int64_t t) { return t; }))
    return groupOp.op->emitOpError("has tiles by `reduction` and by "
                                   "`partial_reduction`, which are the same "
                                   "here: partial results for each element of "
                                   "a tile");
  NamedAttrList entries(config.getAttributes());
  entries.set("reduction", entries.erase(partial));
  config = LoweringConfigAttr::get(config.getContext(),
                                   entries.getDictionary(config.getContext()));
  groupOp.op->setAttr(LoweringConfigAttr::attributeName, config);
  return success();
}

/// A layout is that of an operand with all loops.
static LogicalResult checkLaneTiles(const GroupOp &groupOp, Operation *root,
                                    LoweringConfigAttr config,
                                    const Target &machine) {
  if (!config.laysOutLanes())
    return success();
  Operation *op = groupOp.op;
  if (op != root) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("says how lanes share its tile");
    diagnostic.attachNote(root->getLoc())
        << "layouts follow from those of this op";
    return diagnostic;
  }
  if (!llvm::any_of(groupOp.operandMaps,
                    [](AffineMap map) { return map.isPermutation(); }))
    return op->emitOpError("says how lanes share its tile, and has no input "
                           "with all of its loops to lay out");
  std::string why;
  SmallVector<int64_t> ones(groupOp.iterators.size(), 0);
  if (!layOutTile(config, ones, machine.subgroupSize, why))
    return op->emitOpError("has a `lowering_config` in which ") << why;
  return success();
}

LogicalResult distaff::checkUserConfigs(const FusedGroup &group,
                                        const Target &machine,
                                        int64_t workgroupSize) {
  Operation *root = group.root()->op;
  for (const GroupOp &groupOp : group.ops()) {
    auto config = groupOp.op->getAttrOfType<LoweringConfigAttr>(
        LoweringConfigAttr::attributeName);
    if (!config)
      continue;
    if (failed(checkLists(groupOp, config)) ||
        failed(nameWalk(groupOp, config)) ||
        failed(checkContractionKeys(groupOp, config, machine)) ||
        failed(checkLaneTiles(groupOp, root, config, machine)) ||
        failed(checkBasis(groupOp, config, machine, workgroupSize)))
      return failure();
    for (StringRef key : {"workgroup", "reduction"})
      if (groupOp.op != root && config.getAttributes().contains(key)) {
        InFlightDiagnostic diagnostic = groupOp.op->emitOpError("has ");
        if (config.getAttributes().contains("native_vector"))
          diagnostic << "a native_vector of its own, and is computed on tiles "
                        "of another op in one launch; give the native_vector "
                        "to that op";
        else
          diagnostic << "`" << key << "` tiles of its own";
        diagnostic.attachNote(root->getLoc())
            << "the kernel is tiled by those of this op";
        return diagnostic;
      }
  }
  return success();
}

LogicalResult distaff::moveConfigToRoot(func::FuncOp kernel, Operation *root) {
  constexpr StringRef name = LoweringConfigAttr::attributeName;
  auto asked = kernel->getAttrOfType<LoweringConfigAttr>(name);
  if (!asked)
    return success();
  if (!root)
    return kernel.emitOpError("has a `lowering_config`, and no op whose tiles "
                              "it could be about");
  kernel->removeAttr(name);
  NamedAttrList entries;
  if (auto own = root->getAttrOfType<LoweringConfigAttr>(name))
    entries = own.getAttributes();
  for (NamedAttribute entry : asked.getAttributes())
    entries.set(entry.getName(), entry.getValue());
  MLIRContext *context = kernel.getContext();
  root->setAttr(
      name, LoweringConfigAttr::get(context, entries.getDictionary(context)));
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes that no pass reads
//===----------------------------------------------------------------------===//

/// On vectors, a contraction reads how it is to be distributed; there are no
/// tiles to choose any more.
static LogicalResult checkVectorConfig(Operation *op, LoweringConfigAttr config,
                                       const Target &machine,
                                       int64_t workgroupSize) {
  auto contraction = dyn_cast<vector::ContractionOp>(op);
  if (!contraction)
    return op->emitOpError("has a `lowering_config`, which nothing reads: it "
                           "belongs on linalg ops and on vector.contract");
  for (StringRef key : {"workgroup", "reduction"})
    if (config.getAttributes().contains(key))
      return op->emitOpError("has `")
             << key << "` tiles; on vectors the author has written the loops, "
             << "only linalg ops are tiled";
  size_t loops = contraction.getIndexingMapsArray()[0].getNumDims();
  if (failed(checkUnread(op, config, /*contracts=*/true)) ||
      failed(checkPromotion(op, config)) ||
      failed(checkPositions(op, loops, config)) ||
      failed(checkInstruction(op, config, machine)))
    return failure();
  if (!config.getMmaKind() && !config.getSubgroupBasis())
    return success();
  auto isAnchored = [](Value value) {
    return value.getDefiningOp<vector_ext::ToLayoutOp>() != nullptr;
  };
  if (isAnchored(contraction.getLhs()) && isAnchored(contraction.getRhs()))
    return op->emitOpError("has a `lowering_config` and operands with layouts "
                           "of their own; name the instruction on the "
                           "to_layout ops, or leave the layouts out");
  int64_t subgroups =
      (workgroupSize ? workgroupSize : machine.maxWorkgroupSize) /
      machine.subgroupSize;
  ContractionProblem problem = ContractionProblem::get(contraction);
  if (!enumerateMma(problem, machine, subgroups).empty())
    return success();
  problem.config = nullptr;
  InFlightDiagnostic diagnostic =
      op->emitOpError("asks by its `lowering_config` for what does not fit: ");
  if (enumerateMma(problem, machine, subgroups).empty())
    return diagnostic << whyNoMma(problem, machine);
  return diagnostic << "no instruction with that `mma_kind` and "
                       "`subgroup_basis` divides its extents";
}

static LogicalResult checkTranslationInfo(func::FuncOp kernel) {
  constexpr StringRef name = iree::TranslationInfoAttr::attributeName;
  Attribute attr = kernel->getAttr(name);
  if (!attr)
    return success();
  auto info = dyn_cast<iree::TranslationInfoAttr>(attr);
  if (!info)
    return kernel.emitOpError("has a `translation_info` that is no "
                              "#iree_codegen.translation_info: ")
           << attr;
  if (DictionaryAttr options = info.getConfiguration();
      options && !options.empty())
    return kernel.emitOpError("has the unknown option `")
           << options.begin()->getName().getValue()
           << "` in its translation_info; no options are known";
  return success();
}

LogicalResult distaff::checkAttributes(func::FuncOp kernel,
                                       const Target &machine) {
  if (failed(checkTranslationInfo(kernel)) ||
      failed(verifyAnchors(kernel, &machine)))
    return failure();
  bool onTensors = mentionsTensors(kernel);
  int64_t workgroupSize = UserChoices::get(kernel).workgroupSize;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    Attribute attr = op->getDiscardableAttr(LoweringConfigAttr::attributeName);
    if (!attr)
      return WalkResult::advance();
    auto config = dyn_cast<LoweringConfigAttr>(attr);
    if (!config)
      return op->emitOpError("has a `lowering_config` that is no "
                             "#iree_gpu.lowering_config: ")
             << attr;
    if (!onTensors && op == kernel)
      return op->emitOpError(
          "has a `lowering_config`, of its own or by --config, and no tensors "
          "that could be tiled; on vectors it belongs on each vector.contract");
    if (!onTensors)
      return checkVectorConfig(op, config, machine, workgroupSize);
    if (op != kernel && !isa<linalg::LinalgOp, linalg::SoftmaxOp>(op))
      return op->emitOpError("has a `lowering_config`, which nothing reads: it "
                             "belongs on linalg ops and on vector.contract");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

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
