//===- MfmaModifiers.h - CBSZ, ABID and BLGP of MFMA ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MFMA may read A or B from other lanes than those that hold it (CDNA3 ISA,
// "Matrix Arithmetic Instructions", CBSZ, ABID and BLGP). From lower-vectors to
// Conversion, the one op that represents it has an attribute:
//
//   iree_codegen.inner_tiled ... {distaff.mfma_modifiers = array<i64: 2, 1, 0>}
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_IREE_MFMAMODIFIERS_H
#define DISTAFF_DIALECT_IREE_MFMAMODIFIERS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace distaff::iree {

struct MfmaModifiers {
  /// Each group of 2^cbsz blocks of A reads the block with number abid.
  int64_t cbsz = 0, abid = 0;
  /// The number of the pattern by which lanes read B.
  int64_t blgp = 0;

  bool isPlain() const { return cbsz == 0 && blgp == 0; }

  static constexpr StringLiteral attributeName = "distaff.mfma_modifiers";

  /// Returns the modifiers of an op, plain ones without the attribute.
  static MfmaModifiers of(Operation *op) {
    auto values = op->getAttrOfType<DenseI64ArrayAttr>(attributeName);
    if (!values || values.size() != 3)
      return {};
    return {values[0], values[1], values[2]};
  }
  void set(Operation *op) const {
    if (!isPlain())
      op->setAttr(attributeName,
                  DenseI64ArrayAttr::get(op->getContext(), {cbsz, abid, blgp}));
  }
};

} // namespace distaff::iree

#endif // DISTAFF_DIALECT_IREE_MFMAMODIFIERS_H
