//===- LayoutChoice.cpp - Choosing the layout of every vector -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "../Registers/Rematerialization.h"
#include "LayoutCosts.h"
#include "LayoutGraph.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Analysis/Layout/Selection.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <map>

using namespace distaff;
using namespace distaff::vector_ext;

//===----------------------------------------------------------------------===//
// Trip counts and hardware
//===----------------------------------------------------------------------===//

FailureOr<HardwareShape>
distaff::hardwareShapeOf(FunctionOpInterface function) {
  LaunchSizes sizes = launchSizesOf(function);
  if (!sizes.workgroup || !sizes.subgroup)
    return function.emitOpError(
        "has no static workgroup and subgroup size in its translation_info "
        "(DG5); give it one like #iree_codegen.translation_info<workgroup_size "
        "= [64, 1, 1] subgroup_size = 32>");
  int64_t lanes = *sizes.subgroup;
  if (sizes.numLanes() % lanes != 0)
    return function.emitOpError()
           << "workgroup of " << sizes.numLanes()
           << " threads is no multiple of the subgroup size " << lanes
           << " (DG5); round its workgroup_size up to one";
  return HardwareShape{sizes.numLanes() / lanes, lanes};
}

int64_t distaff::tripsAround(Operation *op) {
  constexpr int64_t unknown = 16;
  // A larger number would only overflow the sums: such a loop outweighs all
  // others.
  constexpr int64_t enough = int64_t(1) << 20;
  int64_t trips = 1;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    int64_t count = isa<scf::WhileOp>(parent) ? unknown : 1;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      std::optional<llvm::APInt> known = loop.getStaticTripCount();
      count = known ? int64_t(known->getLimitedValue(enough)) : unknown;
    }
    trips = std::min(enough, trips * std::max<int64_t>(1, count));
  }
  return trips;
}

