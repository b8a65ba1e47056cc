//===- TileGrid.cpp - How many workgroups a kernel runs -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid is the trip count of each loop of the kernel's `scf.forall`, at the
// place that its mapping names.
//
//===----------------------------------------------------------------------===//
#include "TileGrid.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;

using Sizes = std::array<int64_t, 3>;

/// Says why a loop has no grid. \pre countWorkgroups(forall) is none
static LogicalResult refuseLoop(scf::ForallOp forall) {
  std::optional<ArrayAttr> mapping = forall.getMapping();
  if (!mapping || mapping->size() != size_t(forall.getRank()))
    return forall.emitOpError("has no mapping to workgroups; write {mapping = "
                              "[#gpu.block<x>]} or so after its body");
  for (auto [loop, attribute] : llvm::enumerate(*mapping)) {
    auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
    if (!block || block.isLinearMapping())
      return forall.emitOpError("is mapped to ")
             << attribute << "; a kernel's loop is mapped to #gpu.block<x>, "
             << "<y> and <z>";
    auto isConstant = [&](ArrayRef<int64_t> bounds) {
      return !ShapedType::isDynamic(bounds[loop]);
    };
    if (!isConstant(forall.getStaticLowerBound()) ||
        !isConstant(forall.getStaticUpperBound()) ||
        !isConstant(forall.getStaticStep()))
      return forall.emitOpError("has a bound along ")
             << attribute << " that is not a constant; dynamic grids are not "
             << "supported yet";
  }
  llvm_unreachable("such a loop has a grid");
}

/// Checks that the target can launch so many workgroups.
static LogicalResult verifyGrid(func::FuncOp kernel, const Sizes &counts,
                                const Target &target) {
  for (unsigned at = 0; at < 3; ++at)
    if (counts[at] > target.maxGrid[at])
      return kernel.emitOpError("has ")
             << counts[at] << " workgroups along " << "xyz"[at] << ", "
             << target.name << " launches up to " << target.maxGrid[at]
             << "; give each more of the work";
  return success();
}

LogicalResult distaff::createGridFunction(func::FuncOp kernel,
                                          const Target &target) {
  std::string name = gridFunctionName(kernel.getName());
  if (failed(verifyGridName(kernel)))
    return failure();
  if (findGridFunction(kernel))
    return success();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  std::optional<Sizes> counts = Sizes{1, 1, 1};
  auto loops = kernel.getBody().front().getOps<scf::ForallOp>();
  if (!loops.empty() && !(counts = countWorkgroups(*loops.begin())))
    return refuseLoop(*loops.begin());
  if (failed(verifyGrid(kernel, *counts, target)))
    return failure();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Type index = builder.getIndexType();
  SmallVector<Type> extents(signature->dynamicExtents().size(), index);
  auto grid = func::FuncOp::create(
      builder, kernel.getLoc(), name,
      builder.getFunctionType(extents, {index, index, index}));
  grid->setAttr(hostAttributeName, builder.getUnitAttr());
  builder.setInsertionPointToStart(grid.addEntryBlock());
  SmallVector<Value> values;
  for (int64_t count : *counts)
    values.push_back(
        arith::ConstantIndexOp::create(builder, grid.getLoc(), count));
  func::ReturnOp::create(builder, grid.getLoc(), values);
  return success();
}
