//===- BufferOffsets.cpp - Offsets of elements in a buffer ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A digit of an id contributes to one dim, and a digit of the memory takes part
// of one: where the two overlap, that part of the id's digit has one stride in
// memory.
//
//===----------------------------------------------------------------------===//
#include "BufferOffsets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;

BufferOffsets::BufferOffsets(const MemoryLayout &memory,
                             const Placement &placement, Distributor &out)
    : memory(memory), placement(placement), out(out) {
  addDigits(Axis::Subgroup);
  addDigits(Axis::Lane);
  if (!base)
    base = out.ids.constant(0);
  else if (!memory.swizzle.isNone())
    swizzleBase();
}

void BufferOffsets::addDigits(Axis axis) {
  SmallVector<Digit> chain = placement.digitsOn(axis);
  for (const DigitTerm &term : placement.layout.terms(axis))
    addTerm(out.ids.digit({axis, term.size, term.idStride}, chain), term);
}

void BufferOffsets::addTerm(Value digit, const DigitTerm &term) {
  Location loc = out.ids.loc();
  for (const MemoryDigit &part : memory.digits) {
    int64_t end = term.indexStride * term.size;
    int64_t from = std::max(term.indexStride, part.indexStride);
    int64_t to = std::min(end, part.indexStride * part.size);
    if (part.dim != term.dim || from >= to)
      continue;
    assert(from % term.indexStride == 0 && to % from == 0 &&
           "digits of ids and memory overlap in whole digits");
    Value value = digit;
    if (from > term.indexStride) {
      Value below = out.ids.constant(from / term.indexStride);
      value = arith::DivUIOp::create(out.ids.atEntry(), loc, value, below);
    }
    if (to < end) {
      Value size = out.ids.constant(to / from);
      value = arith::RemUIOp::create(out.ids.atEntry(), loc, value, size);
    }
    if (int64_t stride = from / part.indexStride * part.stride; stride != 1) {
      Value weight = out.ids.constant(stride);
      value = arith::MulIOp::create(out.ids.atEntry(), loc, value, weight);
    }
    base = base ? arith::AddIOp::create(out.ids.atEntry(), loc, base, value)
                : value;
  }
}

void BufferOffsets::swizzleBase() {
  const XorSwizzle &swizzle = memory.swizzle;
  Location loc = out.ids.loc();
  Value shift = out.ids.constant(swizzle.base + swizzle.shift);
  Value mask = out.ids.constant((int64_t(1) << swizzle.bits) - 1);
  Value slot = out.ids.constant(swizzle.base);
  OpBuilder &b = out.ids.atEntry();
  Value row = arith::ShRUIOp::create(b, loc, base, shift);
  row = arith::AndIOp::create(out.ids.atEntry(), loc, row, mask);
  row = arith::ShLIOp::create(out.ids.atEntry(), loc, row, slot);
  base = arith::XOrIOp::create(out.ids.atEntry(), loc, base, row);

  for (int64_t s = 0; s < out.hardware().subgroups; ++s)
    baseBits |= memory.offsetOf(placement.layout.indexOf({s, 0, 0}));
  for (int64_t l = 0; l < out.hardware().lanes; ++l)
    baseBits |= memory.offsetOf(placement.layout.indexOf({0, l, 0}));
}

Value BufferOffsets::of(OpBuilder &b, Location loc, int64_t reg) const {
  int64_t offset = memory.offsetOf(placement.offsetOf(reg));
  Value at = base;
  if (int64_t met = offset & baseBits) {
    at = arith::XOrIOp::create(b, loc, at, out.ids.constant(met));
    offset -= met;
  }
  return out.ids.offset(b, loc, at, offset);
}
