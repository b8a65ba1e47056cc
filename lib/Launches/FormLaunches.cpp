//===- FormLaunches.cpp - Dispatch formation ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters of ops grow in program order: an op joins the last cluster that it
// reads from, where the ranking prices both together no higher than apart, and
// merges other clusters that it reads. Cheap ops with the same result
// everywhere, such as a fill or an index, belong to no cluster; each cluster
// has a clone.
//
//===----------------------------------------------------------------------===//
#include "FormLaunches.h"
#include "LaunchMemory.h"
#include "Normalize/InputLegality.h"
#include "PackResults.h"
#include "PreparedLaunch.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// The most times that an op is recomputed by fusion.
static constexpr int64_t mostRecomputed = 4;

namespace {
struct Price {
  bool isPossible = false;
  bool isRefused = false; // the choice of tiles reports the reason
  /// Whether a core is faster with the intermediates in memory.
  bool wantsMemory = false;
  int64_t spilled = 0, cost = 0;
};

class LaunchFormer {
public:
  LaunchFormer(func::FuncOp kernel, KernelRanker &ranker,
               const UserChoices &user)
      : kernel(kernel), ranker(ranker), user(user) {}

  void findOps();
  bool isEmpty() const { return ops.empty(); }
  bool isOneLaunch();
  void cluster();
  SmallVector<func::FuncOp> write(const PackedResults &packed);

  size_t numClusters() const { return clusters.size(); }
  std::string describe(const PackedResults &packed) const;
  Price whole, parts;

private:
  using Cluster = llvm::SetVector<Operation *>;

  bool isCarried(Operation *op) const;
  void collectInputs(Operation *op, llvm::SetVector<Value> &values) const;
  bool readsWhole(const Cluster &ops) const;
  Price priceOf(const Cluster &ops);
  bool isReadOutside(Value value, const Cluster &ops) const;
  llvm::SetVector<Value> outputsOf(const Cluster &ops) const;
  func::FuncOp build(OpBuilder &b, StringRef name, const Cluster &ops,
                     SmallVectorImpl<Value> &inputs,
                     SmallVectorImpl<Value> &outputs,
                     ArrayRef<Operation *> assertions = {}) const;
  SmallVector<SmallVector<Operation *>> placeAssertions() const;
  int64_t recomputed(func::FuncOp trial, const Candidate &candidate) const;
  bool mayJoin(Operation *op, unsigned number);
  void drawIn(Operation *op, unsigned into);
  void keepAttentions();
  SmallVector<unsigned> producersOf(Operation *op) const;
  bool isReadBetween(unsigned from, unsigned to) const;

  mutable func::FuncOp kernel;
  KernelRanker &ranker;
  const UserChoices &user;
  SmallVector<Operation *> ops; // ops that are put into launches, in order
  SmallVector<Cluster> clusters;
  SmallVector<Price> prices; // per cluster
  DenseMap<Operation *, unsigned> clusterOf;
  DenseMap<Operation *, Operation *> heldFor; // last ops of attentions
  DenseMap<Operation *, Cluster> attentions;  // keyed by the last op
};
} // namespace

/// Returns whether a tensor, or a view of it, is returned or passed to a
/// prepared launch.
static bool isGivenAway(Value tensor) {
  return llvm::any_of(tensor.getUsers(), [](Operation *user) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
            tensor::ExtractSliceOp, tensor::CastOp>(user))
      return isGivenAway(user->getResult(0));
    return isa<func::ReturnOp>(user) || preparedLaunchOf(user);
  });
}

/// Returns whether an op is put into a launch; others are cloned where they are
/// read.
bool LaunchFormer::isCarried(Operation *op) const {
  return op && op->getBlock() == &kernel.getBody().front() &&
         (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op) ||
          preparedLaunchOf(op)) &&
         (!isa<linalg::FillOp>(op) || isGivenAway(op->getResult(0)));
}

void LaunchFormer::findOps() {
  for (Operation &op : kernel.getBody().front())
    if (isCarried(&op) && !isOpTriviallyDead(&op))
      ops.push_back(&op);
}

/// Collects the operands of an op and the values that its regions read.
static void operandsOf(Operation *op, llvm::SetVector<Value> &values) {
  values.insert_range(op->getOperands());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
}

