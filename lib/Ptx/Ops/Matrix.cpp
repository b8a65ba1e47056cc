//===- Matrix.cpp - Matrix loads, stores and transposes -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Warp-level matrix load instruction: ldmatrix": lane 8 j + r holds
// the address of row r of matrix j, 16 bytes. Of each matrix, lane l gets
// elements 2 (l mod 4) and the next one of row l / 4; transposed, of column
// l / 4. "Warp-level matrix store instruction: stmatrix" is its counterpart.
//
//===----------------------------------------------------------------------===//
#include "../Decoding.h"

#include <cstring>

namespace distaff::ptx {
namespace {

using Matrix = std::array<std::array<uint16_t, 8>, 8>;
using Marks = std::array<std::array<bool, 8>, 8>;

void scatter(Turn &turn, const Destination &to, const Matrix &matrix,
             const Marks &unwritten, bool transposed) {
  Mask marked = 0;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    uint64_t word = 0;
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = 2 * (lane % 4) + i;
      if (transposed)
        std::swap(row, column);
      word |= uint64_t(matrix[row][column]) << (16 * i);
      marked |= Mask(unwritten[row][column]) << lane;
    }
    turn.write(to, lane, word);
  }
  turn.mark(to, marked);
}

/// Finds the row whose address `lane` has.
bool findRow(Turn &turn, Space space, const Address &address, unsigned lane,
             const char *what, LaneAddresses &requests, uint64_t &where,
             Place &place) {
  where = turn.addressOf(address, lane);
  if (!turn.find(space, where, 16, 16, lane, place))
    return false;
  if (place.space != Space::Shared) {
    turn.fail(FaultKind::OutOfBounds, lane,
              std::string(what) + " outside shared memory", where);
    return false;
  }
  requests.emplace_back(lane, place.offset);
  return true;
}

bool loadRow(Turn &turn, Space space, const Address &address, unsigned lane,
             LaneAddresses &requests, std::array<uint16_t, 8> &row,
             std::array<bool, 8> &unwritten) {
  uint64_t where = 0;
  Place place;
  if (!findRow(turn, space, address, lane, "ldmatrix", requests, where, place))
    return false;
  // Elements are copied in pairs, as every lane gets two.
  for (unsigned i = 0; i < 8; i += 2) {
    Place pair = place;
    pair.bytes += 2 * i;
    pair.offset += 2 * i;
    uint8_t bytes[4];
    bool isUnwritten = false;
    if (!turn.load(pair, where + 2 * i, 4, lane, false, bytes, isUnwritten))
      return false;
    std::memcpy(&row[i], bytes, 4);
    unwritten[i] = unwritten[i + 1] = isUnwritten;
  }
  return true;
}

bool isWhole(Turn &turn, const char *what) {
  if (turn.active == everyLane)
    return true;
  turn.fail(FaultKind::DivergentBarrier, -1,
            std::string("divergent ") + what + ", by lanes " +
                hexadecimal(turn.active));
  return false;
}

/// The words of these opcodes.
struct MatrixWords {
  unsigned count = 0; ///< matrices, of `.x4`; 0 without such a word
  bool transposed = false;
  Space space = Space::Generic;
};

/// Takes the words. The manual writes .m8n8.x4.trans; ptxas takes any order,
/// and some compilers write .x4.m8n8.
std::optional<MatrixWords> takeMatrixWords(Decoding &d) {
  MatrixWords words;
  bool isSync = false, isAligned = false, hasShape = false, isShared = false,
       hasType = false;
  auto takeOnce = [&](bool &taken, std::initializer_list<const char *> one) {
    return !taken && (taken = d.takeOne(one).has_value());
  };
  while (!d.peek().empty()) {
    std::optional<unsigned> count;
    if (words.count == 0)
      count = d.takeOne({"x1", "x2", "x4"});
    if (count)
      words.count = 1u << *count;
    else if (!takeOnce(isSync, {"sync"}) && !takeOnce(isAligned, {"aligned"}) &&
             !takeOnce(hasShape, {"m8n8"}) &&
             !takeOnce(words.transposed, {"trans"}) &&
             !takeOnce(isShared, {"shared", "shared::cta"}) &&
             !takeOnce(hasType, {"b16"}))
      return std::nullopt;
  }
  if (isShared)
    words.space = Space::Shared;
  return isSync && isAligned && hasShape && hasType ? std::optional(words)
                                                    : std::nullopt;
}

