//===- GPUToNVVM.cpp - Lowered kernels to the NVVM dialect ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "MmaEmitters.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {
#define GEN_PASS_DEF_CONVERTGPUTONVVM
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Emits a conversion of a pair; the op takes the number for the upper byte
/// first.
Value emitNvvmNarrowConversion(OpBuilder &builder, Location loc,
                               const NarrowConversion &row, Value pair) {
  Type format = row.narrow == &f8E5M2
                    ? Type(Float8E5M2Type::get(builder.getContext()))
                    : Type(Float8E4M3FNType::get(builder.getContext()));
  auto bytes = VectorType::get({2}, builder.getI8Type());
  if (row.widens)
    return NVVM::ConvertF8x2ToF16x2Op::create(
        builder, loc, VectorType::get({2}, builder.getF16Type()), pair,
        /*relu=*/false, format);
  if (row.wide == ScalarKind::F16)
    return NVVM::ConvertF16x2ToF8x2Op::create(builder, loc, bytes, pair,
                                              /*relu=*/false, format);
  auto parts = vector::ToElementsOp::create(builder, loc, pair);
  return NVVM::ConvertF32x2ToF8x2Op::create(
      builder, loc, bytes, parts.getElements()[1], parts.getElements()[0],
      NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
      /*relu=*/false, format);
}

void emitNvvmBarrier(OpBuilder &builder, Location loc, Value id,
                     Value threads) {
  NVVM::BarrierOp::create(builder, loc, TypeRange(), id, threads,
                          NVVM::BarrierReductionAttr(), Value());
}

/// Emits a barrier for all lanes of the subgroup.
void emitLaneBarrier(OpBuilder &builder, Location loc) {
  Value mask =
      arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), -1);
  NVVM::SyncWarpOp::create(builder, loc, mask);
}

/// Returns the scope of a fence; among lanes bar.warp.sync suffices.
StringRef nvvmFenceScope(iree::FenceLevel level) {
  switch (level) {
  case iree::FenceLevel::device:
    return "device";
  case iree::FenceLevel::workgroup:
    return "block";
  case iree::FenceLevel::subgroup:
    return "";
  }
  llvm_unreachable("unknown level");
}

unsigned nvvmAddressSpace(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Global:
    return unsigned(NVVM::NVVMMemorySpace::Global);
  case gpu::AddressSpace::Workgroup:
    return unsigned(NVVM::NVVMMemorySpace::Shared);
  case gpu::AddressSpace::Private:
    return 0;
  }
  llvm_unreachable("unknown space");
}

/// Adds patterns for asynchronous copies and matrix loads. Instructions take no
/// tokens: they count groups.
void populateNVGPU(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  populateMatrixLoadPatterns(converter, patterns);
}

void populatePatterns(LLVMTypeConverter &converter,
                      RewritePatternSet &patterns) {
  // The benefit is below that of all other patterns: these include calls of a
  // device library for arith and math ops, and none is linked.
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/0);
  populateApproximationPatterns(converter, patterns, Family::NVPTX);
  populateNarrowShufflePatterns(converter, patterns);
  populateGpuSubgroupReduceOpLoweringPattern(converter, patterns);
  populateUnsignedReductionPatterns(converter, patterns);
}

/// Returns the registers of a lane if `lanes` are resident: the issuers of a
/// unit share its registers and its subgroups, and one of them has most
/// subgroups.
static int64_t registersWhere(const Target &gpu, int64_t lanes) {
  int64_t perIssuer = llvm::divideCeil(
      llvm::divideCeil(lanes, gpu.subgroupSize), gpu.issue.issuers);
  return gpu.registersFor(perIssuer * gpu.issue.issuers * gpu.subgroupSize);
}

/// Returns the number of workgroups that ptxas is told to keep resident, or
/// none. ptxas prefers to spill a few registers of a lane over having fewer
/// workgroups resident. With a requested number it does not spill if that many
/// workgroups fit; kernels with few registers are left to ptxas, which then has
/// more of them resident. It moves loads up, so that the program's order needs
/// up to three quarters more registers.
///
/// The numbers are from 1,809 kernels of the sweep (13.0; docs/rationale,
/// predicted-spills-outrank-cost): without a request, 8 of them spill, with one
/// for all kernels, 4 others, with this rule none. Those 4 have several
/// subgroups, and ptxas would move up loads into registers of which half are
/// left.
///
/// The request is also made for a workgroup of one subgroup with dozens of
/// conditions: those that outlive the predicate registers are kept in other
/// registers (VX-297).
std::optional<int64_t> residencyAskedFor(const Target &gpu, int64_t lanes,
                                         const LaneRegisters &lane,
                                         int64_t conditions) {
  constexpr int64_t manyConditions = 32;
  bool isSmall = lanes <= 2 * gpu.subgroupSize;
  int64_t few = isSmall ? 64 : 40;
  bool hasManyConditions =
      lanes <= gpu.subgroupSize && conditions >= manyConditions;
  if (lane.written < few && !hasManyConditions)
    return std::nullopt;
  int64_t all = gpu.registersFor(lanes);
  int64_t early = withEarlyLoads(lane.scheduled);
  int64_t whole = llvm::alignTo(lanes, gpu.subgroupSize);
  bool isSqueezed = maySqueeze(lane.taken(), gpu, whole);
  if (gpu.overfillsRegisters && !isSmall && 2 * early > all &&
      (early >= all || !isSqueezed))
    return std::nullopt;
  int64_t needed = std::min(all, lane.written + 3 * lane.written / 4 +
                                     gpu.overheadRegisters);
  // If more residency of a single subgroup of many registers is requested,
  // ptxas spills again.
  int64_t most = 8;
  if (lane.written < few) {
    needed = std::min(all, needed + conditions / 2);
    most = 16;
  }
  int64_t resident = std::min<int64_t>(
      {most, gpu.residency.workgroups, gpu.residency.lanes / whole});
  while (resident > 1 && registersWhere(gpu, resident * whole) < needed)
    --resident;
  return resident;
}

