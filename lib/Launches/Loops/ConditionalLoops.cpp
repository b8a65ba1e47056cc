//===- ConditionalLoops.cpp - Trip counts of scf.while --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ConditionalLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// The most iterations that are counted here; longer loops are not unrolled.
static constexpr int64_t mostTrips = 1 << 16;

static bool isScalar(Value value) {
  return value.getType().isIntOrIndexOrFloat();
}

namespace {
/// Counts iterations by the part of a loop that its condition depends on.
class TripCounter {
public:
  TripCounter(RewriterBase &rewriter, scf::WhileOp loop)
      : rewriter(rewriter), loop(loop) {}

  /// Finds the part. Fails if it is not scalar.
  LogicalResult collect();
  /// Reports what keeps the part from being scalar.
  void report();
  /// Returns the trip count, if it is the same in every launch.
  std::optional<int64_t> evaluate();
  /// Returns the trip count as a value at the loop's position.
  Value count();

private:
  LogicalResult visit(Value value);
  LogicalResult refuse(Operation *op) {
    obstacle = obstacle ? obstacle : op;
    return failure();
  }
  LogicalResult evaluate(Block &block);
  Attribute lookup(Value value);
  Value writeLoop();
  void clonePart(Block &from, IRMapping &mapping);

  RewriterBase &rewriter;
  scf::WhileOp loop;
  llvm::SetVector<Value> part;
  Operation *obstacle = nullptr;
  DenseMap<Value, Attribute> known;
};
} // namespace

//===----------------------------------------------------------------------===//
// The part
//===----------------------------------------------------------------------===//

void TripCounter::report() {
  InFlightDiagnostic error = loop.emitOpError(
      "over tensors has a condition that depends on elements of tensors, which "
      "each workgroup has others of; let it depend on scalars alone, or write "
      "the kernel on vectors, or in a pcf.shared_executor, all of whose "
      "members "
      "load the element");
  error.attachNote(obstacle->getLoc()) << "'" << obstacle->getName() << "'";
}

LogicalResult TripCounter::visit(Value value) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return isScalar(value) ? success() : refuse(loop);
  if (!isScalar(value))
    return refuse(value.getDefiningOp() ? value.getDefiningOp() : loop);
  if (!part.insert(value))
    return success();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    return argument.getOwner() == loop.getBeforeBody()
               ? visit(loop.getYieldOp().getOperand(number))
               : visit(loop.getConditionOp().getArgs()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !isPure(op) || op->getNumResults() != 1)
    return refuse(op);
  for (Value operand : op->getOperands()) {
    if (!isScalar(operand))
      return refuse(op);
    if (failed(visit(operand)))
      return failure();
  }
  return success();
}

LogicalResult TripCounter::collect() {
  return visit(loop.getConditionOp().getCondition());
}

//===----------------------------------------------------------------------===//
// Counting at compile time
//===----------------------------------------------------------------------===//

Attribute TripCounter::lookup(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  return known.lookup(value);
}

/// Folds the ops of a block that belong to the part.
LogicalResult TripCounter::evaluate(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1 || !part.contains(op.getResult(0)))
      continue;
    if (lookup(op.getResult(0)) && op.getNumOperands() == 0)
      continue;
    SmallVector<Attribute> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value value) { return lookup(value); });
    SmallVector<OpFoldResult> results;
    if (llvm::is_contained(operands, Attribute()) ||
        failed(op.fold(operands, results)) || results.size() != 1)
      return failure();
    Attribute result = dyn_cast<Attribute>(results.front());
    known[op.getResult(0)] =
        result ? result : lookup(cast<Value>(results.front()));
    if (!known[op.getResult(0)])
      return failure();
  }
  return success();
}

