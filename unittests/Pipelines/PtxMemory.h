//===- PtxMemory.h - Where PTX's loads and stores go ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memories of one launch, with made-up addresses. Buffer i of global memory
// begins at (i + 1) * 2^40 + 16: aligned to 16 bytes as the kernel ABI
// promises, and to no more. An access is aligned to its size and lies within
// one buffer or one shared variable.
//
// Shared memory knows who touched each byte since the last barrier of the
// workgroup: a byte that one thread writes and another one reads or changes
// between two barriers is a race, in whatever order the threads run; a byte
// that is read before anybody wrote it is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXMEMORY_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXMEMORY_H

#include "PtxParser.h"
#include "Traffic.h"
#include "llvm/ADT/ArrayRef.h"

namespace distaff::ptx {

/// What went wrong, or empty.
using Fault = std::string;

class GlobalMemory {
public:
  /// Returns the address of a buffer.
  uint64_t add(llvm::MutableArrayRef<uint8_t> buffer);
  /// The bytes at an address; null with a fault for those outside of buffers,
  /// and for an address that is no multiple of `alignment` (0: of the size).
  uint8_t *find(uint64_t address, uint64_t size, Fault &fault,
                uint64_t alignment = 0) const;

private:
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers;
};

/// The bytes at an aligned address of one of the kernel's tables, or null.
const uint8_t *findConstant(const Kernel &kernel, uint64_t address,
                            uint64_t size);

class SharedMemory {
public:
  explicit SharedMemory(const Kernel &kernel);

  /// Forgets all contents: a workgroup begins.
  void reset();
  /// All threads have met.
  void barrier() { ++epoch; }
  /// Copies `size` bytes to or from the address.
  Fault load(uint64_t address, uint64_t size, int thread, uint8_t *to);
  Fault store(uint64_t address, uint64_t size, int thread, const uint8_t *from);

private:
  static constexpr int nobody = -1, several = -2;
  struct Byte {
    uint8_t value = 0;
    int writer = nobody, reader = nobody;   ///< of the epochs below
    unsigned writeEpoch = 0, readEpoch = 0; ///< 0: never
  };

  Fault check(uint64_t address, uint64_t size) const;

  const Kernel &kernel;
  std::vector<Byte> bytes;
  unsigned epoch = 1;
};

/// The address of every lane that takes part in a request.
using LaneAddresses = std::vector<std::pair<int, uint64_t>>;

/// Counts one request of `size` bytes per lane.
void countShared(const LaneAddresses &lanes, uint64_t size, Traffic &traffic);
void countGlobal(const LaneAddresses &lanes, uint64_t size, Traffic &traffic);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXMEMORY_H
