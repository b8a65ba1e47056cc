//===- ConvertToLLVM.h - What both vendors' conversions share ---*- C++ -*-===//
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
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace distaff {

/// Makes one MMA instruction at `builder` out of its operands' registers, in
/// the instruction's order, and returns those of the result. `op` is what it
/// is made for.
using MmaEmission = llvm::function_ref<SmallVector<Value>(
    OpBuilder &builder, Operation *op, const MmaRow &row, ValueRange a,
    ValueRange b, ValueRange c)>;

/// Converts two floats of 8 bits by one instruction at `builder`: a vector of
/// two bytes to one of two wide floats, or back.
using NarrowEmission = llvm::function_ref<Value(
    OpBuilder &builder, Location loc, const NarrowConversion &row, Value pair)>;

/// How one vendor's workers wait, and order memory.
struct SyncEmission {
  /// Waits for all of a workgroup or, with an id, for `threads` that use it;
  /// both i32, or both null.
  llvm::function_ref<void(OpBuilder &builder, Location loc, Value id,
                          Value threads)>
      barrier;
  llvm::function_ref<void(OpBuilder &builder, Location loc)> laneBarrier;
  /// LLVM's name of the threads that a fence is for; empty where none is
  /// needed.
  StringRef (*fenceScope)(iree::FenceLevel level);
  /// Whether a barrier orders the memory accesses of those who wait.
  bool barriersOrder;
};

/// Tells the backend that a number of 32 bits, which it takes for one per lane,
/// is the same in all lanes of a subgroup.
using UniformEmission =
    llvm::function_ref<Value(OpBuilder &builder, Location loc, Value number)>;

/// How one vendor's instructions are made.
struct VendorEmission {
  MmaEmission mma;
  NarrowEmission narrow;
  SyncEmission sync;
  /// Null where lanes must have converged for it, which nobody knows of a
  /// place.
  UniformEmission uniform;
};

/// Moves kernels, one lane's programs, out of their gpu.modules into func.funcs
/// of the module, and erases all other functions.
LogicalResult unwrapLaneKernels(ModuleOp module);

/// Runs that and the steps below on every kernel.
LogicalResult prepareKernels(ModuleOp module, const Target &target,
                             const VendorEmission &emission);

/// Fails at the first op that upstream's patterns do not survive, or of which
/// they make what LLVM does not take.
LogicalResult checkHasCode(func::FuncOp kernel, const Target &target);

/// Fails at the first op that the conversion has left.
LogicalResult checkConverted(ModuleOp module, const ConversionTarget &legal,
                             const Target &target);

/// Says of an op that it has no code, and what has.
LogicalResult refuseWithoutCode(Operation *op, const Target &target);

/// Replaces ids and sizes that the launch fixes: block dims, subgroup ids, ids
/// in the grid. A branch on a subgroup's id is one of the subgroup, not of its
/// lanes, if `uniform` says so.
LogicalResult lowerLaunchIds(func::FuncOp kernel, UniformEmission uniform);

/// Makes arguments in workgroup memory allocations of the kernel, before all
/// others, or says why one cannot be. The ABI passes none of them.
LogicalResult allocateWorkgroupArguments(func::FuncOp kernel,
                                         const Target &target);

/// Has a failed assertion end in a trap, or in a call on a CPU
/// (hostAssertionSymbol).
void lowerAssertions(func::FuncOp kernel, bool isOfHost);

/// Places what a kernel of a CPU allocates: memref.alloca on the stack, one for
/// all workgroups of a range, and memref.alloc on the heap, where an assertion
/// fails if there is none left.
LogicalResult placeHostMemory(func::FuncOp kernel);

/// Gives the kernel the arguments of the ABI, and a space to every memref.
LogicalResult applyKernelABI(func::FuncOp kernel, const Target &target);

/// Turns allocations in workgroup memory into globals of the module, and aligns
/// private ones.
LogicalResult placeWorkgroupMemory(func::FuncOp kernel, const Target &target);

/// The elements as a vector of one dimension, which is the source of a
/// vector.to_elements where they are all of its results.
Value vectorOf(OpBuilder &builder, Location loc, ValueRange elements);

/// Makes one iter_arg of the halves of a register and, on AMD, of an
/// accumulator's elements (VX-288).
void carryFragments(func::FuncOp kernel, const Target &target);

/// Turns every inner_tiled of one fragment into one instruction.
LogicalResult lowerMma(func::FuncOp kernel, const Target &target,
                       MmaEmission emitMma);

/// Rounds operands of tf32 where they are stored into workgroup memory, which
/// still is allocations, instead of where they have been loaded from it.
void roundAtStores(func::FuncOp kernel);

/// Turns every issue of a target op into one instruction.
LogicalResult lowerTargetOps(func::FuncOp kernel, const Target &target);

/// Takes the results of matrix loads apart by words of 32 bits.
void splitMatrixLoads(ModuleOp module);

/// Turns amdgpu.transpose_load into the instruction.
void populateTransposedLoadPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns);

/// Adds that of matrix loads.
void populateMatrixLoadPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

/// Makes one op on two floats of two ops on neighbours.
void packFloatPairs(func::FuncOp kernel);

/// Makes one branch of those around neighbouring accesses whose guards imply
/// each other, for targets whose instructions have no predicate.
void groupGuardedAccesses(gpu::GPUFuncOp kernel);

