//===- Partition.h - Partitioning a module for parallelism ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM generates code for one module in one thread. A module of several kernels
// that share neither functions nor variables is therefore partitioned: each
// kernel becomes a module in an LLVM context of its own, and the texts of the
// parts are joined in the order of the kernels.
//
// The parts, and so the bytes of the text, depend on the module alone, never on
// the number of threads.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_PARTITION_H
#define DISTAFF_LIB_PIPELINES_PARTITION_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace distaff {

/// Returns copies of a converted module's definitions, as the largest number of
/// modules of which none refers to a definition in another, in the order in
/// which they begin. The location of a part is that of its first function.
/// Returns none if a variable belongs to no function.
std::vector<OwningOpRef<ModuleOp>> partition(ModuleOp module);

/// Returns the assembly text of a module from those of its parts; none if they
/// contain text that cannot be joined.
std::optional<std::string> joinPtx(ArrayRef<std::string> parts);
std::optional<std::string> joinGcn(ArrayRef<std::string> parts);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_PARTITION_H
