//===- ControlPrograms.cpp - Loops and branches that hand values on -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for, scf.while, scf.if and scf.index_switch, nested two deep, whose
// values are swapped, forwarded twice, invariant, equal on both sides or
// unused.
//
//===----------------------------------------------------------------------===//
#include "Draft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;
using namespace distaff::rewrite_test;

namespace {
class ControlDraft {
public:
  explicit ControlDraft(Draft &d) : d(d) {}
  Program make();

private:
  using Values = SmallVector<Value>;

  /// A value that is visible here.
  Value any() {
    if (d.chance(12) || pool.empty())
      return arith::ConstantOp::create(d, d.number(type));
    return d.chance(50) ? pool.back() : d.pick(pool);
  }
  Values some(int64_t count) {
    Values values;
    for (int64_t place = 0; place < count; ++place)
      // The same one again is what folds are about.
      values.push_back(place && d.chance(30) ? d.pick(values) : any());
    return values;
  }
  Value condition();
  void compute();
  void step(int64_t depth);
  void addBlock(int64_t depth, int64_t steps);
  void addIf(int64_t depth);
  void addFor(int64_t depth);
  void addWhile(int64_t depth);
  void addSwitch(int64_t depth);
  void addRegion(int64_t depth);
  Values decided(Value go, int64_t count);

  Draft &d;
  Type type;
  SmallVector<Value> pool, conditions;
};

/// What is made inside of a region is invisible behind it.
class Visible {
public:
  explicit Visible(SmallVector<Value> &values)
      : values(values), count(values.size()) {}
  ~Visible() { values.truncate(count); }

private:
  SmallVector<Value> &values;
  size_t count;
};
} // namespace

Value ControlDraft::condition() {
  if (!conditions.empty() && d.chance(45))
    return d.pick(conditions);
  if (d.chance(8))
    return arith::ConstantIntOp::create(d, d.below(2), 1);
  Value decided =
      arith::CmpIOp::create(d, arith::CmpIPredicate(d.below(10)), any(), any());
  if (d.chance(15))
    decided = arith::XOrIOp::create(d, decided,
                                    arith::ConstantIntOp::create(d, 1, 1));
  conditions.push_back(decided);
  return decided;
}

void ControlDraft::compute() {
  Value x = any(), y = any();
  switch (d.below(5)) {
  case 0:
    return pool.push_back(arith::AddIOp::create(d, x, y));
  case 1:
    return pool.push_back(arith::MulIOp::create(d, x, y));
  case 2:
    return pool.push_back(arith::XOrIOp::create(d, x, y));
  case 3:
    return pool.push_back(arith::SelectOp::create(d, condition(), x, y));
  default:
    return pool.push_back(arith::MaxSIOp::create(d, x, y));
  }
}

void ControlDraft::addBlock(int64_t depth, int64_t steps) {
  for (; steps > 0; --steps)
    step(depth);
}

void ControlDraft::addIf(int64_t depth) {
  int64_t count = d.below(4);
  SmallVector<Type> types(count, type);
  auto branch = scf::IfOp::create(d, types, condition(), /*withElse=*/true);
  OpBuilder::InsertionGuard guard(d);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    Visible outside(pool), decided(conditions);
    block->clear();
    d.setInsertionPointToStart(block);
    addBlock(depth + 1, d.below(3));
    scf::YieldOp::create(d, some(count));
  }
  llvm::append_range(pool, branch.getResults());
}

void ControlDraft::addFor(int64_t depth) {
  int64_t count = d.below(4), low = d.below(3), step = d.between(1, 3);
  Value from = d.index(low), to = d.index(low + d.below(5)), by = d.index(step);
  auto loop = scf::ForOp::create(d, from, to, by, some(count));
  OpBuilder::InsertionGuard guard(d);
  {
    Visible outside(pool), decided(conditions);
    if (loop.getBody()->mightHaveTerminator())
      loop.getBody()->getTerminator()->erase();
    d.setInsertionPointToEnd(loop.getBody());
    if (d.chance(50))
      pool.push_back(
          arith::IndexCastOp::create(d, type, loop.getInductionVar()));
    llvm::append_range(pool, loop.getRegionIterArgs());
    addBlock(depth + 1, d.below(4));
    Values next = some(count);
    // Unchanged, or another's.
    for (Value &value : next)
      if (d.chance(40))
        value = d.pick(loop.getRegionIterArgs());
    scf::YieldOp::create(d, next);
  }
  llvm::append_range(pool, loop.getResults());
}

