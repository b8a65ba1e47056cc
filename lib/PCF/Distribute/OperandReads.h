//===- OperandReads.h - A read of memory for each operand -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_OPERANDREADS_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_OPERANDREADS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Gives each operand of an op in a phase that is one slice of memory a read of
/// its own (PCF-187): a product of a matrix and itself has rows of it as one
/// operand and columns as the other, so a member needs two parts of it.
///
///   %v = read_slice %p                 %v = read_slice %p
///   matmul ins(%v, %v)         =>      %w = read_slice %p
///                                      matmul ins(%v, %w)
///
/// Common subexpression elimination after distribution merges reads of equal
/// parts again.
void readForEachOperand(RunClusterOp phase, RewriterBase &rewriter);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_OPERANDREADS_H
