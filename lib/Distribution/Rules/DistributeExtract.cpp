//===- DistributeExtract.cpp - vector.extract and vector.insert -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The position is a number of digits, some of registers, some of lanes, some of
// subgroups. To extract an element, the register is selected, then fetched from
// the lane that has it (a shuffle), then from the subgroup (workgroup memory),
// each only if the dim is split so. To insert one, the threads whose digits are
// the position's take it, the others keep their elements; nothing moves
// (VX-70).
//
// For a position that is known only at run time the digits are computed. The
// register is then selected from all possible ones:
//
//   B[2] T[8] E[2] at [%p]      register 2 * (%p / 16) + %p % 2, of 4
//                               lane %p / 2 % 8
//
//===----------------------------------------------------------------------===//
#include "../Exchange/LaneExchange.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <map>

using namespace distaff;

namespace {
/// The value of a digit at the position.
struct DigitAt {
  Digit digit;
  OpFoldResult value; // a constant or an index
};

/// A choice among registers that differ in one digit of the position, known at
/// run time.
struct Choice {
  int64_t dim, size, weight; // as of a RegisterDim
  Value value;
};

/// A position in the leading dims of a placement.
struct Position {
  const Placement *whole;
  SmallVector<int64_t> registers; // known register part of it, by dim
  SmallVector<Choice> choices;    // the rest of that
  SmallVector<DigitAt> lanes, subgroups;

  /// Returns the number of possible registers, for all choices together.
  int64_t numChoices() const {
    int64_t count = 1;
    for (const Choice &choice : choices)
      count *= choice.size;
    return count;
  }
};
} // namespace

/// Returns whether a known position is outside the vector: the element there is
/// poison, as MLIR defines for -1.
static bool isOutside(ArrayRef<OpFoldResult> position, VectorType type) {
  for (auto [at, extent] : llvm::zip(position, type.getShape()))
    if (std::optional<int64_t> known = getConstantIntValue(at);
        known && (*known < 0 || *known >= extent))
      return true;
  return false;
}

/// Returns the value of the digit of `weight` and `size` in `at`.
static OpFoldResult digitOf(OpBuilder &b, Location loc, OpFoldResult at,
                            int64_t weight, int64_t size, Distributor &out) {
  if (std::optional<int64_t> known = getConstantIntValue(at))
    return b.getIndexAttr(*known / weight % size);
  Value digit = cast<Value>(at);
  if (weight != 1)
    digit = arith::DivUIOp::create(b, loc, digit, out.ids.constant(weight));
  return arith::RemUIOp::create(b, loc, digit, out.ids.constant(size))
      .getResult();
}

static Position readPosition(OpBuilder &b, Location loc, const Placement &whole,
                             ArrayRef<OpFoldResult> position,
                             Distributor &out) {
  Position result;
  result.whole = &whole;
  for (auto [dim, at] : llvm::enumerate(position)) {
    int64_t weight = 1, registers = 0;
    for (const Digit &digit : llvm::reverse(whole.layout.digits(dim))) {
      OpFoldResult value = digitOf(b, loc, at, weight, digit.size, out);
      std::optional<int64_t> known = getConstantIntValue(value);
      if (digit.axis == Axis::Lane)
        result.lanes.push_back({digit, value});
      else if (digit.axis == Axis::Subgroup)
        result.subgroups.push_back({digit, value});
      else if (known)
        registers += *known * weight;
      else
        result.choices.push_back(
            {int64_t(dim), digit.size, weight, cast<Value>(value)});
      weight *= digit.size;
    }
    result.registers.push_back(registers);
  }
  return result;
}

/// Returns the id whose dropped digits are the position's, the others this
/// thread's.
static Value idAt(OpBuilder &b, Location loc, Axis axis,
                  const Position &position, Distributor &out) {
  ArrayRef<DigitAt> values =
      axis == Axis::Lane ? position.lanes : position.subgroups;
  SmallVector<Digit> dropped = llvm::map_to_vector(
      values, [](const DigitAt &value) { return value.digit; });
  Value id = out.ids.canonical(position.whole->digitsOn(axis), dropped);
  int64_t offset = 0;
  for (const DigitAt &value : values) {
    if (std::optional<int64_t> known = getConstantIntValue(value.value))
      offset += *known * value.digit.stride;
    else
      id = out.ids.step(b, loc, id, cast<Value>(value.value),
                        value.digit.stride);
  }
  return out.ids.offset(b, loc, id, offset);
}

