//===- Poison.h - Makes broken promises of ops visible ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_REWRITE_POISON_H
#define DISTAFF_UNITTESTS_REWRITE_POISON_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff::rewrite_test {

/// Gives every op that promises something about its operands, such as
/// `overflow<nsw>`, another value where the promise is broken: its result with
/// the bits of `pattern` flipped.
void showPoison(Operation *root, uint64_t pattern);

/// An op and the condition under which it breaks its promise.
struct Promise {
  Operation *op;
  Value broken;
};

/// Computes, behind every op of the body of `function` that promises something,
/// whether it breaks its promise.
SmallVector<Promise> checkPromises(func::FuncOp function);

} // namespace distaff::rewrite_test

#endif // DISTAFF_UNITTESTS_REWRITE_POISON_H