/// Collects the tensors and scalars from outside that an op needs, through the
/// ops that are cloned for it.
void LaunchFormer::collectInputs(Operation *op,
                                 llvm::SetVector<Value> &values) const {
  llvm::SetVector<Value> read;
  operandsOf(op, read);
  for (size_t i = 0; i < read.size(); ++i) {
    Operation *maker = read[i].getDefiningOp();
    if (!maker || isCarried(maker))
      values.insert(read[i]);
    else
      operandsOf(maker, read);
  }
}

/// Returns whether an op of the cluster reads the result of another one at
/// computed positions, or as a slice or in another shape: the result is in
/// memory then.
bool LaunchFormer::readsWhole(const Cluster &ops) const {
  for (Operation *op : ops) {
    llvm::SetVector<Value> inside;
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, inside);
    llvm::SetVector<Value> views(inside);
    for (Value operand : op->getOperands())
      if (isa_and_nonnull<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                          tensor::CollapseShapeOp, tensor::CastOp>(
              operand.getDefiningOp()) ||
          !isa<TensorType>(operand.getType()))
        views.insert(operand);
    for (size_t i = 0; i < views.size(); ++i) {
      Operation *maker = views[i].getDefiningOp();
      if (!maker)
        continue;
      if (isCarried(maker) && ops.contains(maker) &&
          isa<TensorType>(views[i].getType()))
        return true;
      // Extents are known without the tensor.
      if (isCarried(maker) || isa<tensor::DimOp, tensor::EmptyOp>(maker))
        continue;
      views.insert_range(maker->getOperands());
    }
  }
  return false;
}

/// Returns whether an op in another launch reads a value or a view of it.
bool LaunchFormer::isReadOutside(Value value, const Cluster &ops) const {
  SmallVector<Value> seen = {value};
  while (!seen.empty())
    for (Operation *user : seen.pop_back_val().getUsers()) {
      while (user->getBlock() != &kernel.getBody().front())
        user = user->getParentOp();
      if (isCarried(user) ? !ops.contains(user) : false)
        return true;
      if (!isCarried(user))
        llvm::append_range(seen, user->getResults());
    }
  return false;
}

/// Returns the values that other launches read, and those that are returned, in
/// the shape in which they are returned.
llvm::SetVector<Value> LaunchFormer::outputsOf(const Cluster &ops) const {
  llvm::SetVector<Value> made;
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      for (Value value : terminator->getOperands())
        if (withoutReshapes(value) == result)
          made.insert(value);
      if (isReadOutside(result, ops))
        made.insert(result);
    }
  return made;
}

/// Builds a function of the cluster's ops alone, with the ops cloned for them.
func::FuncOp LaunchFormer::build(OpBuilder &b, StringRef name,
                                 const Cluster &ops,
                                 SmallVectorImpl<Value> &inputs,
                                 SmallVectorImpl<Value> &outputs,
                                 ArrayRef<Operation *> assertions) const {
  llvm::SetVector<Value> read;
  for (Operation *op : ops)
    collectInputs(op, read);
  for (Operation *assertion : assertions)
    collectInputs(assertion, read);
  llvm::SetVector<Value> made = outputsOf(ops);
  // The view of a result may depend on the extents of another value.
  for (Value value : made)
    if (Operation *maker = value.getDefiningOp(); !ops.contains(maker))
      collectInputs(maker, read);
  for (Value value : read)
    if (!value.getDefiningOp() || !ops.contains(value.getDefiningOp()))
      inputs.push_back(value);
  llvm::append_range(outputs, made);
  auto type = b.getFunctionType(ValueRange(inputs).getTypes(),
                                ValueRange(outputs).getTypes());
  auto function = func::FuncOp::create(b, kernel.getLoc(), name, type);
  Block *body = function.addEntryBlock();
  IRMapping map;
  map.map(inputs, body->getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  // Ops are cloned in program order, with the ops of no cluster that they need.
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> todo(ops.begin(), ops.end());
  llvm::append_range(todo, assertions);
  for (Value value : outputs)
    if (Operation *maker = value.getDefiningOp(); !ops.contains(maker))
      todo.push_back(maker);
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val();
    if (!needed.insert(op))
      continue;
    llvm::SetVector<Value> operands;
    operandsOf(op, operands);
    for (Value value : operands)
      if (Operation *maker = value.getDefiningOp();
          maker && !map.contains(value) &&
          maker->getBlock() == &kernel.getBody().front())
        todo.push_back(maker);
  }
  for (Operation &op : kernel.getBody().front())
    if (needed.contains(&op))
      inside.clone(op, map);
  func::ReturnOp::create(
      inside, kernel.getLoc(),
      llvm::map_to_vector(outputs, [&](Value v) { return map.lookup(v); }));
  // A value that is returned in two shapes is two results.
  (void)normalizeTensors(function);
  inlinePrepared(function, kernel->getParentOfType<ModuleOp>());
  return function;
}

