//===- DenseOperand.h - Tensors and memrefs as dense cells ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg operations take tensors, memrefs and scalars alike. This class
// presents each as a dense row-major array of register cells; a memref is read
// into such an array before the op and written back after it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_DENSEOPERAND_H
#define DISTAFF_LIB_SIMT_OPS_DENSEOPERAND_H

#include "../Translate/OpRegistry.h"
#include "../Values/IndexSpace.h"

namespace distaff::simt {

/// An operand of one execution.
class DenseOperand {
public:
  /// Reads a memref only if `isRead`; otherwise the cells are uninitialized.
  bool read(Agent &agent, const Access &access, Reg reg, bool isRead = true);
  /// Writes a memref's cells back.
  bool write(Agent &agent, const Access &access, Reg reg) const;

  Shape shape;
  const uint8_t *cells = nullptr;
  uint8_t *loadedCells() { return reinterpret_cast<uint8_t *>(loaded.data()); }

private:
  std::vector<int64_t> positions(Agent &agent, Reg reg) const;
  std::vector<uint64_t> loaded;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_OPS_DENSEOPERAND_H
