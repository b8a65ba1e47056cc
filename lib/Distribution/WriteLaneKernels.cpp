//===- WriteLaneKernels.cpp - A kernel becomes one lane's program ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distribution rewrites bodies in place. Here what has become the program of
// one lane says so: it moves from its func.func into a gpu.func. Both stand in
// their order, tables of constants included, in one gpu.module.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace distaff {
#define GEN_PASS_DEF_WRITELANEKERNELS
#include "distaff/Distribution/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using iree::TranslationInfoAttr;

/// Whether `known_grid_size` can say so.
static bool isKnownGridSize(const std::array<int64_t, 3> &grid) {
  return llvm::all_of(grid, [](int64_t count) {
    return count <= std::numeric_limits<int32_t>::max();
  });
}

static LogicalResult checkMovable(func::FuncOp kernel) {
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("returns values; results are out-arguments in "
                              "the program of one lane");
  if (!launchSizesOf(kernel).workgroup)
    return kernel.emitOpError("has no translation_info with a workgroup_size; "
                              "give it one, or --config workgroup_size=128");
  if (scf::ForallOp loop = findWorkgroupLoop(kernel))
    return loop.emitOpError("is a loop over workgroups; map it first");
  return success();
}

/// What is known of launches stays with the function.
static void setLaunch(gpu::GPUFuncOp lane, func::FuncOp kernel) {
  Builder builder(kernel.getContext());
  auto asAttr = [&](const std::array<int64_t, 3> &sizes) {
    return builder.getDenseI32ArrayAttr(
        SmallVector<int32_t>(sizes.begin(), sizes.end()));
  };
  lane->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  lane.setKnownBlockSizeAttr(asAttr(*launchSizesOf(kernel).workgroup));
  std::optional<std::array<int64_t, 3>> grid = fixedGridOf(kernel);
  if (grid && isKnownGridSize(*grid) &&
      *grid != std::array<int64_t, 3>{1, 1, 1})
    lane.setKnownGridSizeAttr(asAttr(*grid));
  for (NamedAttribute attribute : kernel->getDiscardableAttrs())
    lane->setDiscardableAttr(attribute.getName(), attribute.getValue());
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  lane->setDiscardableAttr(
      TranslationInfoAttr::attributeName,
      TranslationInfoAttr::get(kernel.getContext(), info.getPipeline(),
                               /*workgroupSize=*/{}, info.getSubgroupSize(),
                               info.getConfiguration()));
}

static void moveBody(func::FuncOp kernel, OpBuilder &builder) {
  auto lane = gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getName(),
                                     kernel.getFunctionType());
  setLaunch(lane, kernel);
  lane.setArgAttrsAttr(kernel.getArgAttrsAttr());
  lane.getBody().takeBody(kernel.getBody());
  for (Block &block : lane.getBody())
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      OpBuilder atEnd(end);
      gpu::ReturnOp::create(atEnd, end.getLoc());
      end.erase();
    }
  kernel.erase();
}

namespace {
struct WriteLaneKernels final
    : distaff::impl::WriteLaneKernelsBase<WriteLaneKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> moved;
    for (Operation &op : *module.getBody()) {
      auto kernel = dyn_cast<func::FuncOp>(op);
      if (kernel && isKernel(kernel) && failed(checkMovable(kernel)))
        return signalPassFailure();
      if (isa<memref::GlobalOp>(op) || (kernel && isKernel(kernel)))
        moved.push_back(&op);
    }
    if (moved.empty())
      return;
    OpBuilder builder(moved.front());
    auto lanes = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    builder.setInsertionPointToEnd(lanes.getBody());
    for (Operation *op : moved) {
      if (auto kernel = dyn_cast<func::FuncOp>(op))
        moveBody(kernel, builder);
      else
        op->moveBefore(lanes.getBody(), lanes.getBody()->end());
    }
    // Another symbol of the module may have the name.
    Block::iterator place = std::next(lanes->getIterator());
    lanes->remove();
    SymbolTable(module).insert(lanes, place);
  }
};
} // namespace
