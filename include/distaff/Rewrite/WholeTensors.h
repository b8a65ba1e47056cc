//===- WholeTensors.h - Transfers of whole tensors --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_REWRITE_WHOLETENSORS_H
#define DISTAFF_REWRITE_WHOLETENSORS_H

#include "distaff/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {

/// Reads a tensor with static shape into one vector of that shape.
/// \pre `tensor` is a ranked tensor with static shape, of any rank
Value readWholeTensor(RewriterBase &rewriter, Location loc, Value tensor);

/// Writes `vector` over all of `tensor`, and returns the new tensor.
/// \pre both have the same static shape
Value writeWholeTensor(RewriterBase &rewriter, Location loc, Value vector,
                       Value tensor);

} // namespace distaff

#endif // DISTAFF_REWRITE_WHOLETENSORS_H
