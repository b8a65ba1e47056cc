//===- ConvertToLLVM.h - Steps of the conversions for GPUs ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion has two halves. The first rewrites a lowered module in place, in
// steps that are easier said on MLIR's own ops than inside a dialect
// conversion:
//
//   prepareKernels     out of the gpu.module, what has no code, launch ids,
//                      kernel ABI, workgroup memory, MMA operands, conversions
//                      of floats of 8 bits
//
// The second is one dialect conversion, upstream's patterns plus what the
// vendor adds:
//
//   convertToLLVM
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_CONVERTTOLLVM_H
#define DISTAFF_LIB_CONVERSION_CONVERTTOLLVM_H

#include "distaff/Conversion/RegisterForecast.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {

/// Emits one MMA instruction at `builder` on its operands' registers, in the
/// instruction's order, and returns those of the result. `op` is the op that it
/// replaces.
using MmaEmission = llvm::function_ref<SmallVector<Value>(
    OpBuilder &builder, Operation *op, const MmaRow &row, ValueRange a,
    ValueRange b, ValueRange c)>;

/// Converts two floats of 8 bits by one instruction at `builder`: a vector of
/// two bytes to one of two wide floats, or back.
using NarrowEmission = llvm::function_ref<Value(
    OpBuilder &builder, Location loc, const NarrowConversion &row, Value pair)>;

/// The vendor's instructions for synchronization and memory order.
struct SyncEmission {
  /// Waits for all of a workgroup or, with an id, for `threads` that use it;
  /// both i32, or both null.
  llvm::function_ref<void(OpBuilder &builder, Location loc, Value id,
                          Value threads)>
      barrier;
  llvm::function_ref<void(OpBuilder &builder, Location loc)> laneBarrier;
  /// Returns LLVM's name of the scope of a fence; empty if no fence is needed.
  StringRef (*fenceScope)(iree::FenceLevel level);
  /// Whether a barrier orders the memory accesses of those who wait.
  bool barriersOrder;
};

/// Marks a 32-bit number that the backend takes for divergent as uniform over
/// the lanes of a subgroup.
using UniformEmission =
    llvm::function_ref<Value(OpBuilder &builder, Location loc, Value number)>;

/// Emits one vendor's instructions.
struct VendorEmission {
  MmaEmission mma;
  NarrowEmission narrow;
  SyncEmission sync;
  /// Null if the lanes must have converged, which is not known at every op.
  UniformEmission uniform;
};

/// Moves kernels, one lane's programs, out of their gpu.modules into func.funcs
/// of the module, and erases all other functions.
LogicalResult unwrapLaneKernels(ModuleOp module);

/// Runs unwrapLaneKernels and the steps below on every kernel.
LogicalResult prepareKernels(ModuleOp module, const Target &target,
                             const VendorEmission &emission);

/// Replaces ids and sizes that the launch fixes: block dims, subgroup ids, ids
/// in the grid. `uniform` marks a subgroup's id as uniform, so that a branch on
/// it is not divergent.
LogicalResult lowerLaunchIds(func::FuncOp kernel, UniformEmission uniform);

/// Returns the elements as a 1-D vector: the source of a vector.to_elements if
/// they are all of its results.
Value vectorOf(OpBuilder &builder, Location loc, ValueRange elements);

/// Merges iter_args that are the halves of a register and, on AMD, the elements
/// of an accumulator into one vector (VX-288).
void carryFragments(func::FuncOp kernel, const Target &target);

/// Turns every inner_tiled of one fragment into one instruction.
LogicalResult lowerMma(func::FuncOp kernel, const Target &target,
                       MmaEmission emitMma);

/// Rounds operands of tf32 where they are stored into workgroup memory, which
/// still is allocations, instead of where they have been loaded from it.
void roundAtStores(func::FuncOp kernel);

/// Turns every issue of a target op into one instruction.
LogicalResult lowerTargetOps(func::FuncOp kernel, const Target &target);

/// Splits the results of matrix loads into 32-bit words.
void splitMatrixLoads(ModuleOp module);

/// Adds the pattern that lowers amdgpu.transpose_load.
void populateTransposedLoadPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns);

/// Adds the pattern that lowers matrix loads.
void populateMatrixLoadPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

