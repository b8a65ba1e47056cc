//===- FusedGroup.cpp - Common axes of the loops of fused ops -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Axes are the classes of a union-find over the loops of all ops. Loops are
// numbered consecutively; a tensor that one op writes and another reads unites
// a loop of each per dim.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/OnlineSoftmax.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace distaff;

std::optional<unsigned> GroupOp::loopOf(unsigned axis) const {
  auto it = llvm::find(axes, axis);
  if (it == axes.end())
    return std::nullopt;
  return it - axes.begin();
}

//===----------------------------------------------------------------------===//
// Properties of ops
//===----------------------------------------------------------------------===//

/// Describes a softmax, which reads and writes whole rows: identity maps, one
/// reduction loop.
static GroupOp readSoftmax(linalg::SoftmaxOp op) {
  GroupOp result;
  result.op = op;
  result.iterators = op.getLoopIteratorTypes();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(
      result.iterators.size(), op.getContext());
  result.operandMaps.assign(op->getNumOperands(), identity);
  result.resultMaps.assign(1, identity);
  return result;
}

static std::optional<GroupOp> readOp(Operation *op) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return readSoftmax(softmax);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics())
    return std::nullopt;
  GroupOp result;
  result.op = op;
  result.iterators = linalgOp.getIteratorTypesArray();
  result.operandMaps = linalgOp.getIndexingMapsArray();
  for (OpResult value : op->getResults())
    result.resultMaps.push_back(linalgOp.getIndexingMapMatchingResult(value));
  return result;
}

/// Returns the extents of loops; `ShapedType::kDynamic` if known only at
/// launch.
static SmallVector<int64_t> loopExtents(const GroupOp &groupOp) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(groupOp.op))
    return linalgOp.getStaticLoopRanges();
  return llvm::to_vector(
      cast<ShapedType>(groupOp.op->getOperand(0).getType()).getShape());
}

/// Returns the loop that iterates over dim `dim` of a value accessed through
/// `map`, or nullopt if there is none or a combination of loops does.
static std::optional<unsigned> loopAt(AffineMap map, unsigned dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  if (!expr)
    return std::nullopt;
  return expr.getPosition();
}

namespace {
/// The loops of all ops, numbered consecutively, with their classes.
struct LoopClasses {
  ArrayRef<GroupOp> ops;
  SmallVector<unsigned> firstLoop; // per op
  llvm::IntEqClasses classes;
  llvm::IntEqClasses components;         // of ops, connected by values
  llvm::SmallSet<unsigned, 4> irregular; // loops

  explicit LoopClasses(ArrayRef<GroupOp> ops)
      : ops(ops), components(ops.size()) {
    unsigned count = 0;
    for (const GroupOp &op : ops) {
      firstLoop.push_back(count);
      count += op.iterators.size();
    }
    classes.grow(count);
  }

  void unite(unsigned opA, AffineMap mapA, unsigned opB, AffineMap mapB) {
    components.join(opA, opB);
    for (unsigned dim = 0; dim < mapA.getNumResults(); ++dim) {
      std::optional<unsigned> a = loopAt(mapA, dim), b = loopAt(mapB, dim);
      if (a && b)
        classes.join(firstLoop[opA] + *a, firstLoop[opB] + *b);
      else if (a && !isa<AffineConstantExpr>(mapB.getResult(dim)))
        irregular.insert(firstLoop[opA] + *a);
    }
  }

  /// Returns how many loops share a class with another loop of the same op.
  unsigned countDiagonals() const {
    unsigned count = 0;
    for (auto [index, op] : llvm::enumerate(ops)) {
      llvm::SmallSet<unsigned, 8> seen;
      for (unsigned loop = 0; loop < op.iterators.size(); ++loop)
        count +=
            !seen.insert(classes.findLeader(firstLoop[index] + loop)).second;
    }
    return count;
  }