/// Returns how often a conversion of `value` runs: it is placed at the
/// definition, outside of loops that only contain the user.
static int64_t tripsOf(Value value) {
  return tripsAround(value.getDefiningOp() ? value.getDefiningOp()
                                           : &value.getParentBlock()->front());
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

namespace {

/// A use of a value, or several uses of equal cost.
struct EdgeTable {
  Value value;
  /// Layouts by candidate of the definition, and of the user.
  SmallVector<VectorLayoutInterface> from, to;
  int64_t trips = 1;
  Rematerialization chain;
  bool isDirect = false;
  /// Whether some conversion in it is not planned.
  bool hasBounds = false;
};

/// Builds the selection problem of a graph and reads the answer back.
class Chooser {
public:
  Chooser(const LayoutGraph &graph, const Target &target,
          HardwareShape hardware, int64_t sharedBytes, bool explains)
      : graph(graph), target(target), hardware(hardware), explains(explains),
        costs(target, hardware, sharedBytes) {}

  LayoutChoice choose(FunctionOpInterface function);
  void record(FunctionOpInterface function, const Target &target,
              DecisionLog &log);

private:
  /// Costs are in fractions of an issue slot, so that among conversions of cost
  /// 0 the one of fewer registers wins: after a truncation, not before.
  static constexpr int64_t scale = 256;

  void addNodes();
  void addEdges();
  unsigned tableFor(EdgeTable wanted, bool shares);
  /// Fills the problem's table from the known costs; returns whether it has
  /// bounds.
  bool price(SelectionProblem &problem, unsigned table);
  /// Plans the conversions of a choice that have only bounds; returns false if
  /// there are none.
  bool planConversionsOf(ArrayRef<unsigned> choice, SelectionProblem &problem);
  /// Returns the cheapest choice whose conversions are all planned.
  Selection settle(SelectionProblem &problem);
  /// Replaces the choice by one without unrequested target instructions if no
  /// choice is proved optimal and the latter costs less.
  void compareWithout();
  /// Replaces the cheapest choice if it needs more registers than there are,
  /// and a choice that does not is found.
  void fitRegisters(FunctionOpInterface function);
  LiveRegisters liveRegistersOf(FunctionOpInterface function,
                                const Selection &selection, bool needsValues);
  /// Returns the total cost if `node` takes `candidate`, the rest at its best.
  int64_t costWith(unsigned node, unsigned candidate);
  /// Returns why no instruction implements a contraction.
  std::string whyPlain(unsigned node, const Target &target);
  void recordContraction(unsigned node, StringRef function,
                         const Target &target, DecisionLog &log);
  void recordTargetOps(unsigned node, StringRef function, DecisionLog &log);
  void collectChanges(LayoutChoice &choice);
  /// Returns the cost of the use if definition and user have these layouts.
  int64_t costOfUse(const EdgeTable &use, VectorLayoutInterface from,
                    VectorLayoutInterface to, bool exact, bool &isBound);

  const LayoutGraph &graph;
  const Target &target;
  HardwareShape hardware;
  /// Whether the planned changes include the reasons against other tiers.
  bool explains;
  LayoutCosts costs;
  /// The tables of the problem, by number.
  std::vector<EdgeTable> uses;
  /// The numbers of tables that several edges may share.
  std::map<std::vector<const void *>, unsigned> known;
  SelectionProblem problem;
  Selection selection;
};

} // namespace

void Chooser::addNodes() {
  for (const LayoutNode &node : graph.nodes) {
    int64_t trips = tripsAround(node.op);
    auto &unary = problem.nodes.emplace_back();
    for (const LayoutCandidate &candidate : node.candidates)
      unary.push_back(scale * trips * costs.costOf(node, candidate));
  }
}

int64_t Chooser::costOfUse(const EdgeTable &use, VectorLayoutInterface from,
                           VectorLayoutInterface to, bool exact,
                           bool &isBound) {
  LayoutCosts::Conversion conversion =
      costs.conversionOf(use.value, from, to, exact);
  assert(conversion.cost >= 0 && conversion.words >= 0 && use.trips > 0 &&
         "no change of layout is worth something by itself");
  int64_t cost = scale * conversion.cost + conversion.words;
  int64_t cloneCost = scale * use.chain.slots * costs.registersOf(to);
  if (use.chain && cloneCost < cost && Rematerialization::takes(use.value, to))
    cost = cloneCost;
  else
    isBound |= conversion.isBound;
  if (conversion.shared && use.isDirect)
    cost += scale * LayoutCosts::impossible;
  return cost;
}

bool Chooser::price(SelectionProblem &problem, unsigned table) {
  EdgeTable &use = uses[table];
  SmallVector<int64_t> &cost = problem.tables[table];
  cost.clear();
  use.hasBounds = false;
  for (VectorLayoutInterface from : use.from)
    for (VectorLayoutInterface to : use.to)
      cost.push_back(use.trips *
                     costOfUse(use, from, to, /*exact=*/false, use.hasBounds));
  return use.hasBounds;
}

unsigned Chooser::tableFor(EdgeTable wanted, bool shares) {
  std::vector<const void *> key;
  if (shares) {
    for (ArrayRef<VectorLayoutInterface> layouts :
         {ArrayRef(wanted.from), ArrayRef(wanted.to)}) {
      for (VectorLayoutInterface layout : layouts)
        key.push_back(layout.getAsOpaquePointer());
      key.push_back(nullptr);
    }
    bool isRead = bool(wanted.value.getDefiningOp<vector::TransferReadOp>());
    for (int64_t number : {costs.movedBitsOf(wanted.value),
                           4 * wanted.trips + 2 * wanted.isDirect + isRead})
      key.push_back(reinterpret_cast<const void *>(uintptr_t(number)));
    auto [it, isNew] = known.try_emplace(std::move(key), uses.size());
    if (!isNew)
      return it->second;
  }
  uses.push_back(std::move(wanted));
  problem.tables.emplace_back();
  price(problem, uses.size() - 1);
  return uses.size() - 1;
}

void Chooser::addEdges() {
  for (auto [userIndex, user] : llvm::enumerate(graph.nodes))
    for (auto [slot, operand] : llvm::enumerate(user.operands)) {
      EdgeTable use;
      use.value = operand->get();
      auto found = graph.definitions.find(use.value);
      if (found == graph.definitions.end() || found->second.node == userIndex)
        continue;
      auto [definition, result] = found->second;
      for (const LayoutCandidate &from : graph.nodes[definition].candidates)
        use.from.push_back(from.results[result]);
      for (const LayoutCandidate &to : user.candidates)
        use.to.push_back(to.operands[slot]);
      use.trips = tripsOf(use.value);
      use.chain = Rematerialization::of(use.value, target.issue);
      use.isDirect = graph.direct.contains(use.value);
      bool shares = !use.chain;
      unsigned table = tableFor(std::move(use), shares);
      problem.edges.push_back({definition, unsigned(userIndex), table});
    }
}

bool Chooser::planConversionsOf(ArrayRef<unsigned> choice,
                                SelectionProblem &problem) {
  bool planned = false;
  for (const SelectionProblem::Edge &edge : problem.edges) {
    const EdgeTable &use = uses[edge.table];
    bool isBound = false;
    if (use.hasBounds)
      costOfUse(use, use.from[choice[edge.a]], use.to[choice[edge.b]],
                /*exact=*/false, isBound);
    if (!isBound)
      continue;
    costOfUse(use, use.from[choice[edge.a]], use.to[choice[edge.b]],
              /*exact=*/true, isBound);
    planned = true;
  }
  for (unsigned table = 0; planned && table < uses.size(); ++table)
    if (uses[table].hasBounds)
      price(problem, table);
  return planned;
}

Selection Chooser::settle(SelectionProblem &problem) {
  // When a choice uses a bound, the bound is replaced by the exact cost and the
  // choice is repeated: the final choice uses exact costs only, and the costs
  // of the other candidates are lower bounds.
  constexpr int attempts = 64;
  Selection best;
  auto consider = [&](Selection found) {
    bool isSettled = !planConversionsOf(found.choice, problem);
    found.cost = problem.costOf(found.choice);
    found.exact &= isSettled;
    if (best.choice.empty() || found.exact || found.cost < best.cost)
      best = std::move(found);
    return isSettled;
  };
  for (int attempt = 0; attempt < attempts; ++attempt)
    if (consider(select(problem)))
      break;
  if (!best.exact)
    for (bool forward : {true, false})
      consider(firstWins(problem, forward));
  return best;
}

LiveRegisters Chooser::liveRegistersOf(FunctionOpInterface function,
                                       const Selection &selection,
                                       bool needsValues) {
  auto layoutOf = [&](Value value) -> VectorLayoutInterface {
    auto found = graph.definitions.find(value);
    if (found == graph.definitions.end())
      return {}; // rematerialized at its uses
    auto [node, result] = found->second;
    return graph.nodes[node].candidates[selection.choice[node]].results[result];
  };
  return mostLiveRegisters(function, layoutOf, hardware, needsValues);
}

void Chooser::fitRegisters(FunctionOpInterface function) {
  int64_t budget =
      target.vectorRegistersFor(hardware.subgroups * hardware.lanes);
  LiveRegisters live = liveRegistersOf(function, selection, true);
  // Values live at the worst place get more and more expensive, until all fits.
  SelectionProblem dearer = problem;
  for (int64_t perRegister = 1;
       live.vectors > budget && perRegister <= LayoutCosts::impossible / scale;
       perRegister *= 8) {
    for (auto [node, cost] : llvm::zip_equal(graph.nodes, dearer.nodes))
      for (auto [result, value] : llvm::enumerate(node.results))
        if (live.values.contains(value))
          for (auto [own, candidate] : llvm::zip_equal(cost, node.candidates))
            own += scale * perRegister *
                   registersOf(value, candidate.results[result], hardware);
    Selection found = settle(dearer);
    problem.tables = dearer.tables; // keep the new plans
    live = liveRegistersOf(function, found, true);
    if (live.vectors > budget)
      continue;
    planConversionsOf(found.choice, problem);
    found.cost = problem.costOf(found.choice);
    found.exact = false;
    selection = std::move(found);
  }
}

void Chooser::compareWithout() {
  SelectionProblem without = problem;
  bool differs = false;
  for (auto [node, cost] : llvm::zip_equal(graph.nodes, without.nodes))
    for (auto [own, candidate] : llvm::zip_equal(cost, node.candidates))
      if (candidate.targetOp && !node.demandedOp) {
        own += 2 * scale * LayoutCosts::impossible;
        differs = true;
      }
  if (!differs)
    return;
  Selection found = settle(without);
  problem.tables = std::move(without.tables); // keep the new plans
  found.cost = problem.costOf(found.choice);
  found.exact = false;
  if (found.cost < selection.cost)
    selection = std::move(found);
}

LayoutChoice Chooser::choose(FunctionOpInterface function) {
  addNodes();
  addEdges();
  selection = settle(problem);
  if (!selection.exact)
    compareWithout();
  fitRegisters(function);
  LayoutChoice choice;
  choice.cost = selection.cost / scale;
  choice.exact = selection.exact;
  choice.isPossible = choice.cost < LayoutCosts::impossible;
  for (auto [node, index] : llvm::zip_equal(graph.nodes, selection.choice)) {
    const LayoutCandidate &candidate = node.candidates[index];
    for (auto [result, layout] :
         llvm::zip_equal(node.results, candidate.results))
      choice.values[result] = layout;
    for (auto [operand, layout] :
         llvm::zip_equal(node.operands, candidate.operands))
      choice.uses[operand] = layout;
    if (candidate.contraction)
      choice.contractions.insert(
          {node.op, node.contractions[*candidate.contraction]});
    if (candidate.targetOp)
      choice.targetOps.insert({node.op, candidate.targetOp});
  }
  collectChanges(choice);
  return choice;
}

void Chooser::collectChanges(LayoutChoice &choice) {
  llvm::MapVector<std::pair<Value, VectorLayoutInterface>, LayoutChange> found;
  for (auto &[operand, layout] : choice.uses) {
    Value value = operand->get();
    auto source = choice.values.find(value);
    if (source == choice.values.end())
      continue; // layout-free
    auto existing = dyn_cast<ToLayoutOp>(operand->getOwner());
    bool forced = existing && existing.getSharedMemoryConversionAttr();
    if (source->second == layout && !forced)
      continue;
    LayoutChange change;
    change.value = value;
    change.source = source->second;
    change.layout = layout;
    change.existing = existing;
    change.plan = costs.plan(value, change.source, layout, forced, explains);
    change.cost = change.plan->cost;
    LayoutCosts::Conversion priced =
        costs.conversionOf(value, change.source, layout, /*exact=*/true);
    if (priced.targetOp && !forced) {
      change.targetOp = priced.targetOp;
      change.cost = priced.cost;
    }
    change.trips = tripsOf(value);
    Rematerialization chain = Rematerialization::of(value, target.issue);
    change.clone = chain && !existing &&
                   chain.slots * costs.registersOf(layout) < change.cost &&
                   Rematerialization::takes(value, layout);
    if (existing) {
      change.trips = tripsAround(existing);
      change.uses.push_back(operand);
      choice.changes.push_back(std::move(change));
      continue;
    }
    auto it = found.try_emplace({value, layout}, std::move(change)).first;
    it->second.uses.push_back(operand);
  }
  for (auto &[key, change] : found)
    choice.changes.push_back(std::move(change));
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

int64_t Chooser::costWith(unsigned node, unsigned candidate) {
  SelectionProblem forced = problem;
  for (auto [i, cost] : llvm::enumerate(forced.nodes[node]))
    if (i != candidate)
      cost += 2 * scale * LayoutCosts::impossible;
  int64_t cost = settle(forced).cost;
  problem.tables = std::move(forced.tables); // keep the new plans
  return cost / scale;
}

// VX-105.
std::string Chooser::whyPlain(unsigned index, const Target &target) {
  const LayoutNode &node = graph.nodes[index];
  if (!node.whyPlain.empty())
    return node.whyPlain;
  for (auto [c, candidate] : llvm::enumerate(node.candidates))
    if (candidate.contraction)
      return node.contractions[*candidate.contraction].describe() +
             " would make the kernel cost " +
             std::to_string(costWith(index, c)) + " instead of " +
             std::to_string(selection.cost / scale);
  if (!node.contractions.empty())
    return node.contractions.front().describe() +
           " needs layouts that do not fit the workgroup";
  return whyNoMma(ContractionProblem::get(cast<vector::ContractionOp>(node.op)),
                  target);
}

void Chooser::recordContraction(unsigned index, StringRef function,
                                const Target &target, DecisionLog &log) {
  const LayoutNode &node = graph.nodes[index];
  auto op = cast<vector::ContractionOp>(node.op);
  int64_t trips = tripsAround(op);
  ChoiceDecision decision{
      lineOf(op.getLoc()), function.str(), "contraction", {}, {}};
  std::optional<unsigned> chosen =
      node.candidates[selection.choice[index]].contraction;
  if (!chosen) {
    decision.chosen.what = "plain multiply-adds";
    decision.chosen.reason = whyPlain(index, target);
    log.choices.push_back(std::move(decision));
    return;
  }
  decision.chosen = {node.contractions[*chosen].describe(),
                     trips * node.contractions[*chosen].cost, node.anchoredBy};
  for (auto [i, loser] : llvm::enumerate(node.contractions)) {
    if (i == *chosen)
      continue;
    std::string reason = "more issue slots";
    for (auto [c, candidate] : llvm::enumerate(node.candidates))
      if (candidate.contraction == i)
        reason = "the kernel would cost " + std::to_string(costWith(index, c)) +
                 " instead of " + std::to_string(selection.cost / scale);
    decision.losers.push_back({loser.describe(), trips * loser.cost, reason});
  }
  log.choices.push_back(std::move(decision));
}

/// Ranks the instructions of one op, and the op without one, by their own cost;
/// the cost of the whole kernel with them is the reason (VX-126).
void Chooser::recordTargetOps(unsigned index, StringRef function,
                              DecisionLog &log) {
  const LayoutNode &node = graph.nodes[index];
  const LayoutCandidate &chosen = node.candidates[selection.choice[index]];
  int64_t trips = tripsAround(node.op);
  ChoiceDecision decision{lineOf(node.op->getLoc()),
                          function.str(),
                          node.op->getName().getStringRef().str(),
                          {},
                          {}};
  auto consider = [&](const TargetOp *row, std::string what) {
    if (row == chosen.targetOp) {
      decision.chosen = {what, trips * costs.costOf(node, chosen),
                         node.demandedOp ? "its operands' mma_kind" : ""};
      return;
    }
    // The best choice of the kernel with this instruction.
    SelectionProblem forced = problem;
    bool isPossible = false;
    for (auto [own, candidate] :
         llvm::zip_equal(forced.nodes[index], node.candidates)) {
      isPossible |= candidate.targetOp == row;
      own +=
          candidate.targetOp == row ? 0 : 2 * scale * LayoutCosts::impossible;
    }
    if (!isPossible) {
      decision.losers.push_back({what, 0, "the layouts are no whole tiles"});
      return;
    }
    Selection found = settle(forced);
    problem.tables = std::move(forced.tables); // keep the new plans
    decision.losers.push_back(
        {what, trips * costs.costOf(node, node.candidates[found.choice[index]]),
         "the kernel would cost " + std::to_string(found.cost / scale) +
             " instead of " + std::to_string(selection.cost / scale)});
  };
  for (const TargetOpCandidate &candidate : node.targetOps)
    consider(candidate.row, candidate.describe());
  consider(nullptr, "each lane by itself");
  llvm::stable_sort(decision.losers, [](const auto &a, const auto &b) {
    return a.cost < b.cost;
  });
  log.choices.push_back(std::move(decision));
}

void Chooser::record(FunctionOpInterface function, const Target &target,
                     DecisionLog &log) {
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (isa<vector::ContractionOp>(node.op))
      recordContraction(i, function.getName(), target, log);
    if (!node.targetOps.empty())
      recordTargetOps(i, function.getName(), log);
  }
}

FailureOr<LayoutChoice> distaff::chooseLayouts(FunctionOpInterface function,
                                               const Target &target,
                                               HardwareShape hardware,
                                               DecisionLog *log,
                                               bool stagesOperands) {
  FailureOr<LayoutGraph> graph =
      LayoutGraph::build(function, target, hardware, stagesOperands);
  if (failed(graph))
    return failure();
  Chooser chooser(*graph, target, hardware,
                  workgroupMemoryLeft(function, target.dynamicSharedMemoryBytes,
                                      target.workgroupAlignment()),
                  /*explains=*/log != nullptr);
  LayoutChoice choice = chooser.choose(function);
  if (log)
    chooser.record(function, target, *log);
  return choice;
}

LogicalResult distaff::checkAnchored(FunctionOpInterface function,
                                     const Target &target,
                                     HardwareShape hardware) {
  return LayoutGraph::checkAnchored(function, target, hardware);
}
