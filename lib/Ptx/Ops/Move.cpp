//===- Move.cpp - Register moves ------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

namespace distaff::ptx {
namespace {

Type partOf(const Type &type, size_t count) {
  return {Type::Kind::Bits, unsigned(type.bits / count), false, single};
}

/// Decodes mov.type d, a.
Execute decodeMove(Decoding &d) {
  std::optional<Type> type = d.type();
  bool fits = type && !type->isPaired && type->format != tensor &&
              (type->bits == 1 || type->bits >= 16);
  return fits ? lanewise<1>(d, *type, [](uint64_t a) { return a; }) : Execute();
}

/// Decodes mov.type d, name[%r1]: the address of the element.
Execute decodeMoveElement(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!type || d.operandCount() != 2 ||
      d.operand(1).kind != Operand::Kind::Element)
    return {};
  d.checkSymbol(d.operand(1), *type);
  Destination to = d.destination(0, *type);
  Address from = d.element(d.operand(1));
  if (!d.complete(2))
    return {};
  return [=](Turn &turn) {
    forEachLane(turn.active, [&](unsigned lane) {
      turn.write(to, lane, turn.addressOf(from, lane));
    });
    bool isIndexed = from.reg != none;
    turn.mark(to,
              isIndexed ? turn.subgroup.registers[from.reg].unwritten : Mask());
  };
}

/// Decodes mov.b64 d, {a, b}: the first one becomes the lowest bits.
Execute decodePack(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!type || type->kind != Type::Kind::Bits || d.operandCount() != 2 ||
      d.operand(1).kind != Operand::Kind::Vector)
    return {};
  size_t count = d.operand(1).elements.size();
  if ((count != 2 && count != 4) || type->bits / count < 8)
    return {};
  Type part = partOf(*type, count);
  Destination to = d.destination(0, *type);
  std::vector<Source> from = d.sources(1, part);
  if (!d.complete(2))
    return {};
  return [=](Turn &turn) {
    Mask unwritten = 0;
    Lanes result = {}, scratch;
    for (size_t i = 0; i < from.size(); ++i) {
      const Lanes &values = turn.read(from[i], scratch, unwritten);
      for (unsigned lane = 0; lane < laneCount; ++lane)
        result[lane] |= (values[lane] & part.mask()) << (i * part.bits);
    }
    forEachLane(turn.active,
                [&](unsigned lane) { turn.write(to, lane, result[lane]); });
    turn.mark(to, unwritten);
  };
}

/// Decodes mov.b64 {d, e}, a.
Execute decodeUnpack(Decoding &d) {
  std::optional<Type> type = d.type();
  if (!type || type->kind != Type::Kind::Bits || d.operandCount() != 2 ||
      d.operand(0).kind != Operand::Kind::Vector)
    return {};
  size_t count = d.operand(0).elements.size();
  if ((count != 2 && count != 4) || type->bits / count < 8)
    return {};
  Type part = partOf(*type, count);
  std::vector<Destination> to = d.destinations(0, part);
  Source from = d.source(1, *type);
  if (!d.complete(2))
    return {};
  return [=](Turn &turn) {
    Mask unwritten = 0;
    Lanes scratch;
    const Lanes values = turn.read(from, scratch, unwritten); // a copy, since
                                                              // it may be `to`
    for (size_t i = 0; i < to.size(); ++i) {
      forEachLane(turn.active, [&](unsigned lane) {
        turn.write(to[i], lane, values[lane] >> (i * part.bits) & part.mask());
      });
      turn.mark(to[i], unwritten);
    }
  };
}

constexpr Row moveTable[] = {{"mov", decodeMove},
                             {"mov", decodeMoveElement},
                             {"mov", decodePack},
                             {"mov", decodeUnpack}};

} // namespace

std::span<const Row> moveRows() { return moveTable; }

} // namespace distaff::ptx