  bool areTied(unsigned opA, unsigned opB) const {
    return components.findLeader(opA) == components.findLeader(opB);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Construction of axes
//===----------------------------------------------------------------------===//

static void uniteThroughValues(LoopClasses &loops) {
  DenseMap<Value, std::pair<unsigned, AffineMap>> makers;
  for (auto [index, groupOp] : llvm::enumerate(loops.ops)) {
    for (auto [operand, map] :
         llvm::zip_equal(groupOp.op->getOperands(), groupOp.operandMaps))
      if (auto it = makers.find(operand); it != makers.end())
        loops.unite(it->second.first, it->second.second, index, map);
    // All elements of a fill are equal, so its users need no common axes.
    if (isa<linalg::FillOp>(groupOp.op))
      continue;
    for (auto [result, map] :
         llvm::zip_equal(groupOp.op->getResults(), groupOp.resultMaps))
      makers[result] = {unsigned(index), map};
  }
}

/// Unites the axes of ops that read the same argument, or one view of it, so
/// that each workgroup reads a part of it. This is optional, and is not done if
/// it would put two loops of one op on one axis, as in a * a^T.
static void uniteThroughArguments(LoopClasses &loops) {
  llvm::MapVector<Value, SmallVector<std::pair<unsigned, AffineMap>>> readers;
  for (auto [index, groupOp] : llvm::enumerate(loops.ops)) {
    // Skip inits: unrelated ops share empty tensors.
    auto op = cast<DestinationStyleOpInterface>(groupOp.op);
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isa<BlockArgument>(operand->get()) ||
          isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                          tensor::ExtractSliceOp, tensor::PadOp>(
              operand->get().getDefiningOp()))
        readers[operand->get()].push_back(
            {unsigned(index),
             groupOp.operandMaps[operand->getOperandNumber()]});
  }
  for (auto &[value, uses] : readers) {
    LoopClasses united = loops;
    for (auto &[index, map] : ArrayRef(uses).drop_front())
      united.unite(uses.front().first, uses.front().second, index, map);
    if (united.countDiagonals() == loops.countDiagonals())
      loops = std::move(united);
  }
}

/// Unites the axes of results that share no values if they have the same shape,
/// dim by dim, for any dynamic extents: they fit one grid.
static void uniteResultsOfEqualShape(LoopClasses &loops, ValueRange results) {
  struct Result {
    unsigned op;
    AffineMap map;
    ArrayRef<int64_t> shape;
  };
  SmallVector<Result> found;
  for (Value value : results)
    for (auto [index, groupOp] : llvm::enumerate(loops.ops))
      if (value.getDefiningOp() == groupOp.op)
        found.push_back(
            {unsigned(index),
             groupOp.resultMaps[cast<OpResult>(value).getResultNumber()],
             cast<ShapedType>(value.getType()).getShape()});
  for (const Result &result : found)
    if (result.shape == found.front().shape &&
        !ShapedType::isDynamicShape(result.shape) &&
        !loops.areTied(found.front().op, result.op))
      loops.unite(found.front().op, found.front().map, result.op, result.map);
}

/// Returns whether the op must have all axes; a fill is free and may lack some.
static bool mustHaveEveryAxis(const GroupOp &groupOp, ValueRange results) {
  return groupOp.isReduction() || llvm::any_of(results, [&](Value value) {
           return value.getDefiningOp() == groupOp.op;
         });
}

/// Returns the ops of `block` that `results` depend on.
static DenseSet<Operation *> backwardSlice(Block &block, ValueRange results) {
  DenseSet<Operation *> slice;
  SmallVector<Value> values = llvm::to_vector(results);
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    op = op ? block.findAncestorOpInBlock(*op) : nullptr;
    if (!op || !slice.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      llvm::append_range(values, inner->getOperands());
    });
  }
  return slice;
}

/// Returns a key that orders ops by their importance for tile sizes.
static std::tuple<bool, bool, int64_t, bool, bool>
weight(const GroupOp &groupOp) {
  int64_t points = 1;
  for (int64_t extent : loopExtents(groupOp))
    points = saturatingProduct(points, ShapedType::isDynamic(extent)
                                           ? nominalExtent
                                           : std::max<int64_t>(extent, 1));
  return {groupOp.contracts && !findAttention(groupOp.op).empty(),
          groupOp.contracts, points, groupOp.isReduction(),
          !isa<linalg::FillOp>(groupOp.op)};
}

