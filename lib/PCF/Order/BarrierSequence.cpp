//===- BarrierSequence.cpp - Equal barrier sequences of workers -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BarrierSequence.h"

#include "WorkerUniformity.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace distaff;
using namespace distaff::pcf;

namespace {

struct Node;
using Sequence = std::vector<Node>;

/// Describes a barrier, a loop or a branch; `count` of the same in a row.
struct Node {
  std::string label;
  /// The id of a subset barrier; none for one of all workers.
  std::optional<int64_t> id;
  std::vector<Sequence> parts;
  unsigned count = 1;
  /// True if only some workers of a branch have it: it is not compared, but it
  /// must not be in a loop whose trip count differs.
  bool isPartial = false;
};

std::string print(const Sequence &sequence) {
  std::string text;
  for (const Node &node : sequence) {
    text += (text.empty() ? "" : ", ") + node.label;
    for (const Sequence &part : node.parts)
      text += "{" + print(part) + "}";
    if (node.count > 1)
      text += " x" + std::to_string(node.count);
  }
  return text.empty() ? "nothing" : text;
}

/// Adds a node; equal neighbors are one node with a count.
void append(Sequence &sequence, Node node) {
  auto text = [](Node node) {
    node.count = 1;
    return print({node});
  };
  if (!sequence.empty() && sequence.back().isPartial == node.isPartial &&
      text(sequence.back()) == text(node))
    sequence.back().count += node.count;
  else
    sequence.push_back(std::move(node));
}

void collectIds(const Sequence &sequence, std::set<int64_t> &ids) {
  for (const Node &node : sequence) {
    if (node.id)
      ids.insert(*node.id);
    for (const Sequence &part : node.parts)
      collectIds(part, ids);
  }
}

/// Returns the sequence without subset barriers of other ids.
Sequence project(const Sequence &sequence, const std::set<int64_t> &ids) {
  Sequence result;
  for (const Node &node : sequence) {
    if (node.isPartial || (node.id && !ids.count(*node.id)))
      continue;
    Node kept = node;
    bool isEmpty = !node.parts.empty();
    for (Sequence &part : kept.parts) {
      part = project(part, ids);
      isEmpty &= part.empty();
    }
    if (!isEmpty)
      append(result, std::move(kept));
  }
  return result;
}

/// Returns the barriers that `project` leaves out, each once.
Sequence leaveOut(const Sequence &sequence, const std::set<int64_t> &ids) {
  Sequence result;
  for (const Node &node : sequence) {
    if (node.isPartial || (node.id && !ids.count(*node.id)))
      result.push_back(node);
    for (const Sequence &part : node.parts)
      llvm::append_range(result, leaveOut(part, ids));
  }
  for (Node &node : result)
    node.isPartial = true;
  return result;
}

/// Returns the ids that both sequences have: only their participants compare
/// them.
std::set<int64_t> commonIds(const Sequence &a, const Sequence &b) {
  std::set<int64_t> left, right, both;
  collectIds(a, left);
  collectIds(b, right);
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::inserter(both, both.end()));
  return both;
}

/// Reads the sequence of one level of barriers out of worker code.
class SequenceReader {
public:
  SequenceReader(const WorkerLevel &level, UniformityRemark remark)
      : level(level), uniformity(level, remark) {}

  FailureOr<Sequence> read(Region &region);

private:
  LogicalResult readOp(Operation &op, Sequence &sequence);
  LogicalResult readLoop(Operation &op, StringRef name, ValueRange bounds,
                         ArrayRef<Region *> bodies, Sequence &sequence);
  LogicalResult readBranch(Operation &op, Value condition,
                           ArrayRef<Region *> regions, Sequence &sequence);
  LogicalResult inlineRegions(Operation &op, Sequence &sequence);
  bool isUniformGraph(Region &region);
  std::string key(Value value);
  std::string expression(OpResult value);
  void printOp(Operation &op, raw_ostream &os);
  void printRegions(Operation &op, raw_ostream &os);

  const WorkerLevel &level;
  Uniformity uniformity;
  /// Induction variables of the loops around, outermost first, by number: the
  /// loops of two sides of a branch are different ops.
  llvm::DenseMap<Value, unsigned> inductions;
  llvm::DenseMap<Value, unsigned> leaves;
  /// Numbers of expressions that are too long to be printed inside another one,
  /// so that text does not double if operands are shared.
  llvm::StringMap<unsigned> longTexts;
  llvm::DenseMap<Value, std::string> expressions;
  /// Numbers of values that are defined in the regions that are being printed.
  llvm::DenseMap<Value, unsigned> locals;
  unsigned depth = 0, graphs = 0;
};

} // namespace

