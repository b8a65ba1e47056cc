//===- LaneForms.cpp - Indices as functions of the lane -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaneForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;

bool LaneForm::isNumber() const { return terms.empty(); }

bool LaneForm::isAlike() const {
  return llvm::all_equal(llvm::make_range(lane.begin(), lane.end()));
}

LaneForms::LaneForms(Operation *function) { findDivergent(function); }

//===----------------------------------------------------------------------===//
// Divergence within a subgroup
//===----------------------------------------------------------------------===//

/// Returns whether the value was not marked before.
bool LaneForms::mark(Value value, bool isDivergent) {
  return isDivergent && divergent.insert(value).second;
}

bool LaneForms::visit(Operation *op) {
  auto differs = [&](Value value) { return divergent.contains(value); };
  bool changed = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool bounds = differs(loop.getLowerBound()) ||
                  differs(loop.getUpperBound()) || differs(loop.getStep());
    changed |= mark(loop.getInductionVar(), bounds);
    for (auto [init, carried, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults())) {
      bool any = bounds || differs(init) || differs(yielded);
      changed |= mark(carried, any);
      changed |= mark(result, any);
    }
    return changed;
  }
  // Results of all other ops with regions count as divergent.
  bool known =
      isa<gpu::BlockIdOp, gpu::SubgroupIdOp, gpu::GridDimOp, gpu::BlockDimOp,
          gpu::NumSubgroupsOp, gpu::SubgroupSizeOp>(op) ||
      (op->getNumRegions() == 0 && isPure(op) &&
       isa_and_present<arith::ArithDialect>(op->getDialect()));
  bool any = !known || llvm::any_of(op->getOperands(), differs);
  for (Value result : op->getResults())
    changed |= mark(result, any);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        changed |= mark(argument,
                        !isa<FunctionOpInterface>(op) || !block.isEntryBlock());
  return changed;
}

void LaneForms::findDivergent(Operation *function) {
  bool changed = true;
  while (changed) {
    changed = false;
    function->walk([&](Operation *op) { changed |= visit(op); });
  }
}

bool LaneForms::isConverged(Operation *op) const {
  // Branches between blocks may diverge: they are not analysed.
  for (Region *region = op->getParentRegion(); region;
       region = isa<FunctionOpInterface>(region->getParentOp())
                    ? nullptr
                    : region->getParentRegion())
    if (!region->hasOneBlock())
      return false;
  for (Operation *parent = op->getParentOp();
       parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    auto branch = dyn_cast<scf::IfOp>(parent);
    auto choice = dyn_cast<scf::IndexSwitchOp>(parent);
    bool together = loop     ? !divergent.contains(loop.getInductionVar())
                    : branch ? !divergent.contains(branch.getCondition())
                    : choice ? !divergent.contains(choice.getArg())
                             : false;
    if (!together)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Returns whether sums and products of two such numbers do not wrap. No index
/// of workgroup memory is larger.
static bool isSmall(const LaneForm &form) {
  auto fits = [](int64_t number) { return llvm::isInt<31>(number); };
  return llvm::all_of(form.lane, fits) &&
         llvm::all_of(form.terms,
                      [&](const auto &term) { return fits(term.second); });
}

const LaneForm *LaneForms::of(Value value) {
  auto [it, isNew] = forms.try_emplace(value);
  if (!isNew)
    return it->second.get();
  std::optional<LaneForm> form = compute(value);
  if (form && !isSmall(*form))
    form = std::nullopt;
  auto &known = forms[value];
  if (form)
    known = std::make_unique<LaneForm>(std::move(*form));
  return known.get();
}

LaneForm LaneForms::term(Value value) {
  auto [it, isNew] = termNumbers.try_emplace(value, termValues.size());
  if (isNew)
    termValues.push_back(value);
  LaneForm form;
  form.terms[it->second] = 1;
  return form;
}

std::optional<LaneForm> LaneForms::compute(Value value) {
  LaneForm form;
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    form.lane.fill(constant.getSExtValue());
    return form;
  }
  if (value.getDefiningOp<gpu::LaneIdOp>()) {
    for (int64_t l = 0; l < LaneForm::lanes; ++l)
      form.lane[l] = l;
    return form;
  }
  if (Operation *op = value.getDefiningOp())
    if (std::optional<LaneForm> sum = ofArith(op))
      return sum;
  if (divergent.contains(value))
    return std::nullopt;
  return term(value);
}

static LaneForm add(const LaneForm &a, const LaneForm &b, int64_t factor) {
  LaneForm sum = a;
  for (auto [number, times] : b.terms)
    if ((sum.terms[number] += factor * times) == 0)
      sum.terms.erase(number);
  for (auto [into, from] : llvm::zip_equal(sum.lane, b.lane))
    into += factor * from;
  return sum;
}

static std::optional<int64_t> combine(Operation *op, int64_t a, int64_t b) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::ShLIOp>(
          [&](auto op) -> std::optional<int64_t> {
            using Op = decltype(op);
            constexpr bool shifts = std::is_same_v<Op, arith::ShRUIOp> ||
                                    std::is_same_v<Op, arith::ShLIOp>;
            if (a < 0 || b < 0 || (shifts ? b > 31 : b == 0))
              return std::nullopt;
            if constexpr (std::is_same_v<Op, arith::DivUIOp>)
              return a / b;
            else if constexpr (std::is_same_v<Op, arith::RemUIOp>)
              return a % b;
            else if constexpr (std::is_same_v<Op, arith::ShRUIOp>)
              return a >> b;
            else
              return a << b;
          })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LaneForm> LaneForms::ofArith(Operation *op) {
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      op->getNumOperands() != 2 || !op->getResult(0).getType().isIndex())
    return std::nullopt;
  const LaneForm *a = of(op->getOperand(0)), *b = of(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return add(*a, *b, 1);
  if (isa<arith::SubIOp>(op))
    return add(*a, *b, -1);
  if (isa<arith::MulIOp>(op)) {
    if (b->isNumber() && b->isAlike())
      return add(LaneForm(), *a, b->lane[0]);
    if (a->isNumber() && a->isAlike())
      return add(LaneForm(), *b, a->lane[0]);
  }
  if (!a->isNumber() || !b->isNumber())
    return std::nullopt;
  LaneForm form;
  for (int64_t l = 0; l < LaneForm::lanes; ++l) {
    std::optional<int64_t> number = combine(op, a->lane[l], b->lane[l]);
    if (!number)
      return std::nullopt;
    form.lane[l] = *number;
  }
  return form;
}