Value distaff::withoutReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool distaff::hasNoElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && llvm::is_contained(shaped.getShape(), 0);
}

SmallVector<Value> distaff::computedResults(Block &body) {
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    if (!hasNoElements(value.getType()))
      results.push_back(withoutReshapes(value));
  return results;
}

FusedGroup FusedGroup::get(Block &block, ValueRange returned) {
  FusedGroup group;
  SmallVector<Value> results;
  for (Value value : returned)
    if (!hasNoElements(value.getType()))
      results.push_back(withoutReshapes(value));
  DenseSet<Operation *> needed = backwardSlice(block, results);
  for (Operation &op : block)
    if (needed.contains(&op))
      if (std::optional<GroupOp> groupOp = readOp(&op)) {
        groupOp->contracts = matchProduct(&op).has_value();
        group.groupOps.push_back(std::move(*groupOp));
      }
  for (size_t at = 1; at < group.groupOps.size(); ++at)
    if (weight(group.groupOps[at]) > weight(group.groupOps[group.costliest]))
      group.costliest = at;
  LoopClasses loops(group.groupOps);
  uniteThroughValues(loops);
  uniteThroughArguments(loops);
  uniteResultsOfEqualShape(loops, results);
  loops.classes.compress();

  group.groupAxes.resize(loops.classes.getNumClasses());
  for (LoopAxis &axis : group.groupAxes)
    axis = {.extent = 0, .isDynamic = true};
  for (auto [index, groupOp] : llvm::enumerate(group.groupOps)) {
    assert(loopExtents(groupOp).size() == groupOp.iterators.size() &&
           "a loop has an extent and is of a kind");
    for (auto [loop, extent] : llvm::enumerate(loopExtents(groupOp))) {
      unsigned axis = loops.classes[loops.firstLoop[index] + loop];
      LoopAxis &info = group.groupAxes[axis];
      if (!ShapedType::isDynamic(extent)) {
        info.isDynamic = false;
        info.extent = std::max(info.extent, extent);
      }
      info.isDiagonal |= llvm::is_contained(groupOp.axes, axis);
      info.isParallel &=
          groupOp.iterators[loop] == utils::IteratorType::parallel;
      info.isRegular &=
          !loops.irregular.contains(loops.firstLoop[index] + loop);
      groupOp.axes.push_back(axis);
    }
  }
  for (auto [axis, info] : llvm::enumerate(group.groupAxes)) {
    if (info.isDynamic)
      info.extent = nominalExtent;
    info.isEmpty = info.extent == 0;
    info.extent = std::max<int64_t>(info.extent, 1);
    for (const GroupOp &groupOp : group.groupOps) {
      bool isFree = isa<linalg::FillOp>(groupOp.op) &&
                    !mustHaveEveryAxis(groupOp, results);
      if (!isFree && groupOp.loopOf(axis))
        info.isOfFillsOnly = false;
      if (mustHaveEveryAxis(groupOp, results) && !groupOp.loopOf(axis))
        info.isEverywhere = false;
    }
  }
  return group;
}

const GroupOp *FusedGroup::find(Operation *op) const {
  if (!op)
    return nullptr; // the operand is a block argument
  for (const GroupOp &groupOp : groupOps)
    if (groupOp.op == op)
      return &groupOp;
  return nullptr;
}

const GroupOp *FusedGroup::root() const {
  for (const GroupOp &groupOp : groupOps)
    if (groupOp.op->getDiscardableAttr(iree::LoweringConfigAttr::attributeName))
      return &groupOp;
  return groupOps.empty() ? nullptr : &groupOps[costliest];
}

SmallVector<unsigned> FusedGroup::gridAxes() const {
  SmallVector<unsigned> result;
  if (const GroupOp *rootOp = root())
    for (unsigned axis : rootOp->axes)
      if (groupAxes[axis].mayBeGridAxis())
        result.push_back(axis);
  return result;
}

FusedGroup FusedGroup::of(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  return get(body, body.getTerminator()->getOperands());
}

Operation *distaff::findRoot(func::FuncOp kernel) {
  FusedGroup group = FusedGroup::of(kernel);
  return group.root() ? group.root()->op : nullptr;
}
