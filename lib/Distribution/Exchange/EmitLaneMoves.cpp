//===- EmitLaneMoves.cpp - Emission of selects and shuffles ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word of several elements is a 1-D vector of them: one select, one shuffle.
// Functions of ids alone (the bits of selects, the lanes that are read) are
// computed where the ids are defined.
//
//===----------------------------------------------------------------------===//
#include "EmitLaneMoves.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;

namespace {
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc, const LaneMoves &moves, Distributor &out)
      : b(b), loc(loc), moves(moves), out(out) {}

  /// Returns the registers of the result.
  SmallVector<Value> run(ArrayRef<Value> registers);

private:
  Value join(ArrayRef<Value> registers, ArrayRef<int64_t> word);
  Value shuffle(Value word, const LaneFormula &from);
  Value laneOf(const LaneFormula &from);
  Value sumOfBits(const LaneFormula &from);
  Value sumOfDigits(const LaneFormula &from);
  SmallVector<Value> select(OpBuilder &b, const SelectNetwork &network,
                            ArrayRef<Value> inputs);

  OpBuilder &b;
  Location loc;
  const LaneMoves &moves;
  Distributor &out;
};
} // namespace

SmallVector<Value> Emitter::select(OpBuilder &b, const SelectNetwork &network,
                                   ArrayRef<Value> inputs) {
  SmallVector<Value> operands(inputs);
  for (const SelectNetwork::Node &node : network.nodes)
    operands.push_back(
        arith::SelectOp::create(b, loc, out.ids.bit(network.bits[node.bit]),
                                operands[node.high], operands[node.low]));
  return llvm::map_to_vector(network.outputs, [&](int64_t operand) {
    return operands[std::max<int64_t>(0, operand)];
  });
}

Value Emitter::join(ArrayRef<Value> registers, ArrayRef<int64_t> word) {
  SmallVector<Value> parts =
      llvm::map_to_vector(word, [&](int64_t reg) { return registers[reg]; });
  Type type = parts.front().getType();
  if (parts.size() > 1)
    type = VectorType::get(int64_t(parts.size()), type);
  return fromScalars(b, loc, parts, type);
}

//===----------------------------------------------------------------------===//
// Lanes to read
//===----------------------------------------------------------------------===//

Value Emitter::sumOfBits(const LaneFormula &from) {
  OpBuilder &entry = out.ids.atEntry();
  Value sum;
  for (const LaneFormula::Shifted &part : from.shifted) {
    Value bits =
        arith::AndIOp::create(entry, out.ids.loc(), out.ids.id(part.axis),
                              out.ids.constant(part.mask));
    Value by = out.ids.constant(std::abs(part.by));
    if (part.by > 0)
      bits = arith::ShLIOp::create(entry, out.ids.loc(), bits, by);
    else if (part.by < 0)
      bits = arith::ShRUIOp::create(entry, out.ids.loc(), bits, by);
    sum = sum ? arith::XOrIOp::create(entry, out.ids.loc(), sum, bits) : bits;
  }
  return sum;
}

Value Emitter::sumOfDigits(const LaneFormula &from) {
  OpBuilder &entry = out.ids.atEntry();
  AffineExpr sum = entry.getAffineConstantExpr(from.constant);
  SmallVector<OpFoldResult> ids{out.ids.id(Axis::Subgroup),
                                out.ids.id(Axis::Lane)};
  auto digitOf = [&](const Digit &digit) {
    AffineExpr id = entry.getAffineSymbolExpr(digit.axis == Axis::Lane);
    return id.floorDiv(digit.stride) % digit.size;
  };
  auto apply = [&](AffineExpr expr) {
    OpBuilder &entry = out.ids.atEntry();
    OpFoldResult folded = affine::makeComposedFoldedAffineApply(
        entry, out.ids.loc(), AffineMap::get(0, 2, expr), ids);
    return getValueOrCreateConstantIndexOp(entry, out.ids.loc(), folded);
  };
  for (const LaneFormula::Scaled &part : from.scaled)
    sum = sum + digitOf(part.digit) * part.factor;
  Value lane = apply(sum);
  for (const LaneFormula::Scaled &part : from.scaled) {
    if (!part.wraps())
      continue;
    Value digit = apply(digitOf(part.digit));
    Value first = out.ids.constant(part.from);
    Value change = out.ids.constant(part.change), none = out.ids.constant(0);
    OpBuilder &entry = out.ids.atEntry();
    Value beyond = arith::CmpIOp::create(
        entry, out.ids.loc(), arith::CmpIPredicate::uge, digit, first);
    Value add =
        arith::SelectOp::create(entry, out.ids.loc(), beyond, change, none);
    lane = arith::AddIOp::create(entry, out.ids.loc(), lane, add);
  }
  return lane;
}