/// Values that a branch under the loop's own condition chooses.
SmallVector<Value> ControlDraft::decided(Value go, int64_t count) {
  SmallVector<Type> types(count, type);
  auto branch = scf::IfOp::create(d, types, go, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(d);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    Visible outside(pool), decided(conditions);
    d.setInsertionPointToStart(block);
    for (int64_t step = d.below(3); step > 0; --step)
      compute();
    scf::YieldOp::create(d, some(count));
  }
  return Values(branch.getResults());
}

void ControlDraft::addWhile(int64_t depth) {
  int64_t carried = d.between(1, 3), handed = d.between(1, 4);
  Values inits = some(carried);
  // What counts the trips comes first.
  inits.insert(inits.begin(), arith::ConstantOp::create(
                                  d, d.getIntegerAttr(type, d.below(3))));
  SmallVector<Type> types(handed + 1, type);
  auto loop = scf::WhileOp::create(d, types, inits);
  SmallVector<Location> places(handed + 1, d.getLoc());
  OpBuilder::InsertionGuard guard(d);
  {
    Visible outside(pool), known(conditions);
    size_t values = pool.size(), decisions = conditions.size();
    Block *before = d.createBlock(
        &loop.getBefore(), {}, SmallVector<Type>(inits.size(), type),
        SmallVector<Location>(inits.size(), d.getLoc()));
    llvm::append_range(pool, before->getArguments());
    Value count = before->getArgument(0);
    addBlock(depth + 1, d.below(2));
    Value go = arith::CmpIOp::create(
        d, arith::CmpIPredicate::slt, count,
        arith::ConstantOp::create(d, d.getIntegerAttr(type, d.below(6))));
    Values chosen = d.chance(50) ? decided(go, d.between(1, 2)) : Values();
    Values handedOn;
    // No op comes between the branch and the end, or the branch is not moved.
    for (int64_t place = 0; place < handed; ++place)
      handedOn.push_back(
          d.pick(chosen.empty() || d.chance(40) ? pool : chosen));
    int64_t at = d.below(handed + 1);
    handedOn.insert(handedOn.begin() + at, count);
    scf::ConditionOp::create(d, go, handedOn);
    Block *after = d.createBlock(&loop.getAfter(), {}, types, places);
    // Only what is handed on is visible there.
    pool.truncate(values);
    conditions.truncate(decisions);
    llvm::append_range(pool, after->getArguments());
    addBlock(depth + 1, d.below(2));
    Values next = some(carried);
    for (Value &value : next)
      if (d.chance(50))
        value = d.pick(after->getArguments());
    Value one =
        arith::ConstantOp::create(d, d.getIntegerAttr(type, d.between(1, 2)));
    next.insert(next.begin(),
                arith::AddIOp::create(d, after->getArgument(at), one));
    scf::YieldOp::create(d, next);
  }
  llvm::append_range(pool, loop.getResults());
}

void ControlDraft::addSwitch(int64_t depth) {
  int64_t count = d.below(3), cases = d.between(1, 2);
  SmallVector<int64_t> values{0, 2};
  values.resize(cases);
  auto choice = scf::IndexSwitchOp::create(d, SmallVector<Type>(count, type),
                                           d.index(d.below(4)), values, cases);
  OpBuilder::InsertionGuard guard(d);
  for (Region *region : choice.getRegions()) {
    Visible outside(pool), decided(conditions);
    d.createBlock(region);
    addBlock(depth + 1, d.below(3));
    scf::YieldOp::create(d, some(count));
  }
  llvm::append_range(pool, choice.getResults());
}

void ControlDraft::addRegion(int64_t depth) {
  int64_t count = d.below(3);
  auto region = scf::ExecuteRegionOp::create(d, SmallVector<Type>(count, type));
  OpBuilder::InsertionGuard guard(d);
  {
    Visible outside(pool), decided(conditions);
    d.createBlock(&region.getRegion());
    addBlock(depth + 1, d.below(3));
    scf::YieldOp::create(d, some(count));
  }
  llvm::append_range(pool, region.getResults());
}

void ControlDraft::step(int64_t depth) {
  int64_t what = d.below(depth < 2 ? 12 : 4);
  if (what < 4)
    return compute();
  if (what < 7)
    return addIf(depth);
  if (what < 9)
    return addFor(depth);
  if (what < 11)
    return addWhile(depth);
  return d.chance(60) ? addSwitch(depth) : addRegion(depth);
}

Program ControlDraft::make() {
  type = d.i(32);
  for (int64_t place = d.between(1, 3); place > 0; --place)
    pool.push_back(d.argument(type, {}));
  addBlock(0, d.between(2, 5));
  SmallVector<Value> results(pool.end() - std::min<size_t>(pool.size(), 5),
                             pool.end());
  return d.finish(results);
}

Program rewrite_test::makeControlProgram(Draft &draft) {
  return ControlDraft(draft).make();
}
