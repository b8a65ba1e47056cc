//===- CarriedLoads.h - Values that are read early and used late *- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that is one step ahead reads in each iteration what the next one
// uses, and in its last what nobody uses. Of memory without values that is no
// fault: numbers that are only moved and handed on to a block or an iteration
// are *carried*, and it is the op that computes with them, or stores them, that
// has the fault.
//
//   scf.for ... iter_args(%a = %first) {
//     ... = arith.mulf %a, %b                    computes: the fault is here
//     %v = vector.load %panel[%next]             carried
//     %t = vector.transpose %v                   moves
//     scf.yield %t                               hands on
//   }
//
// What decides a branch or is an address is never carried: these are vectors
// and floats.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_CARRIEDLOADS_H
#define DISTAFF_LIB_SIMT_TRANSLATE_CARRIEDLOADS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"

namespace distaff::simt {

/// Whether an op reads memory for nobody in its block.
bool isCarriedLoad(Operation *op);

/// Whether an op's results are elements of its vectors and nothing else.
bool movesElements(Operation *op);

/// The same of tensors.
bool movesTensors(Operation *op);

/// Whether a value may be what a carried load read.
bool mayBeCarried(Value value);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_CARRIEDLOADS_H
