//===- TargetOp.cpp - Target instructions, one issue each -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions by instructions may follow each other: one of the user's, and one
// that a store requires. Two issues in sequence merge to one instruction if the
// target has one that moves elements alike, and to none if every element is
// back in its first place (VX-175).
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Layout/PlaceMap.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

namespace {
/// Describes how an instruction that moves elements maps the places of one
/// issue.
struct Move {
  const TargetOp *row;
  PlaceMap map;

  /// Returns the move of an instruction; none for one that computes.
  static std::optional<Move> get(const TargetOp &row) {
    if (row.operation != "iree_vector_ext.to_layout")
      return std::nullopt;
    return Move{&row, *PlaceMap::get(row.operandPlaces.front(),
                                     row.resultPlaces, row.subgroupSize)};
  }

  /// Returns whether `move` has the same effect as `first` followed by
  /// `second`; without a move, whether they have none.
  static bool isSame(const std::optional<Move> &move, const Move &first,
                     const Move &second) {
    for (int64_t lane = 0; lane < first.row->subgroupSize; ++lane)
      for (int64_t reg = 0; reg < first.map.registers(); ++reg) {
        Place place = {.lane = lane, .reg = reg};
        Place behind = second.map.to(first.map.to(place));
        Place wanted = move ? move->map.to(place) : place;
        if (behind.lane != wanted.lane || behind.reg != wanted.reg)
          return false;
      }
    return true;
  }
};

/// The replacement of an issue: its operand's registers, and the instruction
/// that takes them, or none.
struct Merged {
  ValueRange inputs;
  const TargetOp *row = nullptr;
};
} // namespace

/// Returns the issue whose results these registers are, all of them in order.
static core::TargetOpOp issueOf(ValueRange registers) {
  auto parts = registers.front().getDefiningOp<vector::ToElementsOp>();
  if (!parts || ValueRange(parts.getElements()) != registers)
    return {};
  return parts.getSource().getDefiningOp<core::TargetOpOp>();
}

/// Returns an instruction of the target, or none, that is equivalent to `row`
/// after the issue that its registers come from.
static std::optional<Merged>
mergeIssues(const TargetOp &row, ValueRange registers, const Target &target) {
  core::TargetOpOp issue = issueOf(registers);
  auto inputs =
      issue && issue.getInputs().size() == 1
          ? issue.getInputs().front().getDefiningOp<vector::FromElementsOp>()
          : vector::FromElementsOp();
  if (!inputs)
    return std::nullopt;
  std::optional<Move> first = Move::get(*issue.getKind().getRow()),
                      second = Move::get(row);
  if (!first || !second || first->map.registers() != second->map.registers() ||
      first->row->subgroupSize != second->row->subgroupSize)
    return std::nullopt;
  if (Move::isSame(std::nullopt, *first, *second))
    return Merged{inputs.getElements()};
  const TargetOp *best = nullptr;
  for (const TargetOp &other : target.ops) {
    if (other.operand != row.operand || other.subgroupSize != row.subgroupSize)
      continue;
    std::optional<Move> move = Move::get(other);
    if (move && move->map.registers() == first->map.registers() &&
        other.issueCost < first->row->issueCost + row.issueCost &&
        (!best || other.issueCost < best->issueCost) &&
        Move::isSame(move, *first, *second))
      best = &other;
  }
  if (!best)
    return std::nullopt;
  return Merged{inputs.getElements(), best};
}

static LogicalResult lowerTargetOp(core::TargetOpOp op, Lowering &lowering) {
  const TargetOp *row = lowering.target.findOp(op.getKind().getName());
  if (!row)
    return op.emitOpError("is no instruction of ")
           << lowering.target.name << ": " << op.getKind().getName();
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  auto ofOneIssue = [](VectorType type) {
    return VectorType::get({1, type.getDimSize(1)}, type.getElementType());
  };
  SmallVector<Value> results;
  for (int64_t issue = 0; issue < op.getIssues(); ++issue) {
    core::TargetOpAttr kind = op.getKind();
    SmallVector<SmallVector<Value>> registers;
    for (Value input : op.getInputs()) {
      int64_t count = cast<VectorType>(input.getType()).getDimSize(1);
      registers.emplace_back(ArrayRef<Value>(lowering.elements(input))
                                 .slice(issue * count, count));
    }
    if (std::optional<Merged> merged =
            mergeIssues(*row, registers.front(), lowering.target)) {
      registers = {SmallVector<Value>(merged->inputs)};
      if (!merged->row) {
        llvm::append_range(results, registers.front());
        continue;
      }
      kind = core::TargetOpAttr::get(b.getContext(), merged->row->name);
    }
    SmallVector<Value> inputs;
    for (auto [input, taken] : llvm::zip_equal(op.getInputs(), registers))
      inputs.push_back(vector::FromElementsOp::create(
          b, loc, ofOneIssue(cast<VectorType>(input.getType())), taken));
    Value issued = core::TargetOpOp::create(
        b, loc, ofOneIssue(op.getResult().getType()), kind, inputs);
    llvm::append_range(
        results, vector::ToElementsOp::create(b, loc, issued).getElements());
  }
  lowering.setElements(op.getResult(), results);
  return success();
}

void registers::addTargetOpRules(RuleSet &rules) { rules.add(lowerTargetOp); }