/// Packs pairs of f32 ops on neighbouring elements into ops on two floats.
void packFloatPairs(func::FuncOp kernel);

/// Merges the branches around neighbouring accesses whose guards imply each
/// other, for targets without predicated instructions.
void groupGuardedAccesses(gpu::GPUFuncOp kernel);

/// Narrows comparisons of positions that fit into 32 bits.
void narrowComparisons(gpu::GPUFuncOp kernel);

/// Adds the patterns of exponentials and reciprocals that may be approximated.
void populateApproximationPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns, Family family);

/// Turns barriers and fences of iree_gpu into the vendor's.
LogicalResult lowerSynchronization(func::FuncOp kernel, const Target &target,
                                   const SyncEmission &emission);

/// Turns conversions of floats of 8 bits into the target's instructions, which
/// are all that lower left of them.
void lowerNarrowFloats(func::FuncOp kernel, const Target &target,
                       NarrowEmission emit);

/// Adds the patterns of NVIDIA's shuffles narrower than a subgroup.
void populateNarrowShufflePatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns);

/// Adds the patterns of unsigned subgroup reductions on NVIDIA, each one
/// instruction (redux.sync).
void populateUnsignedReductionPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns);

/// Adds the patterns of AMD's shuffles that return whether each lane's source
/// lane exists.
void populatePermutationPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns);

/// Adds the patterns of AMD's butterfly (xor) shuffles at a constant distance,
/// which are cheaper than a permutation of the subgroup.
void populateXorShufflePatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns,
                                amdgpu::Chipset chip, int64_t lanes);

/// Returns the register need with a quarter more, for loads issued early.
constexpr int64_t withEarlyLoads(int64_t registers) {
  return registers + registers / 4;
}

/// The maximum number of 32-bit registers of a lane that are live at once.
struct LaneRegisters {
  int64_t early = 0;       ///< if all of a step is loaded before its first sum
  int64_t inOrder = 0;     ///< if loads of workgroup memory stay where they are
  int64_t written = 0;     ///< in the order that the code has
  int64_t scheduled = 0;   ///< in the best that an assembler is known to find
  Operation *at = nullptr; ///< where it is so many
  llvm::DenseMap<Block *, int64_t> ofBlocks{}; ///< of each block, or more

  /// Returns how many registers an assembler allocates that issues loads early.
  int64_t taken() const {
    return std::min(std::max(early, inOrder), withEarlyLoads(scheduled));
  }
};

/// Returns whether so many registers leave few of `room` for loads issued
/// early; of some 400 kernels on sm_80 ptxas spilled in no other.
constexpr bool fillsMost(int64_t registers, int64_t room) {
  return 5 * registers >= 3 * room;
}

/// Returns whether ptxas, without a number of resident workgroups, may limit
/// the registers of a kernel that needs so many to fit one more workgroup, and
/// spill a few for that.
bool maySqueeze(int64_t taken, const Target &target, int64_t lanes);

/// Erases unused elements that the conversion extracted from vectors: they
/// would keep the vectors live to the end of their block.
void eraseUnused(LLVM::LLVMFuncOp kernel);

/// Schedules the blocks of a converted kernel in which more than `available`
/// registers are live at once, if another order needs fewer.
LaneRegisters orderForRegisters(LLVM::LLVMFuncOp kernel, int64_t available);

/// Returns the forecast of an assembler's allocation; `resident` is the number
/// of workgroups that it is told to keep resident, if any.
RegisterForecast forecastOf(const LaneRegisters &lane, const Target &target,
                            int64_t lanes,
                            std::optional<int64_t> resident = std::nullopt);

/// Warns at the op at which so much is live that some will be spilled.
void warnOfSpills(LLVM::LLVMFuncOp kernel, const RegisterForecast &forecast,
                  const Target &target, int64_t lanes);

/// Marks a converted function as a kernel launched with this many lanes, each
/// of which has so many registers live at once.
using KernelMarker = llvm::function_ref<void(
    LLVM::LLVMFuncOp, ArrayRef<int32_t>, const LaneRegisters &lane)>;

/// Converts a prepared module to the LLVM dialect, and marks its kernels.
LogicalResult convertToLLVM(ModuleOp module, const Target &machine,
                            const DialectConversion &vendor,
                            KernelMarker markKernel);

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_CONVERTTOLLVM_H