/// Returns how many times the ops of a launch are computed, for the most
/// expensive one: an op that lacks a loop that workgroups share is computed by
/// each of them.
int64_t LaunchFormer::recomputed(func::FuncOp trial,
                                 const Candidate &candidate) const {
  Block &body = trial.getBody().front();
  FusedGroup group = FusedGroup::get(body, body.getTerminator()->getOperands());
  const GroupOp &root = *group.root();
  auto pointsOf = [&](const GroupOp &op) {
    int64_t points = 1;
    for (unsigned axis : op.axes)
      points = saturatingProduct(points, group.axes()[axis].extent);
    return points;
  };
  int64_t own = pointsOf(root), worst = 1;
  for (const GroupOp &op : group.ops()) {
    if (isa<linalg::FillOp>(op.op))
      continue;
    int64_t times = 1;
    for (auto [loop, axis] : llvm::enumerate(root.axes)) {
      int64_t tile = loop < candidate.workgroupTiles.size()
                         ? candidate.workgroupTiles[loop]
                         : 0;
      if (tile > 0 && !op.loopOf(axis))
        times = saturatingProduct(
            times, llvm::divideCeil(group.axes()[axis].extent, tile));
    }
    // Little work may be recomputed often.
    int64_t points = saturatingProduct(pointsOf(op), times);
    if (points > own)
      worst = std::max(worst, times);
  }
  return worst;
}

Price LaunchFormer::priceOf(const Cluster &ops) {
  bool isPrepared = llvm::any_of(
      ops, [](Operation *op) { return preparedLaunchOf(op) != nullptr; });
  if (readsWhole(ops) || (isPrepared && ops.size() > 1))
    return {};
  if (ranker.target().isHost() && wantsMemoryBetween(ops))
    return {.wantsMemory = true};
  OpBuilder b(kernel.getContext());
  SmallVector<Value> inputs, outputs;
  func::FuncOp trial = build(b, "trial", ops, inputs, outputs);
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  FailureOr<Ranking> ranking = ranker.rank(trial, user);
  Price price;
  price.isRefused = failed(ranking);
  if (succeeded(ranking) && !ranking->empty()) {
    const Candidate &best = ranking->winner();
    price.isPossible = best.isUsers || best.fits;
    price.spilled = best.spilled;
    price.cost = best.cost;
    if (ops.size() > 1 && recomputed(trial, best) > mostRecomputed)
      price.isPossible = false;
    if (failed(ranker.apply(trial, best, user.strictFp))) {
      price.isPossible = false;
      price.isRefused = true;
    }
  }
  trial->erase();
  return price;
}

bool LaunchFormer::isOneLaunch() {
  Cluster all;
  all.insert_range(ops);
  whole = priceOf(all);
  return whole.isPossible && whole.spilled == 0 &&
         llvm::count_if(ops, isHeavy) <= 1;
}

SmallVector<unsigned> LaunchFormer::producersOf(Operation *op) const {
  llvm::SetVector<Value> read;
  collectInputs(op, read);
  llvm::SmallSetVector<unsigned, 4> numbers;
  for (Value value : read)
    if (Operation *maker = value.getDefiningOp())
      if (auto it = clusterOf.find(maker); it != clusterOf.end())
        numbers.insert(it->second);
  return numbers.takeVector();
}

bool LaunchFormer::mayJoin(Operation *op, unsigned number) {
  Cluster alone, together(clusters[number]);
  alone.insert(op);
  together.insert(op);
  Price joined = priceOf(together);
  if (!joined.isPossible)
    return false;
  Price apart = priceOf(alone);
  if (apart.isPossible &&
      (joined.spilled > prices[number].spilled + apart.spilled ||
       joined.cost > prices[number].cost + apart.cost + slotsPerLaunch))
    return false;
  clusters[number] = together;
  prices[number] = joined;
  return true;
}

bool LaunchFormer::isReadBetween(unsigned from, unsigned to) const {
  for (unsigned other = from + 1; other < to; ++other)
    for (Operation *op : clusters[other])
      if (llvm::is_contained(producersOf(op), from))
        return true;
  return false;
}

