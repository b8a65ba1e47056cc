//===- Tensor.h - Tensor values, copied on write ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before bufferization a value may be a whole array. Copies share it; a write
// gives the writer an array of its own.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_TENSOR_H
#define DISTAFF_LIB_SIMT_MACHINE_TENSOR_H

#include "distaff/LLVM.h"
#include "distaff/Simt/Outcome.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

namespace distaff::simt {

/// A dense row-major array of register cells, shared until written.
class Tensor {
public:
  SmallVector<int64_t, 4> shape;

  static Tensor allocate(ArrayRef<int64_t> shape, unsigned cellBytes);
  int64_t numElements() const;
  const uint8_t *cells() const {
    assert(storage && "a tensor that is read has cells");
    return reinterpret_cast<const uint8_t *>(storage->data());
  }
  /// Returns the cells for writing, which no other tensor shares from then on.
  uint8_t *mutableCells();
  void reset() { storage.reset(); }
  /// The fault of an element that was read from unwritten memory: ops may move
  /// the tensor, and an op that uses it has this fault.
  std::shared_ptr<const Fault> unwritten;

private:
  std::shared_ptr<std::vector<uint64_t>> storage;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_TENSOR_H
