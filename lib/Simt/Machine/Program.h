//===- Program.h - Instructions and registers of a kernel -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a list of instructions over registers. A value of vector type
// has a register of elements x lanes cells, element-major, lanes contiguous:
//
//   %v : vector<2xf32>, 4 lanes:   e0l0 e0l1 e0l2 e0l3 e1l0 e1l1 e1l2 e1l3
//
// so that an elementwise op is one loop over `elements * lanes` cells. With one
// lane this is the dense row-major array.
//
// A memref is a descriptor of int64_t cells: buffer, offset, sizes, strides,
// each per lane. A tensor is a reference to a shared array (its extents may be
// dynamic) and exists in programs of one lane only.
//
// A handle of a group (pcf) is a list of registers: which workers the group
// has, and its payload. A value per worker is a list of values.
//
// A pointer is an address whose upper part names a buffer (Pointer.h).
// A struct is a list of registers.
//
// Code of started workers is a program of its own, with the registers that it
// captures from the agent that starts them.
//
// Constants are written once, into the image from which agents copy their
// registers. Control flow is flat: scf and cf alike become jumps, and a branch
// contains the instruction at which its sides reconverge.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_PROGRAM_H
#define DISTAFF_LIB_SIMT_MACHINE_PROGRAM_H

#include "../Values/Domain.h"
#include "../Values/Kind.h"
#include <functional>
#include <memory>
#include <vector>

namespace distaff::simt {

class Agent;

/// The storage of a value. It is cheap to copy into the closures of
/// instructions.
struct Reg {
  enum class Storage : uint8_t {
    None,
    Cells,
    MemRef,
    Tensor,
    Handle,   // of a group: a number in the translator
    Members,  // one value per worker
    Aggregate // several registers: a number in the translator
  };
  Storage storage = Storage::None;
  Kind kind;              // of a cell; of a memref's or tensor's elements
  uint32_t cellBytes = 0; // 8 for memref descriptors
  uint32_t location = 0;  // byte in the register file, or number of the tensor,
                          // handle or list
  int64_t elements = 0;   // cells per lane; 2 + 2 * rank for a memref

  bool isTensor() const { return storage == Storage::Tensor; }
  bool isHandle() const { return storage == Storage::Handle; }
  bool isAggregate() const { return storage == Storage::Aggregate; }
  bool isMembers() const { return storage == Storage::Members; }
  bool isMemRef() const { return storage == Storage::MemRef; }
  int64_t memRefRank() const { return (elements - 2) / 2; }
};

struct Instruction {
  /// Sync changes an object of the workgroup's table, and may block on it.
  enum class Flow : uint8_t { Compute, Sync, Jump, Branch, Return };
  Flow flow = Flow::Compute;
  Operation *op = nullptr;              // for diagnostics
  std::function<void(Agent &)> execute; // Compute and Sync

  // Branch: a lane goes to targets[i] if its selector is cases[i], else to the
  // last target. Jump: to the only target. Block numbers until `finish`.
  Reg selector;
  SmallVector<int64_t, 2> cases;
  SmallVector<uint32_t, 2> targets;
  uint32_t reconverge = 0;
};

struct InnerProgram;

class Program {
public:
  const Domain *domain = nullptr;
  int64_t lanes = 1;
  std::vector<Instruction> code;
  /// Initial contents of the register file; words, for alignment.
  std::vector<uint64_t> image;
  uint32_t numTensors = 0, numMembers = 0;
  /// Whether some ops order only a part of the threads (Clocks.h).
  bool ordersPartly = false;

  /// Registers of the function's arguments, and of its results.
  SmallVector<Reg> arguments;
  SmallVector<Reg> results;
  /// Arrays of the module that the program uses, each with the register of its
  /// descriptor.
  SmallVector<std::pair<Operation *, Reg>> globals;

  uint32_t end() const { return uint32_t(code.size()); }

  /// Programs of the workers that agents of this one start.
  SmallVector<std::shared_ptr<InnerProgram>> inner;
  /// Number of the first instruction among those of all programs of a launch.
  uint32_t base = 0;
  /// Numbers its instructions, then those of inner programs.
  /// \returns the next free number
  uint32_t number(uint32_t first);
  /// Returns the op of a numbered instruction.
  Operation *opAt(uint32_t number) const;
};

struct InnerProgram {
  Program program;
  SmallVector<std::pair<Reg, Reg>> captured; // outer, inner
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_PROGRAM_H