/// Returns whether an op's regions define what it computes from values outside
/// of them (PCF-194).
static bool computesByRegions(Operation *op) {
  auto isOneBlock = [](Region &region) {
    return region.empty() || region.hasOneBlock();
  };
  auto isComputed = [&](Operation *inner) {
    bool isKnown = inner->getNumOperands() > 0 ||
                   inner->hasTrait<mlir::OpTrait::IsTerminator>() ||
                   inner->hasTrait<mlir::OpTrait::ConstantLike>();
    return isKnown && llvm::all_of(inner->getRegions(), isOneBlock)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return op->getNumRegions() > 0 && isMemoryEffectFree(op) &&
         !op->walk(isComputed).wasInterrupted();
}

/// Returns the type of a constant as text: -1 of i8 and of i1 are two numbers
/// without a sign.
static std::string typeText(Type type) {
  if (type.isIndex())
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << " : " << type;
  return text;
}

/// Returns a text that is equal for two values that are computed in the same
/// way.
std::string SequenceReader::key(Value value) {
  if (auto it = locals.find(value); it != locals.end())
    return "l" + std::to_string(it->second);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return llvm::toString(constant, 10, /*Signed=*/true) +
           typeText(value.getType());
  if (auto it = inductions.find(value); it != inductions.end())
    return "i" + std::to_string(it->second);
  Operation *op = value.getDefiningOp();
  bool isExpression =
      op && (op->getNumRegions() == 0 ? isPure(op) && op->getNumOperands()
                                      : computesByRegions(op));
  if (isExpression)
    return expression(cast<OpResult>(value));
  // A leaf is equal only to itself; leaves are numbered in the order of
  // appearance.
  unsigned number = leaves.try_emplace(value, leaves.size()).first->second;
  return "v" + std::to_string(number);
}

std::string SequenceReader::expression(OpResult value) {
  if (auto it = expressions.find(value); it != expressions.end())
    return it->second;
  Operation *op = value.getOwner();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto around = std::exchange(
      locals, llvm::DenseMap<Value, unsigned>()); // two copies count from 0
  printOp(*op, os);
  locals = std::move(around);
  if (op->getNumResults() > 1)
    os << '#' << value.getResultNumber();
  constexpr size_t longest = 200;
  if (text.size() > longest) {
    unsigned number =
        longTexts.try_emplace(text, longTexts.size()).first->second;
    text = "e" + std::to_string(number);
  }
  expressions[value] = text;
  return text;
}

/// Prints an op, its attributes and its operands.
void SequenceReader::printOp(Operation &op, raw_ostream &os) {
  os << op.getName();
  // Attributes matter: two comparisons may differ in the predicate alone. Two
  // ops on the same bits may differ in the type of the result alone.
  if (DictionaryAttr attributes = op.getAttrDictionary(); !attributes.empty())
    os << attributes;
  if (!llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>))
    os << " to " << op.getResultTypes();
  os << '(';
  llvm::interleaveComma(op.getOperands(), os,
                        [&](Value operand) { os << key(operand); });
  os << ')';
  printRegions(op, os);
}

void SequenceReader::printRegions(Operation &op, raw_ostream &os) {
  auto define = [&](ValueRange values) {
    for (Value value : values)
      locals.try_emplace(value, locals.size());
  };
  for (Region &region : op.getRegions()) {
    os << '{';
    define(region.getArguments());
    for (Operation &inner : region.getOps()) {
      printOp(inner, os);
      define(inner.getResults());
      os << ';';
    }
    os << '}';
  }
}

FailureOr<Sequence> SequenceReader::read(Region &region) {
  Sequence sequence;
  bool hasGraph = !region.empty() && !region.hasOneBlock();
  for (Block &block : region)
    for (Operation &op : block)
      if (failed(readOp(op, sequence)))
        return failure();
  if (!hasGraph || sequence.empty())
    return sequence;
  if (!isUniformGraph(region))
    return region.getParentOp()->emitError()
           << "clusters disagree on the barrier sequence: barriers between "
              "branches of blocks cannot be compared";
  // All workers take the same path through the graph; no other graph is known
  // to have that path.
  Node node{"blocks " + std::to_string(graphs++), {}, {std::move(sequence)}};
  return Sequence{std::move(node)};
}

/// Returns whether all branches of a control-flow graph depend on uniform
/// values only.
bool SequenceReader::isUniformGraph(Region &region) {
  return llvm::all_of(region, [&](Block &block) {
    auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
    if (!branch)
      return true;
    llvm::SmallPtrSet<OpOperand *, 4> handedOn;
    for (unsigned i : llvm::seq(branch->getNumSuccessors()))
      for (OpOperand &operand :
           branch.getSuccessorOperands(i).getMutableForwardedOperands())
        handedOn.insert(&operand);
    return llvm::all_of(branch->getOpOperands(), [&](OpOperand &operand) {
      return handedOn.contains(&operand) ||
             uniformity.isUniform(branch, operand.get());
    });
  });
}

LogicalResult SequenceReader::inlineRegions(Operation &op, Sequence &sequence) {
  for (Region &region : op.getRegions()) {
    FailureOr<Sequence> inner = read(region);
    if (failed(inner))
      return failure();
    for (Node &node : *inner)
      append(sequence, std::move(node));
  }
  return success();
}

