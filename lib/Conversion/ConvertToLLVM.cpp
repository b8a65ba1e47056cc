//===- ConvertToLLVM.cpp - Order of the conversion for GPUs ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the preparing steps, and the dialect conversion.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Drops the no-overflow and exact flags of integer ops: LLVM may compute an
/// integer from another one with stronger flags (VX-279).
static void dropPromises(func::FuncOp kernel) {
  auto none = arith::IntegerOverflowFlagsAttr::get(
      kernel.getContext(), arith::IntegerOverflowFlags::none);
  kernel.walk([&](arith::ArithIntegerOverflowFlagsInterface op) {
    op->setAttr(op.getIntegerOverflowAttrName(), none);
  });
  kernel.walk([](Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      op->removeAttr("isExact");
  });
}

static LogicalResult prepareKernel(func::FuncOp kernel, const Target &target,
                                   const VendorEmission &emission) {
  resolveExpandedDims(kernel);
  if (failed(verifyLaneVectors(kernel, target)) ||
      failed(checkHasCode(kernel, target)))
    return failure();
  lowerAssertions(kernel, /*isOfHost=*/false);
  dropPromises(kernel);
  LaunchSizes sizes = launchSizesOf(kernel);
  if (sizes.numLanes() > target.maxWorkgroupSize)
    return kernel.emitOpError("has ")
           << sizes.numLanes() << " lanes per workgroup, " << target.name
           << " allows " << target.maxWorkgroupSize;
  if (sizes.subgroup && *sizes.subgroup != target.subgroupSize)
    return kernel.emitOpError("has subgroups of ")
           << *sizes.subgroup << " lanes, " << target.name << " has "
           << target.subgroupSize;
  if (failed(lowerLaunchIds(kernel, emission.uniform)) ||
      failed(allocateWorkgroupArguments(kernel, target)) ||
      failed(applyKernelABI(kernel, target)))
    return failure();
  carryFragments(kernel, target);
  if (failed(lowerMma(kernel, target, emission.mma)))
    return failure();
  roundAtStores(kernel);
  if (failed(placeWorkgroupMemory(kernel, target)) ||
      failed(lowerSynchronization(kernel, target, emission.sync)) ||
      failed(lowerTargetOps(kernel, target)))
    return failure();
  lowerNarrowFloats(kernel, target, emission.narrow);
  lowerScalarOps(kernel, target);
  if (target.packsSingles)
    packFloatPairs(kernel);
  return success();
}

/// The attribute of a kernel whose guarded accesses keep separate branches.
static constexpr StringLiteral kGuardsApartAttrName = "guards_apart";

bool distaff::keepGuardsApart(ModuleOp module) {
  bool hasKernels = false;
  module.walk([&](gpu::GPUFuncOp kernel) {
    kernel->setAttr(kGuardsApartAttrName, UnitAttr::get(module.getContext()));
    hasKernels = true;
  });
  return hasKernels;
}

LogicalResult distaff::prepareKernels(ModuleOp module, const Target &target,
                                      const VendorEmission &emission) {
  // While the grid, which bounds the ids of workgroups, is known.
  module.walk([&](gpu::GPUFuncOp kernel) {
    bool areApart = bool(kernel->removeAttr(kGuardsApartAttrName));
    if (target.family == Family::AMDGPU && !areApart)
      groupGuardedAccesses(kernel);
    narrowComparisons(kernel);
  });
  if (failed(unwrapLaneKernels(module)))
    return failure();
  placeConstants(module, target);
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(prepareKernel(kernel, target, emission)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

LogicalResult distaff::convertToLLVM(ModuleOp module, const Target &machine,
                                     const DialectConversion &vendor,
                                     KernelMarker markKernel) {
  if (failed(convertDialects(module, machine, vendor)))
    return failure();
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    LaunchSizes sizes = launchSizesOf(kernel);
    if (!sizes.workgroup)
      continue;
    SmallVector<int32_t> lanes(sizes.workgroup->begin(),
                               sizes.workgroup->end());
    int64_t available = machine.registersFor(sizes.numLanes());
    eraseUnused(kernel);
    LaneRegisters registers = orderForRegisters(kernel, available);
    warnOfSpills(kernel, forecastOf(registers, machine, sizes.numLanes()),
                 machine, sizes.numLanes());
    markKernel(kernel, lanes, registers);
    kernel->removeAttr(iree::TranslationInfoAttr::attributeName);
  }
  return success();
}
