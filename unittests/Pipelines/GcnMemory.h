//===- GcnMemory.h - Constants and workgroup memory -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a lane's values, LLVM constants, are in memory, and the memory that a
// workgroup or a lane begins with unwritten. Its addresses start at 16, so that
// 0 is none.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_GCNMEMORY_H
#define DISTAFF_UNITTESTS_PIPELINES_GCNMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"

#include <string>
#include <vector>

namespace distaff::gcn {

/// What went wrong, or empty.
using Fault = std::string;

/// The kernel's buffers. Buffer i begins at (i + 1) * 2^40 + 16: aligned to 16
/// bytes as the kernel ABI promises, and to no more.
class GlobalMemory {
public:
  /// Returns the address of a buffer.
  uint64_t add(llvm::MutableArrayRef<uint8_t> buffer);
  /// The bytes at an address; null with a fault for those outside of buffers.
  uint8_t *find(uint64_t address, uint64_t size, Fault &fault) const;

private:
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers;
};

/// The bytes of a value; false for poison and undefined bits, which no memory
/// shall hold.
bool toBytes(const llvm::Constant *value, const llvm::DataLayout &layout,
             uint8_t *bytes);
llvm::Constant *fromBytes(const uint8_t *bytes, llvm::Type *type,
                          const llvm::DataLayout &layout);
/// A float of any type.
double toDouble(const llvm::Constant *element);

struct Byte {
  uint8_t value = 0;
  bool written = false;
};

/// Memory that nobody has written at the start.
struct Scratch {
  std::vector<Byte> bytes;

  /// Makes room at an address of exactly this alignment, no larger power of
  /// two, and returns it.
  uint64_t place(uint64_t size, uint64_t alignment);
  Fault load(uint64_t address, llvm::MutableArrayRef<uint8_t> to) const;
  Fault store(uint64_t address, llvm::ArrayRef<uint8_t> from);

private:
  Fault check(uint64_t address, uint64_t size) const;
};

} // namespace distaff::gcn

#endif // DISTAFF_UNITTESTS_PIPELINES_GCNMEMORY_H
