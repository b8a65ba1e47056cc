//===- DistributeExtract.cpp - extract and insert at a static position ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The position is a number of digits, some of registers, some of lanes, some of
// subgroups. Taking an element out: the register is picked, then fetched from
// the lane that has it (a shuffle), then from the subgroup (workgroup memory),
// each only if the dim is split so. Putting one in: the threads whose digits
// are the position's take it, the others keep what they have; nothing moves
// (VX-70).
//
//===----------------------------------------------------------------------===//
#include "LaneExchange.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <map>

using namespace distaff;

namespace {
/// A static position in the leading dims of a placement.
struct Position {
  const Placement *whole;
  SmallVector<bool> dropped;      // by dim of the whole
  SmallVector<int64_t> registers; // register part of the position, by dim
  SmallVector<std::pair<Digit, int64_t>> lanes, subgroups; // digit values
};
} // namespace

static Position readPosition(const Placement &whole,
                             ArrayRef<int64_t> position) {
  Position result;
  result.whole = &whole;
  result.dropped.assign(whole.rank(), false);
  for (auto [dim, at] : llvm::enumerate(position)) {
    result.dropped[dim] = true;
    int64_t weight = 1, rest = at, registers = 0;
    for (const Digit &digit : llvm::reverse(whole.layout.digits(dim))) {
      int64_t value = rest % digit.size;
      rest /= digit.size;
      if (digit.axis == Axis::Register)
        registers += value * weight;
      else
        (digit.axis == Axis::Lane ? result.lanes : result.subgroups)
            .push_back({digit, value});
      weight *= digit.size;
    }
    result.registers.push_back(registers);
  }
  return result;
}

static SmallVector<Digit> digitsOf(ArrayRef<std::pair<Digit, int64_t>> values) {
  return llvm::map_to_vector(values, [](auto &value) { return value.first; });
}

/// The id whose dropped digits are the position's, the others this thread's.
static Value idAt(Axis axis, const Position &position, Distributor &out) {
  auto &values = axis == Axis::Lane ? position.lanes : position.subgroups;
  int64_t offset = 0;
  for (auto &[digit, value] : values)
    offset += value * digit.stride;
  Value kept =
      out.ids.canonical(position.whole->digitsOn(axis), digitsOf(values));
  return out.ids.offset(out.ids.atEntry(), out.ids.loc(), kept, offset);
}

/// For each register of the part (one for a scalar) the register of the whole
/// that is at the position.
static SmallVector<int64_t> registersAt(const Position &position,
                                        const Placement *part) {
  std::map<SmallVector<int64_t>, int64_t> registerOf;
  for (int64_t reg = 0; reg < position.whole->numRegisters(); ++reg)
    registerOf[position.whole->offsetOf(reg)] = reg;
  SmallVector<int64_t> found;
  for (int64_t reg = 0, e = part ? part->numRegisters() : 1; reg < e; ++reg) {
    SmallVector<int64_t> index(position.registers);
    if (part)
      llvm::append_range(index, part->offsetOf(reg));
    found.push_back(registerOf.at(index));
  }
  return found;
}

/// The subgroup that has the part stores it for all.
static void fetchFromSubgroup(OpBuilder &b, Location loc,
                              MutableArrayRef<Value> scalars,
                              const Position &position, const Placement *part,
                              Distributor &out) {
  Value owns = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     out.ids.id(Axis::Subgroup),
                                     idAt(Axis::Subgroup, position, out));
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

LogicalResult distaff::distribute(vector::ExtractOp op, Distributor &out) {
  const Placement *whole = out.placementOf(op.getSourceMutable());
  const Placement *part = out.placementOf(op.getResult());
  if (!whole || (isa<VectorType>(op.getType()) && !part))
    return out.refuse(op, "has a vector without a layout");
  if (!op.getDynamicPosition().empty())
    return out.refuse(op, "has a dynamic position, which is not supported");
  Position position = readPosition(*whole, op.getStaticPosition());
  bool moves = !position.lanes.empty() || !position.subgroups.empty();
  if (moves && failed(out.requireShared(op, "data of other threads")))
    return failure();
  if (!position.subgroups.empty() && failed(out.requireRoom(op)))
    return failure();

  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> all = toScalars(b, loc, out.get(b, op.getSourceMutable()));
  SmallVector<Value> scalars = llvm::map_to_vector(
      registersAt(position, part), [&](int64_t reg) { return all[reg]; });
  if (!position.lanes.empty())
    scalars = shuffleFrom(b, loc, scalars, idAt(Axis::Lane, position, out),
                          out.options.subgroupSize);
  if (!position.subgroups.empty())
    fetchFromSubgroup(b, loc, scalars, position, part, out);
  Type element = scalars.front().getType();
  out.replace(op, fromScalars(b, loc, scalars,
                              part ? Type(part->type(element)) : element));
  return success();
}

LogicalResult distaff::distribute(vector::InsertOp op, Distributor &out) {
  const Placement *whole = out.placementOf(op.getResult());
  bool scalar = !isa<VectorType>(op.getValueToStoreType());
  const Placement *part =
      scalar ? nullptr : out.placementOf(op.getValueToStoreMutable());
  if (!whole || (!scalar && !part))
    return out.refuse(op, "has a vector without a layout");
  if (!op.getDynamicPosition().empty())
    return out.refuse(op, "has a dynamic position, which is not supported");
  Position position = readPosition(*whole, op.getStaticPosition());

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value here; // null: every thread holds the position
  auto require = [&](Axis axis, ArrayRef<std::pair<Digit, int64_t>> values) {
    for (auto &[digit, value] : values) {
      Value own = out.ids.digit(digit, whole->digitsOn(axis));
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own,
                                          out.ids.constant(value));
      here =
          here ? arith::AndIOp::create(b, loc, here, equal).getResult() : equal;
    }
  };
  require(Axis::Subgroup, position.subgroups);
  require(Axis::Lane, position.lanes);
  SmallVector<Value> result =
      toScalars(b, loc, out.get(b, op.getDestMutable()));
  SmallVector<Value> inserted =
      toScalars(b, loc, out.get(b, op.getValueToStoreMutable()));
  for (auto [value, reg] :
       llvm::zip_equal(inserted, registersAt(position, part)))
    result[reg] =
        here ? arith::SelectOp::create(b, loc, here, value, result[reg])
                   .getResult()
             : value;
  Type type = whole->type(result.front().getType());
  out.replace(op, fromScalars(b, loc, result, type));
  return success();
}