LogicalResult SequenceReader::readLoop(Operation &op, StringRef name,
                                       ValueRange bounds,
                                       ArrayRef<Region *> bodies,
                                       Sequence &sequence) {
  // A value that the loop computes is no expression over outside values.
  std::string label = name.str() + "(";
  llvm::interleave(
      bounds, [&](Value bound) { label += key(bound); },
      [&] { label += ", "; });
  label += ")";
  unsigned outside = depth;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (std::optional<SmallVector<Value>> ivs = loop.getLoopInductionVars())
      for (Value iv : *ivs)
        inductions[iv] = depth++;
  Node node{std::move(label), {}, {{}}};
  for (Region *body : bodies) {
    FailureOr<Sequence> inner = read(*body);
    if (failed(inner))
      return failure();
    for (Node &child : *inner)
      append(node.parts.front(), std::move(child));
  }
  depth = outside;
  if (node.parts.front().empty())
    return success();
  node.isPartial = llvm::all_of(
      node.parts.front(), [](const Node &child) { return child.isPartial; });
  for (Value bound : bounds)
    if (!uniformity.isUniform(&op, bound))
      return op.emitError()
             << "clusters disagree on the barrier sequence: " << print({node})
             << " runs differently often on different workers";
  append(sequence, std::move(node));
  return success();
}

LogicalResult SequenceReader::readBranch(Operation &op, Value condition,
                                         ArrayRef<Region *> regions,
                                         Sequence &sequence) {
  std::vector<Sequence> sides;
  for (Region *region : regions) {
    FailureOr<Sequence> side = read(*region);
    if (failed(side))
      return failure();
    sides.push_back(std::move(*side));
  }
  std::optional<std::pair<std::string, std::string>> difference;
  std::set<int64_t> everywhere;
  collectIds(sides.front(), everywhere);
  for (size_t i = 0; i < sides.size() && !difference; ++i)
    for (size_t j = i + 1; j < sides.size() && !difference; ++j) {
      std::set<int64_t> common = commonIds(sides[i], sides[j]);
      std::string a = print(project(sides[i], common));
      std::string b = print(project(sides[j], common));
      if (a != b)
        difference = {a, b};
    }
  if (!difference) {
    for (const Sequence &side : sides)
      everywhere = [&] {
        std::set<int64_t> ids, both;
        collectIds(side, ids);
        std::set_intersection(everywhere.begin(), everywhere.end(), ids.begin(),
                              ids.end(), std::inserter(both, both.end()));
        return both;
      }();
    for (Node &node : project(sides.front(), everywhere))
      append(sequence, std::move(node));
    for (const Sequence &side : sides)
      llvm::append_range(sequence, leaveOut(side, everywhere));
    return success();
  }
  if (!uniformity.isUniform(&op, condition))
    return op.emitError() << "clusters disagree on the barrier sequence: "
                          << difference->first << " vs " << difference->second;
  append(sequence, Node{"if(" + key(condition) + ")", {}, std::move(sides)});
  return success();
}

LogicalResult SequenceReader::readOp(Operation &op, Sequence &sequence) {
  if (std::optional<LevelBarrier> barrier = level.getBarrier(&op)) {
    append(sequence, Node{barrier->label, barrier->id, {}});
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp loop) {
        return readLoop(
            op, loop.getUnsignedCmp() ? "for unsigned" : "for",
            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
            {&loop.getRegion()}, sequence);
      })
      .Case([&](scf::WhileOp loop) {
        return readLoop(op, "while", loop.getConditionOp().getCondition(),
                        {&loop.getBefore(), &loop.getAfter()}, sequence);
      })
      .Case<scf::ForallOp, scf::ParallelOp>([&](auto loop) {
        SmallVector<Value> bounds = loop->getOperands();
        return readLoop(op, "forall", bounds, {&loop.getRegion()}, sequence);
      })
      .Case([&](LoopOp loop) {
        // The scope distributes iterations, so workers run different numbers of
        // them.
        SmallVector<Value> bounds(loop.getIds());
        return readLoop(op, "loop", bounds, {&loop.getExecute()}, sequence);
      })
      .Case([&](scf::IfOp branch) {
        return readBranch(op, branch.getCondition(),
                          {&branch.getThenRegion(), &branch.getElseRegion()},
                          sequence);
      })
      .Case([&](scf::IndexSwitchOp branch) {
        SmallVector<Region *> regions;
        for (Region &region : branch.getCaseRegions())
          regions.push_back(&region);
        regions.push_back(&branch.getDefaultRegion());
        return readBranch(op, branch.getArg(), regions, sequence);
      })
      .Default([&](Operation *) { return inlineRegions(op, sequence); });
}

LogicalResult pcf::verifyBarrierSequences(Operation *root,
                                          UniformityRemark remark) {
  WalkResult result = root->walk([&](Operation *op) {
    for (const WorkerLevel &level : getWorkerLevels(op)) {
      SequenceReader reader(level, remark);
      if (failed(reader.read(*level.body)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
