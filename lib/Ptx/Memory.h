//===- Memory.h - Memories of a launch --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are synthetic, so that no wrong address is valid by accident:
//
//   argument i       (i + 1) * 2^40 + a, where a is the alignment that the
//                    kernel may rely on: no more of it than promised
//   module variables alike, after the arguments
//   shared memory    from 256 on in its own space, gaps between variables;
//                    at 2^56 generically
//   local memory     from 64 on in its own space, alike; at 2^57 generically
//   parameters       alike, those of calls from 2^32; at 2^58 generically
//
// An access lies within one variable and is aligned to its size.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_MEMORY_H
#define DISTAFF_LIB_PTX_MEMORY_H

#include "Program.h"
#include "Shadow.h"

namespace distaff::ptx {

inline constexpr uint64_t sharedWindow = uint64_t(1) << 56,
                          localWindow = uint64_t(1) << 57,
                          paramWindow = uint64_t(1) << 58,
                          windowSize = uint64_t(1) << 33,
                          callParameters = uint64_t(1) << 32;

/// Describes the error of an access.
struct AccessError {
  FaultKind kind = FaultKind::OutOfBounds;
  std::string text;
};

/// The place of the bytes of an access.
struct Place {
  uint8_t *bytes = nullptr;
  Shadow *shadow = nullptr;    ///< null: private or constant memory
  uint8_t *written = nullptr;  ///< private memory: a flag per byte
  uint64_t offset = 0;         ///< in the shadow
  Space space = Space::Global; ///< never Generic
  bool isReadOnly = false;
};

/// A variable of one space. Variables have gaps between them, so that an access
/// beyond one is detected. An access lies within one of them.
struct Piece {
  uint64_t address = 0, size = 0;
  std::string name;
};
using Pieces = std::vector<Piece>; ///< by ascending address

/// Checks that an access lies within one variable; `what` names the memory in
/// messages.
std::optional<AccessError> checkPiece(const Pieces &pieces, const char *what,
                                      uint64_t address, uint64_t size);

/// Global and constant memory: arguments, then variables.
class GlobalMemory {
public:
  struct Buffer {
    uint8_t *data = nullptr;
    uint64_t size = 0, alignment = 1;
    std::string name;
    bool isConstant = false, isWritten = true;
    uint64_t address = 0;
    std::unique_ptr<Shadow> shadow = {};
  };
  /// Returns the address that the buffer gets.
  uint64_t add(Buffer buffer);
  std::optional<AccessError> find(uint64_t address, uint64_t size,
                                  uint64_t alignment, Place &place);
  bool isConstant(uint64_t address) const;

  const std::vector<Buffer> &all() const { return buffers; }

private:
  const Buffer *near(uint64_t address) const;
  std::vector<Buffer> buffers;
};

/// Shared memory of one workgroup at a time.
class SharedMemory {
public:
  /// Places the variables of a kernel; false if they do not fit into `limit`
  /// bytes.
  bool place(const Program &program, const Function &kernel,
             uint64_t dynamicBytes, uint64_t limit);
  uint64_t addressOf(unsigned variable) const { return addresses[variable]; }
  std::optional<AccessError> find(uint64_t address, uint64_t size,
                                  uint64_t alignment, Place &place);
  /// Resets the memory for the next workgroup.
  void reset();

private:
  std::vector<uint64_t> addresses; ///< addresses by number of variable
  Pieces pieces;
  std::vector<uint8_t> bytes;
  std::unique_ptr<Shadow> shadow;
};

/// The private memory of the threads of a subgroup: local memory, and the
/// parameters of calls.
class OwnMemory {
public:
  OwnMemory() = default;
  explicit OwnMemory(const Program &program);
  std::optional<AccessError> find(Space space, uint64_t address, uint64_t size,
                                  uint64_t alignment, unsigned lane,
                                  Place &place);
  void reset();

private:
  uint64_t localBytes = 0, stride = 0;
  Pieces local, parameters;
  std::vector<uint8_t> bytes, written;
};

std::optional<AccessError> checkAlignment(uint64_t address, uint64_t alignment,
                                          uint64_t size);
std::string hexadecimal(uint64_t value);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_MEMORY_H
