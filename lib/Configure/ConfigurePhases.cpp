//===- ConfigurePhases.cpp - Choose instructions for products in phases ---===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user or earlier stages have written the phases; this pass chooses how a
// group's members compute a product together. The members of a group hold its
// payload in the boxes of one number of members, so the products of a group are
// chosen together, the largest first.
//
//===----------------------------------------------------------------------===//
#include "PhaseTiles.h"
#include "distaff/Analysis/Layout/Anchors.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/CheckedSize.h"
#include "distaff/Configure/Passes.h"
#include "distaff/Configure/Phases.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace distaff {
#define GEN_PASS_DEF_CONFIGUREPHASES
#include "distaff/Configure/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::LoweringConfigAttr;

static LoweringConfigAttr getUserConfig(linalg::LinalgOp op) {
  return op->getAttrOfType<LoweringConfigAttr>(
      LoweringConfigAttr::attributeName);
}

/// Writes the box and the instruction as an attribute; what the user wrote
/// stays.
static void writePhaseConfig(linalg::LinalgOp op, const Candidate &candidate) {
  Builder builder(op->getContext());
  SmallVector<int64_t> subgroup;
  for (auto [whole, count] :
       llvm::zip_equal(candidate.workgroupTiles, candidate.subgroups))
    subgroup.push_back(whole / count);
  NamedAttrList entries;
  entries.set("subgroup", builder.getI64ArrayAttr(subgroup));
  if (candidate.mma)
    entries.set("mma_kind", candidate.mma);
  if (LoweringConfigAttr user = getUserConfig(op))
    for (NamedAttribute entry : user.getAttributes())
      entries.set(entry.getName(), entry.getValue());
  op->setAttr(LoweringConfigAttr::attributeName,
              LoweringConfigAttr::get(op->getContext(),
                                      entries.getDictionary(op->getContext())));
}

//===----------------------------------------------------------------------===//
// Reasons for a missing instruction
//===----------------------------------------------------------------------===//

static ContractionProblem describeProblem(const ClusterProblem &cluster) {
  linalg::LinalgOp op = cluster.op;
  ContractionProblem problem;
  problem.extents = cluster.extents;
  for (utils::IteratorType iterator : op.getIteratorTypesArray())
    problem.reduced.push_back(iterator == utils::IteratorType::reduction);
  problem.lhs = cluster.maps[0];
  problem.rhs = cluster.maps[1];
  problem.acc = cluster.maps[2];
  auto factor = [&](unsigned operand, ArrayRef<Operation *> chain) {
    return Multiplicand::get(
        getElementTypeOrSelf(op->getOperand(operand).getType()), chain);
  };
  problem.lhsFactor = factor(0, cluster.body.lhsChain);
  problem.rhsFactor = factor(1, cluster.body.rhsChain);
  problem.mayDropBits = mayDropBits(op);
  problem.accElement = cluster.elementType(2);
  return problem;
}

static bool isProduct(Operation *op) {
  return linalg::isaContractionOpInterface(dyn_cast<linalg::LinalgOp>(op)) ||
         matchContraction(op);
}

/// Returns what prevents lanes from computing a product together, before its
/// types and extents; empty for nothing.
static std::string whyNoProduct(linalg::LinalgOp op) {
  if (!matchContraction(op))
    return "it has not an m, an n and a k dimension";
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (ShapedType::isDynamic(extent))
      return "the extent of its loop " + std::to_string(loop) +
             " is only known at run time, and fragments are registers";
  return {};
}

/// Returns whether an op of a phase computes with the result of another product
/// in it, not by way of memory.
static bool followsProduct(linalg::LinalgOp op) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) {
    return other->getBlock() == op->getBlock();
  };
  llvm::SetVector<Operation *> slice;
  for (Value operand : op->getOperands().take_front(2))
    if (operand.getDefiningOp())
      (void)getBackwardSlice(operand, &slice, options);
  return llvm::any_of(slice, isProduct);
}

