//===- SelectNetwork.h - Networks of two-way selects ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A select network computes several outputs, each of which is one of a few
// inputs, and the choice depends on the thread: the register that a lane
// publishes, the word that it keeps, the lane that it reads. A network of
// two-way selects on bits of the ids computes them all at once; equal parts of
// different outputs are one select.
//
// Example: lane a of 4 needs the registers a, a ^ 1, a ^ 2, a ^ 3 in this
// order.
//
//     bit 0:  n0 = a0 ? x1 : x0   n1 = a0 ? x0 : x1
//             n2 = a0 ? x3 : x2   n3 = a0 ? x2 : x3
//     bit 1:  a1 ? n2 : n0        a1 ? n3 : n1      a1 ? n0 : n2   a1 ? n1 : n3
//
// These are eight selects, log2 q for each of q outputs, where single trees
// would take twelve. Rotations become barrel shifters in the same way for any
// q. Threads for which any input is right take the one that makes the network
// small.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_SELECTNETWORK_H
#define DISTAFF_LAYOUT_SELECTNETWORK_H

#include "distaff/Layout/Layout.h"

#include <optional>
#include <vector>

namespace distaff {

/// A thread table has one entry per hardware id: entry s * lanes + l. With one
/// subgroup the entry holds for all subgroups.
using ThreadTable = std::vector<int32_t>;

/// The entry of threads for which any choice is right.
inline constexpr int32_t anyChoice = -1;

/// An id bit is one bit of a digit: `((id / stride) % size >> bit) & 1`.
struct IdBit {
  Axis axis = Axis::Lane;
  int64_t size = 2, stride = 1;
  int64_t bit = 0;

  bool of(int64_t id) const { return (id / stride % size) >> bit & 1; }
  bool operator==(const IdBit &other) const = default;
};

/// Returns the bits of digits, lowest first.
llvm::SmallVector<IdBit> bitsOf(llvm::ArrayRef<Digit> digits);

struct SelectNetwork {
  /// A node is `bits[bit] ? high : low`. An operand below `numInputs` is an
  /// input, else the node numInputs less; the operands of a node precede it.
  struct Node {
    int64_t bit;
    int64_t low, high;
  };

  int64_t numInputs = 0;
  llvm::SmallVector<IdBit> bits;
  std::vector<Node> nodes;
  /// An operand for each output; anyChoice where every thread has anyChoice.
  llvm::SmallVector<int64_t> outputs;

  /// Returns the input that a thread gets, for tests; anyChoice if none.
  int64_t choiceOf(int64_t output, Place thread) const;
  /// Counts the operations of one lane that compute the bits which are used.
  int64_t countBitOps() const;
};

/// Builds the network of these tables, one per output, over bits of the given
/// digits: outer lists are alternatives, of which the smallest network is
/// taken. Returns nothing where no alternative distinguishes threads that need
/// different inputs.
std::optional<SelectNetwork>
buildSelectNetwork(llvm::ArrayRef<ThreadTable> tables, int64_t numInputs,
                   HardwareShape threads,
                   llvm::ArrayRef<llvm::SmallVector<Digit>> alternatives);

} // namespace distaff

#endif // DISTAFF_LAYOUT_SELECTNETWORK_H