/// Keeps ptxas from unrolling loops of which one iteration fills most of the
/// `room` that a lane has (VX-281): it would issue the loads of several
/// iterations early, and spill the values that these leave no register for. A
/// softmax of the columns of 9323x660, of whose 128 registers an iteration
/// takes 84, spilled 8 bytes.
void keepLoopsRolled(LLVM::LLVMFuncOp kernel, const LaneRegisters &lane,
                     int64_t room) {
  if (kernel.getBody().hasOneBlock())
    return;
  Builder builder(kernel.getContext());
  auto rolled = LLVM::LoopUnrollAttr::get(kernel.getContext(),
                                          /*disable=*/builder.getBoolAttr(true),
                                          {}, {}, {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      kernel.getContext(), {}, {}, {}, /*unroll=*/rolled, {}, {}, {}, {}, {},
      {}, {}, {}, {}, {}, {});
  DominanceInfo dominance(kernel);
  CFGLoopInfo loops(dominance.getDomTree(&kernel.getBody()));
  for (CFGLoop *loop : loops.getLoopsInPreorder()) {
    Block *latch = loop->getLoopLatch();
    bool isFull = llvm::any_of(loop->getBlocks(), [&](Block *block) {
      return fillsMost(lane.ofBlocks.lookup(block), room);
    });
    if (!latch || !loop->isInnermost() || !isFull)
      continue;
    if (auto branch = dyn_cast<LLVM::BrOp>(latch->getTerminator()))
      branch.setLoopAnnotationAttr(annotation);
    else if (auto branch = dyn_cast<LLVM::CondBrOp>(latch->getTerminator()))
      branch.setLoopAnnotationAttr(annotation);
  }
}

/// Counts the scalar conditions of a kernel: comparisons, logical ops on them,
/// and loads of i1.
int64_t countConditions(LLVM::LLVMFuncOp kernel) {
  int64_t conditions = 0;
  kernel.walk([&](Operation *op) {
    conditions += op->getNumResults() == 1 &&
                  op->getResult(0).getType().isInteger(1) &&
                  !isa<LLVM::ConstantOp>(op);
  });
  return conditions;
}

void markNvvmKernel(LLVM::LLVMFuncOp kernel, const Target &gpu,
                    ArrayRef<int32_t> workgroupSize,
                    const LaneRegisters &lane) {
  Builder builder(kernel.getContext());
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  builder.getDenseI32ArrayAttr(workgroupSize));
  int64_t lanes = llvm::product_of(workgroupSize);
  std::optional<int64_t> resident =
      residencyAskedFor(gpu, lanes, lane, countConditions(kernel));
  if (resident)
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(*resident));
  int64_t whole = llvm::alignTo(lanes, gpu.subgroupSize);
  keepLoopsRolled(kernel, lane,
                  registersWhere(gpu, resident.value_or(1) * whole));
}

struct ConvertGPUToNVVM final
    : distaff::impl::ConvertGPUToNVVMBase<ConvertGPUToNVVM> {
  using ConvertGPUToNVVMBase::ConvertGPUToNVVMBase;

  void runOnOperation() override {
    const Target *gpu = lookupTarget(target);
    if (!gpu || gpu->family != Family::NVPTX) {
      getOperation().emitError("needs an NVIDIA target, got '")
          << target.getValue() << "'";
      return signalPassFailure();
    }
    splitMatrixLoads(getOperation());
    auto mark = [&](LLVM::LLVMFuncOp kernel, ArrayRef<int32_t> workgroupSize,
                    const LaneRegisters &lane) {
      markNvvmKernel(kernel, *gpu, workgroupSize, lane);
    };
    auto populate = [&](LLVMTypeConverter &converter,
                        RewritePatternSet &patterns) {
      populatePatterns(converter, patterns);
      if (!gpu->asyncCopyBytes.empty() || gpu->banks.loadsMatrices)
        populateNVGPU(converter, patterns);
    };
    if (failed(
            prepareKernels(getOperation(), *gpu,
                           {emitMmaSync,
                            emitNvvmNarrowConversion,
                            {emitNvvmBarrier, emitLaneBarrier, nvvmFenceScope,
                             /*barriersOrder=*/true},
                            /*uniform=*/nullptr})) ||
        failed(convertToLLVM(getOperation(), *gpu, {nvvmAddressSpace, populate},
                             mark)))
      signalPassFailure();
  }
};

} // namespace
