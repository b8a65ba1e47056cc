//===- Memory.h - Buffers and memory accesses -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is one array of global, workgroup or private memory, with the shadow
// that records the accesses to its elements. An op describes an access to
// memory as an Access; agents (Agent.h) execute and check it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_MEMORY_H
#define DISTAFF_LIB_SIMT_MACHINE_MEMORY_H

#include "Program.h"
#include "Shadow.h"
#include "distaff/Simt/Outcome.h"

namespace distaff::simt {

struct Buffer {
  enum class Space : uint8_t { Global, Workgroup, Private };
  Space space = Space::Global;
  Kind kind;
  int64_t elements = 0;
  unsigned cellBytes = 0; // per memory cell in the domain
  bool written = true;    // has values from the start
  bool isConstant = false;
  /// Elements of padding after each lane's part of private memory, all out of
  /// bounds.
  int64_t padding = 0;
  /// The alignment of its address, and no higher power of two: the allocation
  /// guarantees no more (docs/Pipeline.md, emit).
  int64_t alignment = 1;
  std::string name;           // for messages: "arg0", "workgroup memory"
  SmallVector<int64_t> shape; // for messages; empty when not known
  std::vector<uint8_t> cells;
  Shadow shadow; // not for global buffers: each workgroup has its own

  /// Returns "[3, 5] of arg0".
  std::string describe(int64_t element) const;
  /// Returns the first and the last element, in the buffer's own kind, that an
  /// access of `count` elements of another kind touches.
  std::pair<int64_t, int64_t> elementsOf(Kind accessed, int64_t first,
                                         int64_t count) const;
  /// Aligns the buffer at least to the `alignment` attribute of an op.
  void align(Operation *op);
  void align(int64_t bytes) { alignment = std::max(alignment, bytes); }
  /// Returns the address of a byte; the parts of lanes in private memory are
  /// placed like whole buffers.
  int64_t address(int64_t byte, int64_t lanes) const;
};

/// The descriptor of a memref in a register.
struct MemRefView {
  int64_t *cells;
  int64_t lanes;

  int64_t &buffer(int64_t lane) const { return cells[lane]; }
  int64_t &offset(int64_t lane) const { return cells[lanes + lane]; }
  int64_t &size(int64_t rank, int64_t d, int64_t lane) const {
    assert(d >= 0 && d < rank && lane < lanes && "a memref has that dim");
    return cells[(2 + d) * lanes + lane];
  }
  int64_t &stride(int64_t rank, int64_t d, int64_t lane) const {
    assert(d >= 0 && d < rank && lane < lanes && "a memref has that dim");
    return cells[(2 + rank + d) * lanes + lane];
  }
};

/// An access to memory as an op describes it.
struct Access {
  Operation *op;
  Kind kind;
  int64_t elements = 1;
  /// Elements that a lane moves in one request, for the counters, and the
  /// distance between two of them: 1 for consecutive elements.
  int64_t perRequest = 1, requestStride = 1;
  /// The alignment in bytes that the op claims for its first element, or 1.
  /// Elements lie on multiples of their size.
  int64_t alignment = 1;
  Load load;   // for a read
  Store store; // for a write

  /// Creates an access by an op to elements of a kind, for this domain.
  static Access get(Operation *op, const Domain &domain, Kind kind,
                    int64_t elements = 1, int64_t perRequest = 1);
  /// Returns the elements that one request may move, at most 16 bytes, of a run
  /// of consecutive ones.
  static int64_t widest(Kind kind, int64_t run);
};

/// Adds one access to the counters: `positions` as in Agent::load.
void countAccess(Counters &counters, const Options &options,
                 const Access &access, Buffer::Space space, int64_t lanes,
                 const int64_t *positions, bool isStore);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_MEMORY_H
