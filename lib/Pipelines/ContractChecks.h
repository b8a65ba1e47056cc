//===- ContractChecks.h - Building blocks of contract checks ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_CONTRACTCHECKS_H
#define DISTAFF_LIB_PIPELINES_CONTRACTCHECKS_H

#include "distaff/Kernel/Kernel.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Runs `check` on every kernel and reports all that fail.
LogicalResult
forEachKernel(ModuleOp module,
              llvm::function_ref<LogicalResult(FunctionOpInterface)> check);

/// Fails with `message` at every op for which `isForbidden` holds.
LogicalResult forbid(FunctionOpInterface kernel, const Twine &message,
                     llvm::function_ref<bool(Operation *)> isForbidden);

/// Returns whether an op inside satisfies `isWanted`.
bool contains(FunctionOpInterface kernel,
              llvm::function_ref<bool(Operation *)> isWanted);

/// Returns whether an operand or a result of the op has a type.
template <typename TypeT> bool mentions(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TypeT>) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TypeT>);
}

/// Returns whether an op is a linalg op that computes.
bool isLinalg(Operation *op);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_CONTRACTCHECKS_H