/// Compares positions that are known to be small in 32 bits.
void narrowComparisons(gpu::GPUFuncOp kernel);

/// Adds those of exponentials and reciprocals that may be approximated.
void populateApproximationPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns, Family family);

/// Adds those of the instructions that multiply the parts of words.
void populatePackedDotPatterns(const LLVMTypeConverter &converter,
                               const Target &host, RewritePatternSet &patterns);

/// Turns barriers and fences of iree_gpu into the vendor's.
LogicalResult lowerSynchronization(func::FuncOp kernel, const Target &target,
                                   const SyncEmission &emission);

/// Replaces scalar operations that LLVM miscompiles by sequences that it
/// compiles correctly.
void lowerScalarOps(func::FuncOp kernel, const Target &target);

/// Turns conversions of floats of 8 bits into the target's instructions, which
/// are all that lower left of them.
void lowerNarrowFloats(func::FuncOp kernel, const Target &target,
                       NarrowEmission emit);

/// Adds loads and stores that keep constant offsets apart from the address.
void populateMemoryAccessPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns);

/// Adds the forms of memref.generic_atomic_rmw that are one instruction.
void populateAtomicSwapPatterns(const LLVMTypeConverter &converter,
                                const Target &target,
                                RewritePatternSet &patterns);

/// Adds shuffles among fewer lanes than a subgroup of NVIDIA's has.
void populateNarrowShufflePatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns);

/// Adds reductions of unsigned integers over NVIDIA's subgroups, each one
/// instruction.
void populateUnsignedReductionPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns);

/// Adds shuffles that say of each lane of AMD's whether its source is there.
void populatePermutationPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns);

/// Adds exchanges of AMD's lanes with partners at a constant distance, by less
/// than a permutation of the subgroup.
void populateXorShufflePatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns,
                                amdgpu::Chipset chip, int64_t lanes);

/// A quarter of what is live at once is had besides, for loads issued early.
constexpr int64_t withEarlyLoads(int64_t registers) {
  return registers + registers / 4;
}

/// 32-bit registers of a lane that are live at once, at most.
struct LaneRegisters {
  int64_t early = 0;       ///< if all of a step is loaded before its first sum
  int64_t inOrder = 0;     ///< if loads of workgroup memory stay where they are
  int64_t written = 0;     ///< in the order that the code has
  int64_t scheduled = 0;   ///< in the best that an assembler is known to find
  Operation *at = nullptr; ///< where it is so many
  llvm::DenseMap<Block *, int64_t> ofBlocks{}; ///< of each block, or more

  /// Returns how many an assembler takes that issues loads early.
  int64_t taken() const {
    return std::min(std::max(early, inOrder), withEarlyLoads(scheduled));
  }
};

/// How one vendor differs in the dialect conversion.
struct VendorConversion {
  /// LLVM's number of a memory space.
  llvm::function_ref<unsigned(gpu::AddressSpace)> addressSpace;
  llvm::function_ref<void(LLVMTypeConverter &, RewritePatternSet &)>
      populatePatterns;
  /// Marks a converted function as a kernel launched with this many lanes, of
  /// which each has so many registers live at once.
  llvm::function_ref<void(LLVM::LLVMFuncOp, ArrayRef<int32_t>,
                          const LaneRegisters &lane)>
      markKernel;
};

/// Whether so many leave few of `room` for what is issued early; of some 400
/// kernels on sm_80 ptxas spilled in no other.
constexpr bool fillsMost(int64_t registers, int64_t room) {
  return 5 * registers >= 3 * room;
}

/// Whether ptxas, not told how many workgroups are to be resident, may make
/// room for one more than fit where so many registers are taken, and spill a
/// few for that.
bool maySqueeze(int64_t taken, const Target &target, int64_t lanes);

/// Erases parts of vectors that conversion took and nobody uses: they would
/// keep the vectors to the end of their block.
void eraseUnused(LLVM::LLVMFuncOp kernel);

/// Reorders the blocks of a converted kernel in which more than `available`
/// registers are live at once, if another order needs fewer.
LaneRegisters orderForRegisters(LLVM::LLVMFuncOp kernel, int64_t available);

/// What an assembler makes of that many; `resident` workgroups are asked for,
/// or none.
RegisterForecast forecastOf(const LaneRegisters &lane, const Target &target,
                            int64_t lanes,
                            std::optional<int64_t> resident = std::nullopt);

/// Says where so much is live that some will be spilled.
void warnOfSpills(LLVM::LLVMFuncOp kernel, const RegisterForecast &forecast,
                  const Target &target, int64_t lanes);

/// Loops and branches become blocks, and ops that LLVM's dialect lacks become
/// those it has, before types change. The listener may be null.
LogicalResult lowerControlFlow(ModuleOp module,
                               RewriterBase::Listener *listener = nullptr);

/// Gives tables of constants the alignment of global memory.
void placeConstants(ModuleOp module, const Target &target);

/// Replaces extents of reshaped memory by those it is reshaped to.
void resolveExpandedDims(func::FuncOp kernel);

/// Takes a prepared module to LLVM's dialect; of a vendor, by its spaces and
/// patterns.
LogicalResult convertDialects(ModuleOp module, const Target &machine,
                              const VendorConversion &vendor);

/// The same, and marks what has become of the kernels.
LogicalResult convertToLLVM(ModuleOp module, const Target &machine,
                            const VendorConversion &vendor);

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_CONVERTTOLLVM_H