/// Merges other clusters that an op reads from into its own.
void LaunchFormer::drawIn(Operation *op, unsigned into) {
  for (unsigned from : producersOf(op)) {
    if (from >= into || clusters[from].empty() || isReadBetween(from, into))
      continue;
    Cluster together(clusters[from]);
    together.insert_range(clusters[into]);
    Price joined = priceOf(together);
    if (!joined.isPossible ||
        joined.spilled > prices[from].spilled + prices[into].spilled ||
        joined.cost > prices[from].cost + prices[into].cost + slotsPerLaunch)
      continue;
    for (Operation *moved : clusters[from])
      clusterOf[moved] = into;
    clusters[into] = together;
    prices[into] = joined;
    clusters[from].clear();
  }
}

/// Keeps the ops of an attention together, so that no tensor of the size of all
/// scores is in memory; they take the place of the last one.
void LaunchFormer::keepAttentions() {
  for (Operation *op : ops) {
    SmallVector<Operation *> attention = findAttention(op);
    Cluster together;
    together.insert_range(attention);
    if (attention.empty() || !priceOf(together).isPossible)
      continue;
    for (Operation *part : attention)
      heldFor[part] = op;
    attentions[op] = together;
  }
}

void LaunchFormer::cluster() {
  keepAttentions();
  for (Operation *op : ops) {
    if (auto it = heldFor.find(op); it != heldFor.end() && it->second != op)
      continue;
    if (auto it = attentions.find(op); it != attentions.end()) {
      for (Operation *part : it->second)
        clusterOf[part] = clusters.size();
      clusters.push_back(it->second);
      prices.push_back(priceOf(it->second));
      continue;
    }
    SmallVector<unsigned> producers = producersOf(op);
    unsigned last = 0;
    for (unsigned number : producers)
      last = std::max(last, number);
    if (producers.empty() || !mayJoin(op, last)) {
      last = clusters.size();
      clusters.emplace_back().insert(op);
      prices.push_back(priceOf(clusters.back()));
    }
    clusterOf[op] = last;
    drawIn(op, last);
  }
  for (size_t i = clusters.size(); i-- > 0;)
    if (clusters[i].empty()) {
      clusters.erase(clusters.begin() + i);
      prices.erase(prices.begin() + i);
    }
  parts.isPossible = true;
  for (const Price &price : prices) {
    parts.spilled += price.spilled;
    parts.cost = saturatingSum(parts.cost, price.cost);
  }
  parts.cost += int64_t(prices.size() - 1) * slotsPerLaunch;
}

/// "linalg.matmul line 5, linalg.generic 2 times lines 7-9 | linalg.softmax"
std::string LaunchFormer::describe(const PackedResults &packed) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      clusters, os,
      [&](const Cluster &cluster) {
        // Adjacent ops of one name count together.
        for (size_t first = 0; first < cluster.size();) {
          size_t last = first;
          while (last + 1 < cluster.size() &&
                 cluster[last + 1]->getName() == cluster[first]->getName())
            ++last;
          func::FuncOp prepared = preparedLaunchOf(cluster[first]);
          os << (first == 0 ? "" : ", ")
             << (prepared ? describePrepared(prepared)
                          : cluster[first]->getName().getStringRef());
          if (last > first)
            os << " " << last - first + 1 << " times";
          int64_t from = lineOf(cluster[first]->getLoc()),
                  to = lineOf(cluster[last]->getLoc());
          if (from != 0)
            os << (to == from ? " line " : " lines ") << from;
          if (to != from)
            os << "-" << to;
          for (Operation *op :
               ArrayRef(cluster.getArrayRef()).slice(first, last - first + 1)) {
            for (int64_t line : readThroughOf(op->getLoc()))
              os << " reading through line " << line;
            packed.describe(op, os);
          }
          first = last + 1;
        }
      },
      " | ");
  return text;
}

/// Places assertions in the first launch after all values that they read.
SmallVector<SmallVector<Operation *>> LaunchFormer::placeAssertions() const {
  SmallVector<SmallVector<Operation *>> placed(clusters.size());
  for (auto assertion : kernel.getBody().front().getOps<cf::AssertOp>()) {
    llvm::SetVector<Value> read;
    collectInputs(assertion, read);
    size_t first = 0;
    for (auto [number, cluster] : llvm::enumerate(clusters))
      if (llvm::any_of(read, [&](Value value) {
            return cluster.contains(value.getDefiningOp());
          }))
        first = number + 1;
    if (first < clusters.size())
      placed[first].push_back(assertion);
    else
      assertion.emitWarning("is about what the last launch computes, and is "
                            "not checked; assert what it is computed from");
  }
  return placed;
}

