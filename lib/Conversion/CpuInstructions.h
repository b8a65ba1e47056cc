//===- CpuInstructions.h - A CPU's instructions and bf16 --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_CPUINSTRUCTIONS_H
#define DISTAFF_LIB_CONVERSION_CPUINSTRUCTIONS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// The instructions of a module that its author calls by their names, with the
/// types that they have while numbers of bf16 are no bits yet. Intrinsics go by
/// the type.
class InstructionTypes {
public:
  explicit InstructionTypes(ModuleOp module);

  /// Gives the instructions their types back, with bitcasts around them.
  /// \pre none reads memory of bf16 (checkCpuInstructions)
  void restore();

private:
  struct Typed {
    Operation *op;
    SmallVector<Type> operands, results;
  };
  SmallVector<Typed> instructions;
};

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_CPUINSTRUCTIONS_H