/// Decodes ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.shared.b16 {d, ...},
/// [a].
Execute decodeLoadMatrix(Decoding &d) {
  std::optional<MatrixWords> words = takeMatrixWords(d);
  if (!words)
    return {};
  std::vector<Destination> to = d.destinations(0, b32Type);
  Address address = d.address(1);
  if (to.size() != words->count || !d.complete(2))
    return {};
  return [=, space = words->space, transposed = words->transposed](Turn &turn) {
    if (!isWhole(turn, "ldmatrix"))
      return;
    LaneAddresses requests;
    std::array<Matrix, 4> matrices;
    std::array<Marks, 4> unwritten = {};
    for (unsigned lane = 0; lane < 8 * to.size(); ++lane)
      if (!loadRow(turn, space, address, lane, requests,
                   matrices[lane / 8][lane % 8], unwritten[lane / 8][lane % 8]))
        return;
    for (size_t i = 0; i < to.size(); ++i)
      scatter(turn, to[i], matrices[i], unwritten[i], transposed);
    countShared(requests, 16, /*isLoad=*/true, turn.machine.counters);
  };
}

/// Collects the two elements of each lane's word into their matrix.
void gather(Turn &turn, const Source &from, Matrix &matrix, Marks &unwritten,
            bool transposed) {
  Mask marked = 0;
  Lanes scratch;
  const Lanes &words = turn.read(from, scratch, marked);
  for (unsigned lane = 0; lane < laneCount; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = 2 * (lane % 4) + i;
      if (transposed)
        std::swap(row, column);
      matrix[row][column] = uint16_t(words[lane] >> (16 * i));
      unwritten[row][column] = marked >> lane & 1;
    }
}

bool storeRow(Turn &turn, Space space, const Address &address, unsigned lane,
              LaneAddresses &requests, const std::array<uint16_t, 8> &row,
              const std::array<bool, 8> &unwritten) {
  uint64_t where = 0;
  Place place;
  if (!findRow(turn, space, address, lane, "stmatrix", requests, where, place))
    return false;
  uint8_t bytes[16];
  std::memcpy(bytes, row.data(), 16);
  if (!turn.store(place, where, 16, lane, false, bytes))
    return false;
  for (unsigned i = 0; i < 8; ++i)
    if (unwritten[i] && place.shadow)
      place.shadow->forget(place.offset + 2 * i, 2);
  return true;
}

/// Decodes stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}.shared.b16 [a], {d,
/// ...}.
Execute decodeStoreMatrix(Decoding &d) {
  std::optional<MatrixWords> words = takeMatrixWords(d);
  if (!words)
    return {};
  Address address = d.address(0);
  std::vector<Source> from = d.sources(1, b32Type);
  if (from.size() != words->count || !d.complete(2))
    return {};
  return [=, space = words->space, transposed = words->transposed](Turn &turn) {
    if (!isWhole(turn, "stmatrix"))
      return;
    LaneAddresses requests;
    for (size_t i = 0; i < from.size(); ++i) {
      Matrix matrix;
      Marks unwritten = {};
      gather(turn, from[i], matrix, unwritten, transposed);
      for (unsigned row = 0; row < 8; ++row)
        if (!storeRow(turn, space, address, 8 * i + row, requests, matrix[row],
                      unwritten[row]))
          return;
    }
    countShared(requests, 16, /*isLoad=*/false, turn.machine.counters);
  };
}

/// Decodes movmatrix.sync.aligned.m8n8.trans.b16 d, a: the fragment of the
/// transposed matrix.
Execute decodeMoveMatrix(Decoding &d) {
  std::optional<MatrixWords> words = takeMatrixWords(d);
  if (!words || !words->transposed || words->count != 0 ||
      words->space == Space::Shared)
    return {};
  Destination to = d.destination(0, b32Type);
  Source from = d.source(1, b32Type);
  if (!d.complete(2))
    return {};
  return [=](Turn &turn) {
    if (!isWhole(turn, "movmatrix"))
      return;
    Matrix matrix;
    Marks unwritten = {};
    gather(turn, from, matrix, unwritten, /*transposed=*/false);
    scatter(turn, to, matrix, unwritten, /*transposed=*/true);
  };
}

constexpr Row matrixTable[] = {{"ldmatrix", decodeLoadMatrix},
                               {"stmatrix", decodeStoreMatrix},
                               {"movmatrix", decodeMoveMatrix}};

} // namespace

std::span<const Row> matrixRows() { return matrixTable; }

} // namespace distaff::ptx
