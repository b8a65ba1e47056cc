//===- PhaseVectors.h - Vectorization of tensors in a phase -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a phase may compute with tensors. Those of a static shape become
// vectors: payload, slices, constants, linalg ops. A slice of a dynamic size
// that is padded with zeros becomes a vector larger than the slice, and so does
// a corner of a tensor that is written:
//
//   %t = read_slice %r[%o] [%n] [1] : tensor<?xf32>
//   %p = tensor.pad %t ... 0.0 : tensor<64xf32>
// becomes
//   %p = read_slice %r[%o] [%n] [1] : vector<64xf32>
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEVECTORS_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEVECTORS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace distaff {

/// Rewrites the function and changes the types of its arguments `payload`.
/// Fails, with the reason, where a tensor is left.
LogicalResult vectorizeTensors(Operation *function,
                               ArrayRef<BlockArgument> payload,
                               std::string &why);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASEVECTORS_H
