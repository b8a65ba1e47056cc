//===- Configure.cpp - Choose workgroup, tiles and instructions -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass itself: check the form, bring it to one of two, rank the candidates
// of whatever the kernel's root is, write the winner down, log the losers.
//
//===----------------------------------------------------------------------===//
#include "Unrolled.h"
#include "distaff/Analysis/Anchors.h"
#include "distaff/Analysis/ContractionBody.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/TileSizes.h"
#include "distaff/Analysis/UnknownTarget.h"
#include "distaff/Configure/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_CONFIGURE
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using compat::LoweringConfigAttr;
using compat::TranslationInfoAttr;

//===----------------------------------------------------------------------===//
// Writing the winner down
//===----------------------------------------------------------------------===//

static ArrayAttr intArray(Builder &builder, ArrayRef<int64_t> values) {
  return builder.getI64ArrayAttr(values);
}

/// The candidate as an attribute; what the user wrote stays.
static LoweringConfigAttr makeConfig(MLIRContext *context,
                                     const Candidate &candidate,
                                     LoweringConfigAttr user) {
  Builder builder(context);
  NamedAttrList entries;
  entries.set("workgroup", intArray(builder, candidate.workgroupTiles));
  entries.set("reduction", intArray(builder, candidate.reductionTiles));
  if (!candidate.subgroups.empty()) {
    SmallVector<int64_t> positions =
        llvm::to_vector(llvm::seq<int64_t>(0, candidate.subgroups.size()));
    entries.set("subgroup_basis",
                builder.getArrayAttr({intArray(builder, candidate.subgroups),
                                      intArray(builder, positions)}));
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

/// Completes the kernel's translation_info; what the user wrote stays.
static void setLaunchShape(func::FuncOp kernel, int64_t workgroupSize,
                           int64_t subgroupSize) {
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  SmallVector<int64_t> size = {workgroupSize, 1, 1};
  StringAttr pipeline;
  DictionaryAttr configuration;
  if (info) {
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

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class ConfigurePass final : public distaff::impl::ConfigureBase<ConfigurePass> {
public:
  ConfigurePass() = default;
  explicit ConfigurePass(ConfigureOptions options, DecisionLog *log = nullptr)
      : ConfigureBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *machine = lookupTarget(target);
    if (!machine) {
      reportUnknownTarget(getOperation()->getLoc(), target);
      return signalPassFailure();
    }
    Target strict = keepingFloatOrder(*machine);
    if (strictFp)
      machine = &strict;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (kernel.isDeclaration() || kernel.getName().ends_with("__grid"))
        continue;
      if (failed(configure(kernel, *machine)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult configure(func::FuncOp kernel, const Target &machine);
  LogicalResult configureTensors(func::FuncOp kernel, const Target &machine,
                                 UserChoices user);
  void record(func::FuncOp kernel, StringRef subject, const Ranking &ranking);

  DecisionLog *log = nullptr;
};
} // namespace

void ConfigurePass::record(func::FuncOp kernel, StringRef subject,
                           const Ranking &ranking) {
  if (!log)
    return;
  ChoiceDecision decision{
      kernel.getLoc(), kernel.getName().str(), subject.str(), {}, {}};
  for (const Candidate &candidate : ranking.all()) {
    Alternative alternative{candidate.description, candidate.cost, ""};
    if (&candidate == &ranking.winner())
      decision.chosen = alternative;
    else
      decision.losers.push_back(alternative);
  }
  log->choices.push_back(std::move(decision));
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

/// Checks the tiles of the root's lowering_config, which may be the user's.
static LogicalResult checkTiles(const FusedGroup &group, const Target &machine,
                                int64_t lanes, bool strictFp) {
  if (failed(readWorkgroupTiles(group)) ||
      failed(readSerialTiles(group, strictFp)))
    return failure();
  Operation *root = group.root()->op;
  auto config = root->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
  std::optional<Misfit> misfit =
      findMisfit(group, config.getWorkgroupTiles(), config.getReductionTiles(),
                 lanes * machine.registersPerLane);
  if (!misfit) {
    warnOfUnrolledCode(group, machine, lanes);
    return success();
  }
  InFlightDiagnostic diagnostic =
      misfit->op->emitOpError("needs ")
      << misfit->elements << " elements at once in one workgroup of " << lanes
      << " lanes: it does not fuse into one launch with the rest of the "
         "kernel, and several launches are not supported yet";
  if (misfit->op != root)
    diagnostic.attachNote(root->getLoc()) << "tiles are chosen for this op";
  return diagnostic;
}

/// Says that no candidate was left, and which ops keep workgroups from sharing
/// the root's loops.
static LogicalResult diagnoseNoTiles(const FusedGroup &group,
                                     const Target &machine) {
  const GroupOp &root = *group.root();
  InFlightDiagnostic diagnostic =
      root.op->emitOpError("has no tile sizes that divide its extents and fit "
                           "into the registers of ")
      << machine.name;
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
                            const Target &machine) {
  const GroupOp &root = *group.root();
  if (candidate.workgroups == 1 ||
      2 * candidate.busyLanes > machine.subgroupSize)
    return;
  std::string extents;
  llvm::raw_string_ostream stream(extents);
  llvm::interleave(
      root.axes, stream,
      [&](unsigned axis) { stream << group.axes()[axis].extent; }, "x");
  root.op->emitWarning()
      << "'" << root.op->getName() << "' op has work for "
      << candidate.busyLanes << " of the " << machine.subgroupSize
      << " lanes of each of " << candidate.workgroups
      << " workgroups: lanes share an extent in equal parts, and no others of "
      << extents << " are expected to be faster; tiles that need a mask are "
      << "not supported yet";
}

LogicalResult ConfigurePass::configureTensors(func::FuncOp kernel,
                                              const Target &machine,
                                              UserChoices user) {
  if (failed(normalizeTensors(kernel)))
    return failure();
  Block &body = kernel.getBody().front();
  FusedGroup group = FusedGroup::get(body, body.getTerminator()->getOperands());
  const GroupOp *root = group.root();
  if (!root)
    return kernel.emitOpError("computes nothing");
  if (failed(checkUserConfigs(group, machine, user.workgroupSize)))
    return failure();
  constexpr StringRef name = LoweringConfigAttr::attributeName;
  user.config = root->op->getAttrOfType<LoweringConfigAttr>(name);
  user.strictFp = strictFp;
  if (user.config && !user.workgroupSize)
    user.workgroupSize = lanesOf(user.config, machine.subgroupSize);
  bool contracts = matchContraction(root->op).has_value();
  Ranking ranking = contracts ? rankContraction(group, machine, user)
                              : rankRows(group, machine, user);
  if (ranking.empty() && user.config && user.config.getMmaKind())
    return root->op->emitOpError("asks for `mma_kind` ")
           << user.config.getMmaKind().getRow()->name
           << ", which does not fit its element types, or no tile that may be "
              "chosen";
  if (ranking.empty() && user.config && user.workgroupSize) {
    // Nothing that would be chosen here, but the user may know better.
    setLaunchShape(kernel, user.workgroupSize, machine.subgroupSize);
    return checkTiles(group, machine, user.workgroupSize, strictFp);
  }
  if (ranking.empty())
    return diagnoseNoTiles(group, machine);
  if (contracts && user.config && user.config.getSubgroupBasis() &&
      ranking.winner().subgroups.empty())
    return root->op->emitOpError(
        "asks for `subgroup_basis`, which splits the tiles of MMA instructions "
        "over subgroups, and no instruction fits its types and tiles so split");
  record(kernel, "tile sizes", ranking);
  if (!user.config)
    warnOfIdleLanes(group, ranking.winner(), machine);
  root->op->setAttr(
      name, makeConfig(kernel.getContext(), ranking.winner(), user.config));
  setLaunchShape(kernel, ranking.winner().workgroupSize, machine.subgroupSize);
  return checkTiles(group, machine, ranking.winner().workgroupSize, strictFp);
}

LogicalResult ConfigurePass::configure(func::FuncOp kernel,
                                       const Target &machine) {
  if (failed(checkForm(kernel)) || failed(checkAttributes(kernel, machine)) ||
      failed(passVectorsInMemory(kernel)))
    return failure();
  UserChoices user = UserChoices::get(kernel);
  if (user.subgroupSize && user.subgroupSize != machine.subgroupSize)
    return kernel.emitOpError("asks for subgroups of ")
           << user.subgroupSize << " lanes, those of " << machine.name
           << " have " << machine.subgroupSize;
  if (user.workgroupSize > machine.maxWorkgroupSize ||
      user.workgroupSize % machine.subgroupSize != 0)
    return kernel.emitOpError("asks for workgroups of ")
           << user.workgroupSize << " lanes; " << machine.name
           << " takes multiples of " << machine.subgroupSize << " up to "
           << machine.maxWorkgroupSize;
  if (computesTensors(kernel))
    return configureTensors(kernel, machine, user);
  if (!user.workgroupSize) {
    Ranking ranking = rankVectors(kernel, machine, user);
    record(kernel, "workgroup size", ranking);
    user.workgroupSize = ranking.winner().workgroupSize;
  }
  setLaunchShape(kernel, user.workgroupSize, machine.subgroupSize);
  return success();
}

std::unique_ptr<Pass> distaff::createConfigure(ConfigureOptions options,
                                               DecisionLog *log) {
  return std::make_unique<ConfigurePass>(std::move(options), log);
}
