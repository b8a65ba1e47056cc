//===- LaneKernels.cpp - Unwrapping kernels from gpu.module ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect conversion makes llvm.func of func.func. Therefore one lane's
// program becomes the body of a func.func at the top of the module, with its
// launch in translation_info; the tables beside it are moved too.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using iree::TranslationInfoAttr;

/// Replaces the grid sizes that the kernel specifies by constants.
static void foldGridSizes(gpu::GPUFuncOp lane) {
  std::optional<ArrayRef<int32_t>> grid = lane.getKnownGridSize();
  if (!grid)
    return;
  OpBuilder builder(lane.getContext());
  lane.walk([&](gpu::GridDimOp op) {
    builder.setInsertionPoint(op);
    Value count = arith::ConstantIndexOp::create(
        builder, op.getLoc(), (*grid)[unsigned(op.getDimension())]);
    op.replaceAllUsesWith(count);
    op.erase();
  });
}

static void unwrap(gpu::GPUFuncOp lane, OpBuilder &builder) {
  foldGridSizes(lane);
  auto kernel = func::FuncOp::create(builder, lane.getLoc(), lane.getName(),
                                     lane.getFunctionType());
  StringRef ofGPU[] = {gpu::GPUDialect::getKernelFuncAttrName(),
                       gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName()};
  for (NamedAttribute attribute : lane->getDiscardableAttrs())
    if (!llvm::is_contained(ofGPU, attribute.getName()))
      kernel->setDiscardableAttr(attribute.getName(), attribute.getValue());
  kernel.setArgAttrsAttr(lane.getArgAttrsAttr());
  LaunchSizes sizes = launchSizesOf(lane);
  auto info = lane->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  kernel->setAttr(TranslationInfoAttr::attributeName,
                  TranslationInfoAttr::get(
                      lane.getContext(), info ? info.getPipeline() : nullptr,
                      SmallVector<int64_t>(sizes.workgroup->begin(),
                                           sizes.workgroup->end()),
                      sizes.subgroup.value_or(0), /*configuration=*/nullptr));
  kernel.getBody().takeBody(lane.getBody());
  for (Block &block : kernel.getBody())
    if (auto end = dyn_cast<gpu::ReturnOp>(block.getTerminator())) {
      OpBuilder atEnd(end);
      func::ReturnOp::create(atEnd, end.getLoc());
      end.erase();
    }
}

/// Checks that the symbols of several gpu.modules, and tables beside them,
/// differ.
static LogicalResult checkNames(ModuleOp module) {
  llvm::StringMap<Operation *> first;
  auto enter = [&](Operation &op) -> LogicalResult {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    bool leaves = isKernel(&op) || isa<memref::GlobalOp>(op);
    if (!symbol || !leaves)
      return success();
    auto [it, isNew] = first.try_emplace(symbol.getName(), &op);
    if (isNew)
      return success();
    InFlightDiagnostic error =
        op.emitOpError("has a name that another has, and both are emitted");
    error.attachNote(it->second->getLoc()) << "the other one";
    return error;
  };
  for (auto table : module.getOps<memref::GlobalOp>())
    if (failed(enter(*table)))
      return failure();
  for (auto lanes : module.getOps<gpu::GPUModuleOp>())
    for (Operation &op : *lanes.getBody())
      if (failed(enter(op)))
        return failure();
  return success();
}

LogicalResult distaff::unwrapLaneKernels(ModuleOp module) {
  for (FunctionOpInterface kernel : findKernels(module))
    if (failed(verifyLevel(kernel, Level::Lane)))
      return failure();
  if (failed(checkNames(module)))
    return failure();
  // The caller computes the grid.
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function.erase();
  for (auto lanes :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
    OpBuilder builder(lanes);
    for (Operation &op : llvm::make_early_inc_range(*lanes.getBody())) {
      if (isKernel(&op))
        unwrap(cast<gpu::GPUFuncOp>(op), builder);
      else if (isa<memref::GlobalOp>(op))
        op.moveBefore(lanes);
    }
    lanes.erase();
  }
  return success();
}