/// Returns for each register of the part (one for a scalar) the registers of
/// the whole that may be at the position, by the number of the choice.
static SmallVector<SmallVector<int64_t>> registersAt(const Position &position,
                                                     const Placement *part) {
  std::map<SmallVector<int64_t>, int64_t> registerOf;
  for (int64_t reg = 0; reg < position.whole->numRegisters(); ++reg)
    registerOf[position.whole->offsetOf(reg)] = reg;
  SmallVector<SmallVector<int64_t>> found;
  for (int64_t reg = 0, e = part ? part->numRegisters() : 1; reg < e; ++reg) {
    SmallVector<int64_t> &candidates = found.emplace_back();
    for (int64_t number = 0; number < position.numChoices(); ++number) {
      SmallVector<int64_t> index(position.registers);
      int64_t rest = number;
      for (const Choice &choice : position.choices) {
        index[choice.dim] += rest % choice.size * choice.weight;
        rest /= choice.size;
      }
      if (part)
        llvm::append_range(index, part->offsetOf(reg));
      candidates.push_back(registerOf.at(index));
    }
  }
  return found;
}

/// Returns whether the choice is number 1, number 2, ...; number 0 is the case
/// where all are false.
static SmallVector<Value> conditionsOf(OpBuilder &b, Location loc,
                                       const Position &position,
                                       Distributor &out) {
  int64_t weight = 1;
  Value number = out.ids.constant(0);
  for (const Choice &choice : position.choices) {
    number = out.ids.step(b, loc, number, choice.value, weight);
    weight *= choice.size;
  }
  SmallVector<Value> conditions;
  for (int64_t at = 1; at < position.numChoices(); ++at)
    conditions.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               number, out.ids.constant(at)));
  return conditions;
}

/// Shares the part through memory: the subgroup that has it stores it.
static void fetchFromSubgroup(OpBuilder &b, Location loc,
                              MutableArrayRef<Value> scalars,
                              const Position &position, const Placement *part,
                              Distributor &out) {
  Value owns = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, out.ids.id(Axis::Subgroup),
      idAt(b, loc, Axis::Subgroup, position, out));
  SmallVector<Digit> keptLanes =
      part ? part->digitsOn(Axis::Lane) : SmallVector<Digit>();
  if (Value lane = out.ids.isCanonical(Axis::Lane, keptLanes))
    owns = arith::AndIOp::create(b, loc, owns, lane);
  PlacementNumbers numbers(part, /*slots=*/1, out);
  ScalarExchange exchange(loc, scalars.front().getType(), numbers.count(),
                          numbers.grain(), out);
  SmallVector<ScalarNumber> all = llvm::map_to_vector(
      llvm::seq<int64_t>(0, scalars.size()), [&](int64_t reg) {
        return numbers.of(b, loc, reg, out.ids.constant(0));
      });
  llvm::copy(exchange.run(b, scalars, all, owns, all), scalars.begin());
}

/// Selects the register at the position among the candidates.
static SmallVector<Value>
selectRegisters(OpBuilder &b, Location loc, const Position &position,
                ArrayRef<SmallVector<Value>> candidates, Distributor &out) {
  SmallVector<Value> conditions = conditionsOf(b, loc, position, out);
  return llvm::map_to_vector(candidates, [&](ArrayRef<Value> values) {
    Value chosen = values.front();
    for (auto [condition, value] :
         llvm::zip_equal(conditions, values.drop_front()))
      chosen = arith::SelectOp::create(b, loc, condition, value, chosen);
    return chosen;
  });
}

/// Fetches a register from its lane. If lanes need different registers, all
/// candidates are shuffled.
static SmallVector<Value>
fetchFromLanes(OpBuilder &b, Location loc, const Position &position,
               MutableArrayRef<SmallVector<Value>> candidates, bool uniform,
               Distributor &out) {
  if (position.lanes.empty())
    return selectRegisters(b, loc, position, candidates, out);
  Value lane = idAt(b, loc, Axis::Lane, position, out);
  if (uniform)
    return shuffleFrom(b, loc,
                       selectRegisters(b, loc, position, candidates, out), lane,
                       out.options.subgroupSize);
  for (SmallVector<Value> &values : candidates)
    values = shuffleFrom(b, loc, values, lane, out.options.subgroupSize);
  return selectRegisters(b, loc, position, candidates, out);
}

/// Fails, with a refusal, where the element cannot be sent to all threads.
static LogicalResult requireFetch(vector::ExtractOp op, const Placement &whole,
                                  bool uniform, Distributor &out) {
  bool lanes = false, subgroups = false;
  for (int64_t dim = 0; dim < op.getNumIndices(); ++dim)
    for (const Digit &digit : whole.layout.digits(dim)) {
      lanes |= digit.axis == Axis::Lane;
      subgroups |= digit.axis == Axis::Subgroup;
    }
  if ((lanes || subgroups) &&
      failed(out.requireShared(op, "data of other threads")))
    return failure();
  if (!subgroups)
    return success();
  if (!uniform)
    return out.refuse(op,
                      "has a position that depends on a thread id, in a dim "
                      "that is split over subgroups; lay it out over one "
                      "subgroup: " +
                          toString(whole.layout),
                      &whole);
  return out.requireRoom(op);
}

