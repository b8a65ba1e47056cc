//===- CpuInstructions.h - CPU instructions on bf16 operands ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CPU_CONVERT_CPUINSTRUCTIONS_H
#define DISTAFF_LIB_CPU_CONVERT_CPUINSTRUCTIONS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Records the types of the CPU instructions of a module that its author calls
/// by their names, before bf16 is converted to bits. Intrinsics are selected by
/// type.
class InstructionTypes {
public:
  explicit InstructionTypes(ModuleOp module);

  /// Restores the types of the instructions, with bitcasts around them.
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

#endif // DISTAFF_LIB_CPU_CONVERT_CPUINSTRUCTIONS_H