std::optional<int64_t> TripCounter::evaluate() {
  SmallVector<Attribute> carried = llvm::map_to_vector(
      loop.getInits(), [&](Value init) { return lookup(init); });
  for (int64_t trips = 0; trips <= mostTrips; ++trips) {
    for (BlockArgument argument : loop.getBeforeArguments())
      if (part.contains(argument)) {
        if (!carried[argument.getArgNumber()])
          return std::nullopt;
        known[argument] = carried[argument.getArgNumber()];
      }
    if (failed(evaluate(*loop.getBeforeBody())))
      return std::nullopt;
    auto goesOn = dyn_cast_or_null<IntegerAttr>(
        lookup(loop.getConditionOp().getCondition()));
    if (!goesOn)
      return std::nullopt;
    if (goesOn.getValue().isZero())
      return trips;
    for (BlockArgument argument : loop.getAfterArguments())
      if (part.contains(argument))
        known[argument] =
            lookup(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
    if (failed(evaluate(*loop.getAfterBody())))
      return std::nullopt;
    for (auto [value, next] :
         llvm::zip_equal(carried, loop.getYieldOp().getOperands()))
      value = lookup(next);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Counting at run time
//===----------------------------------------------------------------------===//

void TripCounter::clonePart(Block &from, IRMapping &mapping) {
  for (Operation &op : from.without_terminator())
    if (op.getNumResults() == 1 && part.contains(op.getResult(0)))
      rewriter.clone(op, mapping);
}

/// Emits a loop of the part alone, with a counter.
Value TripCounter::writeLoop() {
  Location loc = loop.getLoc();
  auto isPart = [&](Value value) { return part.contains(value); };
  SmallVector<BlockArgument> before(
      llvm::make_filter_range(loop.getBeforeArguments(), isPart));
  SmallVector<BlockArgument> after(
      llvm::make_filter_range(loop.getAfterArguments(), isPart));
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (BlockArgument argument : before)
    inits.push_back(loop.getInits()[argument.getArgNumber()]);
  for (BlockArgument argument : after)
    types.push_back(argument.getType());
  inits.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
  types.push_back(rewriter.getIndexType());
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto counter = scf::WhileOp::create(
      rewriter, loc, types, inits,
      [&](OpBuilder &, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(before, arguments.drop_back());
        clonePart(*loop.getBeforeBody(), mapping);
        SmallVector<Value> handed;
        for (BlockArgument argument : after)
          handed.push_back(mapping.lookupOrDefault(
              loop.getConditionOp().getArgs()[argument.getArgNumber()]));
        handed.push_back(arguments.back());
        scf::ConditionOp::create(
            rewriter, loc,
            mapping.lookupOrDefault(loop.getConditionOp().getCondition()),
            handed);
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(after, arguments.drop_back());
        clonePart(*loop.getAfterBody(), mapping);
        SmallVector<Value> next;
        for (BlockArgument argument : before)
          next.push_back(mapping.lookupOrDefault(
              loop.getYieldOp().getOperand(argument.getArgNumber())));
        next.push_back(
            arith::AddIOp::create(rewriter, loc, arguments.back(), one));
        scf::YieldOp::create(rewriter, loc, next);
      });
  return counter.getResults().back();
}

Value TripCounter::count() {
  rewriter.setInsertionPoint(loop);
  if (std::optional<int64_t> trips = evaluate())
    return arith::ConstantIndexOp::create(rewriter, loop.getLoc(), *trips);
  return writeLoop();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

bool distaff::isScalarLoop(Operation *op) {
  return isa_and_nonnull<scf::WhileOp>(op) &&
         llvm::all_of(op->getOperands(), isScalar) &&
         llvm::all_of(op->getResults(), isScalar);
}

/// Clones a block; returns the operands of its terminator from `first` on.
static SmallVector<Value> cloneBlock(RewriterBase &rewriter, Block &block,
                                     ValueRange arguments, unsigned first) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    rewriter.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands().drop_front(first),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

FailureOr<scf::ForOp> distaff::countLoop(RewriterBase &rewriter,
                                         scf::WhileOp loop) {
  TripCounter counter(rewriter, loop);
  if (failed(counter.collect())) {
    counter.report();
    return failure();
  }
  Location loc = loop.getLoc();
  Value trips = counter.count();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> handed =
      cloneBlock(rewriter, *loop.getBeforeBody(), loop.getInits(), 1);
  auto counted = scf::ForOp::create(
      rewriter, loc, zero, trips, one, handed,
      [&](OpBuilder &, Location, Value, ValueRange arguments) {
        SmallVector<Value> next =
            cloneBlock(rewriter, *loop.getAfterBody(), arguments, 0);
        SmallVector<Value> ended =
            cloneBlock(rewriter, *loop.getBeforeBody(), next, 1);
        scf::YieldOp::create(rewriter, loc, ended);
      });
  rewriter.replaceOp(loop, counted.getResults());
  return counted;
}

void distaff::guardLoop(RewriterBase &rewriter, scf::WhileOp loop,
                        Value condition) {
  TripCounter counter(rewriter, loop);
  if (succeeded(counter.collect()) && counter.evaluate())
    return;
  scf::ConditionOp question = loop.getConditionOp();
  rewriter.setInsertionPoint(question);
  Value both = arith::AndIOp::create(rewriter, loop.getLoc(), condition,
                                     question.getCondition());
  rewriter.modifyOpInPlace(
      question, [&] { question.getConditionMutable().assign(both); });
}

scf::IfOp distaff::branchOnCases(RewriterBase &rewriter,
                                 scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto take = [&](Region &from, Block *to) {
    rewriter.inlineBlockBefore(&from.front(), to, to->end());
  };
  scf::IfOp outermost;
  for (auto [number, value] : llvm::enumerate(op.getCases())) {
    Value wanted = arith::ConstantIndexOp::create(rewriter, loc, value);
    Value is = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                     op.getArg(), wanted);
    auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(), is,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    if (outermost) {
      rewriter.setInsertionPointAfter(branch);
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    } else {
      outermost = branch;
    }
    take(op.getCaseRegions()[number], branch.thenBlock());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    if (number + 1 == op.getCases().size())
      take(op.getDefaultRegion(), branch.elseBlock());
  }
  if (!outermost) {
    // A switch without cases has no branch.
    Value always = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
    outermost = scf::IfOp::create(rewriter, loc, op.getResultTypes(), always,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
    rewriter.setInsertionPointToStart(outermost.elseBlock());
    IRMapping mapping;
    for (Operation &inner : op.getDefaultRegion().front())
      rewriter.clone(inner, mapping);
    take(op.getDefaultRegion(), outermost.thenBlock());
  }
  rewriter.replaceOp(op, outermost.getResults());
  return outermost;
}
