//===- ToLLVM.h - Shared steps of conversions to LLVM -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions to NVVM, to ROCDL and to functions of a CPU prepare lowered
// kernels, each in its own way, and then run one dialect conversion: upstream's
// patterns, those below, and those that the vendor adds (convertDialects).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOLLVM_TOLLVM_H
#define DISTAFF_TOLLVM_TOLLVM_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {

/// Fails at the first op on which upstream's patterns crash, or which they
/// convert to something that LLVM rejects.
LogicalResult checkHasCode(func::FuncOp kernel, const Target &target);

/// Fails at the first op that is not converted.
LogicalResult checkConverted(ModuleOp module, const ConversionTarget &legal,
                             const Target &target);

/// Emits the error that an op has no code on the target, and names targets or
/// forms that have.
LogicalResult refuseWithoutCode(Operation *op, const Target &target);

/// Lowers assertions: a failure traps, or calls hostAssertionSymbol on a CPU.
void lowerAssertions(func::FuncOp kernel, bool isOfHost);

/// Returns the function that a failed assertion calls on a CPU, which the
/// module declares.
LLVM::LLVMFuncOp declareHostAssertion(ModuleOp module);

/// Turns arguments in workgroup memory into allocations of the kernel, before
/// all others, or emits an error. The ABI does not pass them.
LogicalResult allocateWorkgroupArguments(func::FuncOp kernel,
                                         const Target &target);

/// Turns allocations in workgroup memory into globals of the module, and aligns
/// private ones.
LogicalResult placeWorkgroupMemory(func::FuncOp kernel, const Target &target);

/// Rewrites the kernel's arguments to those of the ABI, and gives every memref
/// a memory space.
LogicalResult applyKernelABI(func::FuncOp kernel, const Target &target);

/// Replaces scalar operations that LLVM miscompiles by sequences that it
/// compiles correctly.
void lowerScalarOps(func::FuncOp kernel, const Target &target);

/// Adds the patterns of loads and stores, which keep constant offsets separate
/// from the address.
void populateMemoryAccessPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns);

/// Adds the patterns of memref.generic_atomic_rmw that are one instruction.
void populateAtomicSwapPatterns(const LLVMTypeConverter &converter,
                                const Target &target,
                                RewritePatternSet &patterns);

/// The vendor's part of the dialect conversion.
struct DialectConversion {
  /// Returns LLVM's number of a memory space.
  llvm::function_ref<unsigned(gpu::AddressSpace)> addressSpace;
  llvm::function_ref<void(LLVMTypeConverter &, RewritePatternSet &)>
      populatePatterns;
};

/// Lowers loops and branches to blocks, and ops that the LLVM dialect lacks to
/// ops that it has, before types change. The listener may be null.
LogicalResult lowerControlFlow(ModuleOp module,
                               RewriterBase::Listener *listener = nullptr);

/// Aligns tables of constants as global memory is aligned.
void placeConstants(ModuleOp module, const Target &target);

/// Replaces extents of reshaped memory by the extents of the new shape.
void resolveExpandedDims(func::FuncOp kernel);

/// Converts a prepared module to the LLVM dialect with a vendor's memory spaces
/// and patterns.
LogicalResult convertDialects(ModuleOp module, const Target &machine,
                              const DialectConversion &vendor);

} // namespace distaff

#endif // DISTAFF_TOLLVM_TOLLVM_H