/// Returns whether the product's phase has one that computes with another's
/// result. Fragments of a result are not those of an operand.
static bool isInChain(linalg::LinalgOp op) {
  return op->getParentOfType<pcf::RunClusterOp>()
      ->walk([](linalg::LinalgOp other) {
        return isProduct(other) && followsProduct(other)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Emits the warnings of a kernel, each once: a convolution is a product per
/// position of its window (PCF-197).
class InstructionWarnings {
public:
  void warn(linalg::LinalgOp op, StringRef why) {
    if (said.insert({op.getLoc().getAsOpaquePointer(), why.str()}).second)
      op->emitWarning("'") << op->getName()
                           << "' op is computed without a matrix instruction: "
                           << why;
  }

  /// Warns, and leaves an empty configuration, which is a choice: the op's
  /// parts for lanes take it.
  void leave(linalg::LinalgOp op, StringRef why) {
    warn(op, why);
    if (!getUserConfig(op))
      op->setAttr(LoweringConfigAttr::attributeName,
                  LoweringConfigAttr::get(
                      op.getContext(), DictionaryAttr::get(op.getContext())));
  }

private:
  std::set<std::pair<const void *, std::string>> said; // by location
};
} // namespace

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
/// The products of one group's phases. Groups of one name are one group.
using PhaseGroups = llvm::MapVector<std::pair<Operation *, Attribute>,
                                    SmallVector<PhaseProduct, 0>>;
} // namespace

static int64_t countPoints(const PhaseProduct &product) {
  int64_t points = 1;
  for (int64_t extent : product.problem.extents)
    points = saturatingProduct(points, extent);
  return points;
}

static PhaseGroups collectProducts(func::FuncOp kernel, const Target &machine,
                                   InstructionWarnings &warnings) {
  PhaseGroups groups;
  kernel.walk([&](linalg::LinalgOp op) {
    auto phase = op->getParentOfType<pcf::RunClusterOp>();
    // A product with a workgroup's tile was configured before it came into a
    // phase.
    LoweringConfigAttr user = getUserConfig(op);
    if (user && !user.getWorkgroupTiles().empty())
      return;
    // Lanes take the choice for their subgroups, or for code of those.
    bool isOpen =
        phase && (isa<iree::SubgroupScopeAttr>(phase.getScope()) ||
                  (isa<iree::LaneScopeAttr>(phase.getScope()) && !user));
    if (!isOpen || !isProduct(op))
      return;
    if (isInChain(op))
      return warnings.leave(
          op, "its phase computes one product from another; end the phase "
              "between them, and write what is between to shared memory");
    std::optional<PhaseProduct> product = PhaseProduct::match(op, machine);
    if (!product) {
      std::string why = whyNoProduct(op);
      return why.empty() ? void() : warnings.leave(op, why);
    }
    auto cluster = dyn_cast<pcf::ClusterType>(phase.getGroupType());
    groups[{phase->getParentOfType<pcf::SharedExecutorOp>(),
            cluster ? Attribute(cluster.getId()) : Attribute()}]
        .push_back(*product);
  });
  for (auto &[group, products] : groups)
    llvm::stable_sort(products,
                      [](const PhaseProduct &a, const PhaseProduct &b) {
                        return countPoints(a) > countPoints(b);
                      });
  return groups;
}

/// Chooses for one product; `boxes` is the number of boxes that the group's
/// members iterate over, 0 before the first product.
static LogicalResult chooseForProduct(const PhaseProduct &product,
                                      const Target &machine, DecisionLog *log,
                                      InstructionWarnings &warnings,
                                      int64_t &boxes) {
  linalg::LinalgOp op = product.problem.op;
  LoweringConfigAttr user = getUserConfig(op);
  if (user && failed(checkClusterKeys(product.problem, machine, {})))
    return failure();
  Ranking ranking;
  rankPhase(product, machine, user, boxes, ranking);
  // Distribution refuses a user's choice that no box fits.
  if (ranking.empty())
    return success();
  const Candidate &winner = ranking.winner();
  if (!winner.mma)
    warnings.warn(op, whyNoMma(describeProblem(product.problem), machine));
  writePhaseConfig(op, winner);
  boxes = llvm::product_of(winner.subgroups);
  if (!log)
    return success();
  auto kernel = op->getParentOfType<func::FuncOp>();
  recordChoice(*log, kernel, "product in a phase", ranking);
  log->choices.back().line = lineOf(op->getLoc());
  return success();
}

LogicalResult distaff::configurePhases(func::FuncOp kernel,
                                       const Target &machine,
                                       DecisionLog *log) {
  InstructionWarnings warnings;
  for (auto &[group, products] : collectProducts(kernel, machine, warnings)) {
    // Lanes of one subgroup have one box.
    auto executor = cast<pcf::SharedExecutorOp>(group.first);
    int64_t boxes = isa<iree::LaneScopeAttr>(executor.getScope()) ? 1 : 0;
    for (const PhaseProduct &product : products)
      if (failed(chooseForProduct(product, machine, log, warnings, boxes)))
        return failure();
  }
  return success();
}

namespace {
class ConfigurePhases final
    : public distaff::impl::ConfigurePhasesBase<ConfigurePhases> {
public:
  ConfigurePhases() = default;
  explicit ConfigurePhases(ConfigurePhasesOptions options,
                           DecisionLog *log = nullptr)
      : ConfigurePhasesBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *found = requireTarget(getOperation()->getLoc(), target);
    if (!found)
      return signalPassFailure();
    Target machine = strictFp ? keepingFloatOrder(*found) : *found;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && failed(configurePhases(kernel, machine, log)))
        return signalPassFailure();
  }

private:
  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass>
distaff::createConfigurePhases(ConfigurePhasesOptions options,
                               DecisionLog *log) {
  return std::make_unique<ConfigurePhases>(std::move(options), log);
}