SmallVector<func::FuncOp> LaunchFormer::write(const PackedResults &packed) {
  OpBuilder b(kernel);
  SmallVector<SmallVector<Operation *>> assertions = placeAssertions();
  DenseMap<Value, int64_t> numbers;
  for (BlockArgument argument : kernel.getArguments())
    numbers[argument] = argument.getArgNumber();
  int64_t next = kernel.getNumArguments();
  SmallVector<SequencedLaunch> launches;
  SmallVector<func::FuncOp> kernels;
  for (auto [number, cluster] : llvm::enumerate(clusters)) {
    SmallVector<Value> inputs, outputs;
    std::string name = launchName(kernel.getName(), number);
    func::FuncOp part =
        build(b, name, cluster, inputs, outputs, assertions[number]);
    for (NamedAttribute attribute : kernel->getDiscardableAttrs())
      part->setAttr(attribute.getName(), attribute.getValue());
    SequencedLaunch launch{name, {}, int64_t(outputs.size())};
    for (Value input : inputs)
      launch.operands.push_back(numbers.lookup(input));
    for (Value output : outputs)
      numbers[output] = next++;
    markUnpacked(part, inputs);
    launches.push_back(launch);
    kernels.push_back(part);
  }
  SmallVector<int64_t> returned;
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    returned.push_back(numbers.lookup(value));
  packed.markOn(LaunchSequence::create(b, kernel.getLoc(), kernel.getName(),
                                       packed.type, launches, returned),
                kernel);
  kernel.erase();
  return kernels;
}

/// Forms the launches, in which prepared launches may still be called.
static SmallVector<func::FuncOp>
formOrKeep(func::FuncOp kernel, KernelRanker &ranker, const UserChoices &user,
           const PackedResults &packed, DecisionLog *log) {
  LaunchFormer former(kernel, ranker, user);
  former.findOps();
  bool isTuned = llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return op.hasAttr(iree::LoweringConfigAttr::attributeName);
  });
  // Splitting a kernel does not help if the user's choice is refused.
  if (former.isEmpty() || former.isOneLaunch() ||
      (isTuned && former.whole.isRefused))
    return SmallVector<func::FuncOp>{packed.asSequence(kernel)};
  former.cluster();
  const Price &whole = former.whole, &parts = former.parts;
  bool isOne = former.numClusters() <= 1 ||
               (whole.isPossible && whole.spilled <= parts.spilled &&
                whole.cost <= parts.cost);
  if (log && former.numClusters() > 1) {
    ChoiceDecision decision{0, kernel.getName().str(), "launches", {}, {}};
    Alternative several{std::to_string(former.numClusters()) +
                            " launches: " + former.describe(packed),
                        parts.cost, ""};
    Alternative one{
        "one launch", whole.cost,
        whole.isPossible ? ""
        : whole.wantsMemory
            ? "does not fuse: beside a product other ops wait in memory anyway"
            : "does not fuse: a workgroup would hold or compute too much"};
    decision.chosen = isOne ? one : several;
    decision.losers.push_back(isOne ? several : one);
    log->choices.push_back(std::move(decision));
  }
  return isOne ? SmallVector<func::FuncOp>{packed.asSequence(kernel)}
               : former.write(packed);
}

FailureOr<SmallVector<func::FuncOp>>
distaff::formLaunches(func::FuncOp kernel, KernelRanker &ranker,
                      const UserChoices &user, DecisionLog *log) {
  auto module = kernel->getParentOfType<ModuleOp>();
  Location loc = kernel.getLoc();
  FailureOr<PackedResults> packed = packResults(kernel);
  if (failed(packed))
    return failure();
  SmallVector<func::FuncOp> launches =
      formOrKeep(kernel, ranker, user, *packed, log);
  if (!module)
    return launches;
  if (failed(verifyLaunchNames(module, launches, loc)))
    return failure();
  for (func::FuncOp launch : launches)
    inlinePrepared(launch, module);
  erasePrepared(module);
  return launches;
}
