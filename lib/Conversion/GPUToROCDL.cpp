//===- GPUToROCDL.cpp - Lowered kernels to the ROCDL dialect --------------===//
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
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {
#define GEN_PASS_DEF_CONVERTGPUTOROCDL
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Emits a conversion of a pair, which is the lower half of a word; word select
/// is 0.
Value emitRocdlNarrowConversion(OpBuilder &builder, Location loc,
                                const NarrowConversion &row, Value pair) {
  Type half = builder.getI16Type(), word = builder.getI32Type();
  OperationState state(loc, row.instruction);
  state.addAttribute("wordSel", builder.getBoolAttr(false));
  if (row.widens) {
    Value bits = LLVM::BitcastOp::create(builder, loc, half, pair);
    state.addOperands(
        LLVM::ZExtOp::create(builder, loc, word, bits).getResult());
    state.addTypes(VectorType::get({2}, builder.getF32Type()));
    return builder.create(state)->getResult(0);
  }
  auto parts = vector::ToElementsOp::create(builder, loc, pair);
  state.addOperands(parts.getElements());
  state.addOperands(
      LLVM::ConstantOp::create(builder, loc, word, 0).getResult());
  state.addTypes(word);
  Value bits = LLVM::TruncOp::create(builder, loc, half,
                                     builder.create(state)->getResult(0));
  return LLVM::BitcastOp::create(
      builder, loc, VectorType::get({2}, builder.getI8Type()), bits);
}

/// Emits the barrier of a workgroup, whose number is -1 for a split signal and
/// wait.
void emitRocdlBarrier(OpBuilder &builder, Location loc, bool isSplit) {
  if (!isSplit) {
    ROCDL::SBarrierOp::create(builder, loc);
    return;
  }
  ROCDL::BarrierSignalOp::create(builder, loc, /*id=*/-1);
  ROCDL::BarrierWaitOp::create(builder, loc, /*id=*/-1);
}

StringRef rocdlFenceScope(iree::FenceLevel level) {
  switch (level) {
  case iree::FenceLevel::device:
    return "agent";
  case iree::FenceLevel::workgroup:
    return "workgroup";
  case iree::FenceLevel::subgroup:
    return "wavefront";
  }
  llvm_unreachable("unknown level");
}

/// Returns LLVM's AMDGPU address space: 1 global, 3 LDS, 5 private.
unsigned rocdlAddressSpace(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Global:
    return 1;
  case gpu::AddressSpace::Workgroup:
    return 3;
  case gpu::AddressSpace::Private:
    return 5;
  }
  llvm_unreachable("unknown space");
}

void markRocdlKernel(LLVM::LLVMFuncOp kernel, const Target &gpu,
                     ArrayRef<int32_t> workgroupSize,
                     const LaneRegisters &lane) {
  Builder builder(kernel.getContext());
  int64_t lanes = 1;
  for (int32_t extent : workgroupSize)
    lanes *= extent;
  std::string range = llvm::utostr(lanes) + "," + llvm::utostr(lanes);
  kernel->setAttr(ROCDL::ROCDLDialect::KernelAttrHelper::getNameStr(),
                  builder.getUnitAttr());
  kernel->setAttr(
      ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
      builder.getStringAttr(range));
  kernel->setAttr(
      ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr(),
      builder.getDenseI32ArrayAttr(workgroupSize));
  // LLVM's allocator takes minutes to decide which of thousands to spill.
  if (lane.written > 2 * gpu.registersFor(lanes))
    kernel.setPassthroughAttr(
        builder.getArrayAttr({builder.getStringAttr(kSpillsMostly)}));
}

struct ConvertGPUToROCDL final
    : distaff::impl::ConvertGPUToROCDLBase<ConvertGPUToROCDL> {
  using ConvertGPUToROCDLBase::ConvertGPUToROCDLBase;

  void runOnOperation() override {
    const Target *gpu = lookupTarget(target);
    if (!gpu || gpu->family != Family::AMDGPU) {
      getOperation().emitError("needs an AMD target, got '")
          << target.getValue() << "'";
      return signalPassFailure();
    }
    FailureOr<amdgpu::Chipset> chipset = amdgpu::Chipset::parse(gpu->chip);
    assert(succeeded(chipset) && "the table's chip names are LLVM's");
    auto populatePatterns = [&](LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
      populateGpuToROCDLConversionPatterns(
          converter, patterns, gpu::amd::Runtime::Unknown, *chipset);
      populateApproximationPatterns(converter, patterns, Family::AMDGPU);
      populatePermutationPatterns(converter, patterns);
      populateTransposedLoadPatterns(converter, patterns);
      populateXorShufflePatterns(converter, patterns, *chipset,
                                 gpu->subgroupSize);
    };
    auto mark = [&](LLVM::LLVMFuncOp kernel, ArrayRef<int32_t> workgroupSize,
                    const LaneRegisters &lane) {
      markRocdlKernel(kernel, *gpu, workgroupSize, lane);
    };
    auto barrier = [&](OpBuilder &builder, Location loc, Value, Value) {
      emitRocdlBarrier(builder, loc, gpu->barriers.isSplit);
    };
    auto laneBarrier = [](OpBuilder &, Location) {}; // lanes are in lock step
    auto uniform = [](OpBuilder &builder, Location loc, Value number) -> Value {
      return ROCDL::ReadfirstlaneOp::create(builder, loc, number.getType(),
                                            number);
    };
    if (failed(prepareKernels(getOperation(), *gpu,
                              {emitMatrixCore,
                               emitRocdlNarrowConversion,
                               {barrier, laneBarrier, rocdlFenceScope,
                                /*barriersOrder=*/false},
                               uniform})) ||
        failed(convertToLLVM(getOperation(), *gpu,
                             {rocdlAddressSpace, populatePatterns}, mark)))
      signalPassFailure();
  }
};

} // namespace