static bool isUniform(ValueRange position, Distributor &out) {
  return llvm::all_of(
      position, [&](Value index) { return out.uniformity.isUniform(index); });
}

LogicalResult distaff::distribute(vector::ExtractOp op, Distributor &out) {
  const Placement *whole = out.placementOf(op.getSourceMutable());
  const Placement *part = out.placementOf(op.getResult());
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (isOutside(op.getMixedPosition(), op.getSourceVectorType())) {
    Type type = getElementTypeOrSelf(op.getType());
    out.replace(op, {ub::PoisonOp::create(
                        b, loc, part ? Type(part->type(type)) : type)});
    return success();
  }
  bool uniform = isUniform(op.getDynamicPosition(), out);
  if (failed(requireFetch(op, *whole, uniform, out)))
    return failure();

  Position position = readPosition(b, loc, *whole, op.getMixedPosition(), out);
  SmallVector<Value> all = toScalars(b, loc, out.get(b, op.getSourceMutable()));
  SmallVector<SmallVector<Value>> candidates;
  for (ArrayRef<int64_t> registers : registersAt(position, part))
    candidates.push_back(
        llvm::map_to_vector(registers, [&](int64_t reg) { return all[reg]; }));
  SmallVector<Value> scalars =
      fetchFromLanes(b, loc, position, candidates, uniform, out);
  if (!position.subgroups.empty())
    fetchFromSubgroup(b, loc, scalars, position, part, out);
  Type element = scalars.front().getType();
  out.replace(op, fromScalars(b, loc, scalars,
                              part ? Type(part->type(element)) : element));
  return success();
}

/// Returns whether this thread holds the position; null: every thread does.
static Value holdsPosition(OpBuilder &b, Location loc, const Position &position,
                           Distributor &out) {
  Value here;
  auto require = [&](Axis axis, ArrayRef<DigitAt> values) {
    for (const DigitAt &at : values) {
      Value own = out.ids.digit(at.digit, position.whole->digitsOn(axis));
      std::optional<int64_t> known = getConstantIntValue(at.value);
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own,
                                          known ? out.ids.constant(*known)
                                                : cast<Value>(at.value));
      here =
          here ? arith::AndIOp::create(b, loc, here, equal).getResult() : equal;
    }
  };
  require(Axis::Subgroup, position.subgroups);
  require(Axis::Lane, position.lanes);
  return here;
}

LogicalResult distaff::distribute(vector::InsertOp op, Distributor &out) {
  const Placement *whole = out.placementOf(op.getResult());
  bool scalar = !isa<VectorType>(op.getValueToStoreType());
  const Placement *part =
      scalar ? nullptr : out.placementOf(op.getValueToStoreMutable());

  OpBuilder b(op);
  Location loc = op.getLoc();
  if (isOutside(op.getMixedPosition(), op.getDestVectorType())) {
    out.replace(op, {out.get(b, op.getDestMutable())});
    return success();
  }
  Position position = readPosition(b, loc, *whole, op.getMixedPosition(), out);
  Value here = holdsPosition(b, loc, position, out);
  // Choice 0 is the case where no other condition holds.
  SmallVector<Value> numbered = conditionsOf(b, loc, position, out);
  SmallVector<Value> conditions = {here};
  if (!numbered.empty()) {
    Value other = numbered.front();
    for (Value condition : ArrayRef(numbered).drop_front())
      other = arith::OrIOp::create(b, loc, other, condition);
    Value none = arith::XOrIOp::create(
        b, loc, other, splat(b, loc, b.getI1Type(), b.getBoolAttr(true)));
    numbered.insert(numbered.begin(), none);
    conditions = llvm::map_to_vector(numbered, [&](Value condition) -> Value {
      return here ? arith::AndIOp::create(b, loc, here, condition).getResult()
                  : condition;
    });
  }
  SmallVector<Value> result =
      toScalars(b, loc, out.get(b, op.getDestMutable()));
  SmallVector<Value> inserted =
      toScalars(b, loc, out.get(b, op.getValueToStoreMutable()));
  for (auto [value, registers] :
       llvm::zip_equal(inserted, registersAt(position, part)))
    for (auto [condition, reg] : llvm::zip_equal(conditions, registers))
      result[reg] = condition ? arith::SelectOp::create(b, loc, condition,
                                                        value, result[reg])
                                    .getResult()
                              : value;
  Type type = whole->type(result.front().getType());
  out.replace(op, fromScalars(b, loc, result, type));
  return success();
}
