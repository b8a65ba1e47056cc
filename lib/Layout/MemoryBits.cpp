//===- MemoryBits.cpp - A conflict-free order of index bits ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryBits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A set of bits of the row-major position; a position has fewer than 63.
using BitSet = uint64_t;

static int64_t lowest(BitSet set) { return llvm::countr_zero(set); }

static bool isPowersOfTwo(const Layout &layout) {
  for (Axis axis : {Axis::Subgroup, Axis::Lane, Axis::Register})
    for (const DigitTerm &term : layout.terms(axis))
      if (!llvm::isPowerOf2_64(term.size) ||
          !llvm::isPowerOf2_64(term.idStride))
        return false;
  return true;
}

/// Returns for each dim the position bit of its lowest index bit.
static SmallVector<int64_t> firstBits(const Layout &layout) {
  SmallVector<int64_t> shape = layout.shape();
  SmallVector<int64_t> first(shape.size(), 0);
  int64_t bit = 0;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    first[dim] = bit;
    bit += llvm::Log2_64(shape[dim]);
  }
  return first;
}

/// Returns the position bits that the lowest `idBits` bits of an axis feed.
static BitSet fedBits(const Layout &layout, Axis axis, int64_t idBits) {
  SmallVector<int64_t> first = firstBits(layout);
  BitSet fed = 0;
  for (const DigitTerm &term : layout.terms(axis)) {
    int64_t idBit = llvm::Log2_64(term.idStride);
    int64_t positionBit = first[term.dim] + llvm::Log2_64(term.indexStride);
    for (int64_t i = 0, e = llvm::Log2_64(term.size); i < e; ++i)
      if (idBit + i < idBits)
        fed |= BitSet(1) << (positionBit + i);
  }
  return fed;
}

static void appendBits(SmallVector<int64_t> &order, BitSet set) {
  for (; set != 0; set &= set - 1)
    order.push_back(lowest(set));
}

/// Returns the position bits that the registers feed, in the order of the bits
/// of a register's number, lowest first.
static SmallVector<int64_t> registerBits(const Layout &layout) {
  SmallVector<int64_t> first = firstBits(layout);
  std::map<int64_t, int64_t> positionOf;
  for (const DigitTerm &term : layout.terms(Axis::Register))
    for (int64_t i = 0, e = llvm::Log2_64(term.size); i < e; ++i)
      positionOf[llvm::Log2_64(term.idStride) + i] =
          first[term.dim] + llvm::Log2_64(term.indexStride) + i;
  return llvm::map_to_vector(positionOf,
                             [](const auto &entry) { return entry.second; });
}

/// Removes the lowest `count` bits from a set and returns them.
static BitSet takeLowest(BitSet &set, int64_t count) {
  BitSet taken = 0;
  for (; count > 0 && set != 0; --count) {
    taken |= BitSet(1) << lowest(set);
    set &= set - 1;
  }
  return taken;
}

/// Returns the memory layout whose offset bits, low to high, are these position
/// bits.
static MemoryLayout orderBits(const Layout &layout, ArrayRef<int64_t> order) {
  MemoryLayout memory;
  memory.shape = layout.shape();
  memory.numElements = layout.numElements();
  SmallVector<int64_t> first = firstBits(layout);
  for (auto [at, bit] : llvm::enumerate(order)) {
    // The dim is the one with the nearest first bit below; dims of extent 1
    // share their first bit with the one before them and hold none.
    int64_t dim = -1;
    for (int64_t candidate = 0; candidate < layout.rank(); ++candidate)
      if (first[candidate] <= bit && memory.shape[candidate] > 1 &&
          (dim < 0 || first[candidate] > first[dim]))
        dim = candidate;
    int64_t indexStride = int64_t(1) << (bit - first[dim]);
    int64_t stride = int64_t(1) << at;
    if (!memory.digits.empty()) {
      MemoryDigit &below = memory.digits.back();
      if (below.dim == dim && below.indexStride * below.size == indexStride) {
        below.size *= 2;
        continue;
      }
    }
    memory.digits.push_back({dim, 2, indexStride, stride});
  }
  return memory;
}

/// Returns the order with these bits as the vector.
static MemoryBits orderWith(ArrayRef<int64_t> vector, const Layout &src,
                            const Layout &dst, int64_t elementBytes,
                            const BankModel &banks) {
  int64_t vectorBits = vector.size();
  int64_t phaseBits =
      llvm::Log2_64(banks.lanesPerPhase(elementBytes << vectorBits));

  BitSet ofSrc = fedBits(src, Axis::Lane, phaseBits);
  BitSet ofDst = fedBits(dst, Axis::Lane, phaseBits);
  BitSet both = ofSrc & ofDst;
  BitSet onlySrc = ofSrc & ~both, onlyDst = ofDst & ~both;
  int64_t pairs = std::min(llvm::popcount(onlySrc), llvm::popcount(onlyDst));
  int64_t slots = std::max(llvm::popcount(onlySrc), llvm::popcount(onlyDst));
  BitSet pairedSrc = takeLowest(onlySrc, pairs);
  BitSet pairedDst = takeLowest(onlyDst, pairs);
  BitSet lone = onlySrc | onlyDst;

  SmallVector<int64_t> order(vector);
  BitSet rest = static_cast<BitSet>(src.numElements()) - 1;
  for (int64_t bit : vector)
    rest &= ~(BitSet(1) << bit);
  for (BitSet part : {both, pairedSrc, lone, pairedDst})
    appendBits(order, part);
  appendBits(order, rest & ~(ofSrc | ofDst));

  MemoryBits result;
  result.memory = orderBits(src, order);
  result.width = int64_t(1) << vectorBits;
  if (pairs > 0)
    result.memory.swizzle = {pairs, vectorBits + llvm::popcount(both), slots};
  return result;
}

SmallVector<MemoryBits, 3> MemoryBits::get(const Layout &src, const Layout &dst,
                                           int64_t elementBytes,
                                           const BankModel &banks) {
  SmallVector<MemoryBits, 3> results;
  if (!isPowersOfTwo(src) || !isPowersOfTwo(dst))
    return results;
  BitSet shared =
      fedBits(src, Axis::Register, 63) & fedBits(dst, Axis::Register, 63);
  int64_t widest = std::max<int64_t>(1, banks.maxAccessBytes / elementBytes);
  SmallVector<int64_t> outwards;
  appendBits(outwards, shared);
  for (SmallVector<int64_t> vector :
       {outwards, registerBits(dst), registerBits(src)}) {
    llvm::erase_if(vector, [&](int64_t bit) { return !(shared >> bit & 1); });
    vector.truncate(std::min<size_t>(vector.size(), llvm::Log2_64(widest)));
    results.push_back(orderWith(vector, src, dst, elementBytes, banks));
  }
  return results;
}