Value Emitter::laneOf(const LaneFormula &from) {
  switch (from.form) {
  case LaneFormula::Form::Xor:
    break; // the shuffle's own mode
  case LaneFormula::Form::Bits: {
    Value constant = out.ids.constant(from.constant);
    if (from.shifted.empty())
      return constant;
    Value sum = out.ids.once(from.key(), [&] { return sumOfBits(from); });
    if (from.constant == 0)
      return sum;
    return arith::XOrIOp::create(out.ids.atEntry(), out.ids.loc(), sum,
                                 constant);
  }
  case LaneFormula::Form::Digits:
    return sumOfDigits(from);
  case LaneFormula::Form::Selects:
    SmallVector<Value> lanes = llvm::map_to_vector(
        from.lanes, [&](int64_t lane) { return out.ids.constant(lane); });
    for (const SelectNetwork::Node &node : from.selects.nodes)
      out.ids.bit(from.selects.bits[node.bit]);
    return select(out.ids.atEntry(), from.selects, lanes).front();
  }
  llvm_unreachable("has no formula");
}

Value Emitter::shuffle(Value word, const LaneFormula &from) {
  OpBuilder &entry = out.ids.atEntry();
  auto number = [&](int64_t value) {
    return out.ids.once({-1, value}, [&] {
      return arith::ConstantIntOp::create(entry, out.ids.loc(), value, 32);
    });
  };
  Value width = number(moves.lanes);
  if (from.form == LaneFormula::Form::Xor)
    return gpu::ShuffleOp::create(b, loc, word, number(from.constant), width,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  std::vector<int64_t> key = from.key();
  key.insert(key.end(), {-1, from.constant});
  Value lane = out.ids.once(std::move(key), [&] {
    return arith::IndexCastOp::create(out.ids.atEntry(), out.ids.loc(),
                                      b.getI32Type(), laneOf(from));
  });
  return gpu::ShuffleOp::create(b, loc, word, lane, width,
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

//===----------------------------------------------------------------------===//
// The moves
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::run(ArrayRef<Value> registers) {
  SmallVector<Value> words;
  for (ArrayRef<int64_t> word : moves.sourceWords)
    words.push_back(join(registers, word));
  SmallVector<Value> offered = select(b, moves.publish, words);
  for (const LaneMoves::Round &round : moves.rounds) {
    Value word = offered[round.published];
    words.push_back(round.kept ? word : shuffle(word, round.from));
  }
  SmallVector<Value> collected = select(b, moves.collect, words);

  SmallVector<Value> results(moves.resultWords.size() * moves.packing);
  for (auto [word, places] : llvm::zip_equal(collected, moves.resultWords))
    for (auto [part, place] : llvm::zip_equal(toScalars(b, loc, word), places))
      results[place] = part;
  return results;
}

Value distaff::moveWithinSubgroup(OpBuilder &b, Location loc, Value value,
                                  const LaneMoves &moves, const Placement &to,
                                  Distributor &out) {
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  // gpu.shuffle does not take index values.
  Type moved = element.isIndex() ? b.getI64Type() : element;
  if (moved != element)
    value = arith::IndexCastOp::create(b, loc, type.clone(moved), value);
  SmallVector<Value> results =
      Emitter(b, loc, moves, out).run(toScalars(b, loc, value));
  Value result = fromScalars(b, loc, results, to.type(moved));
  if (moved != element)
    result = arith::IndexCastOp::create(b, loc, to.type(element), result);
  return result;
}
