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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;

static constexpr llvm::StringLiteral gridSuffix = "__grid";

bool distaff::isGridFunction(func::FuncOp function) {
  return function.getName().ends_with(gridSuffix);
}

/// Workgroups along x, y and z of `forall`.
static FailureOr<std::array<int64_t, 3>> countWorkgroups(scf::ForallOp forall) {
  std::array<int64_t, 3> counts = {1, 1, 1};
  std::optional<ArrayAttr> mapping = forall.getMapping();
  if (!mapping || mapping->size() != size_t(forall.getRank()))
    return forall.emitOpError("has no mapping to workgroups; write {mapping = "
                              "[#gpu.block<x>]} or so after its body");
  ArrayRef<int64_t> lower = forall.getStaticLowerBound(),
                    upper = forall.getStaticUpperBound(),
                    step = forall.getStaticStep();
  for (auto [loop, attribute] : llvm::enumerate(*mapping)) {
    auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
    if (!block || block.isLinearMapping())
      return forall.emitOpError("is mapped to ")
             << attribute << "; a kernel's loop is mapped to #gpu.block<x>, "
             << "<y> and <z>";
    if (ShapedType::isDynamic(lower[loop]) ||
        ShapedType::isDynamic(upper[loop]) || ShapedType::isDynamic(step[loop]))
      return forall.emitOpError("has a bound along ")
             << attribute << " that is not a constant; dynamic grids are not "
             << "supported yet";
    counts[size_t(block.getMappingId())] = std::max<int64_t>(
        0, llvm::divideCeil(upper[loop] - lower[loop], step[loop]));
  }
  return counts;
}

/// One index per dynamic extent of an argument.
static SmallVector<Type> gridParameters(func::FuncOp kernel) {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      types.append(shaped.getNumDynamicDims(),
                   IndexType::get(kernel.getContext()));
  return types;
}

LogicalResult distaff::createGridFunction(func::FuncOp kernel) {
  std::string name = (kernel.getName() + gridSuffix).str();
  auto module = cast<ModuleOp>(kernel->getParentOp());
  if (module.lookupSymbol(name))
    return success();
  std::array<int64_t, 3> counts = {1, 1, 1};
  auto loops = kernel.getBody().front().getOps<scf::ForallOp>();
  if (!loops.empty()) {
    FailureOr<std::array<int64_t, 3>> found = countWorkgroups(*loops.begin());
    if (failed(found))
      return failure();
    counts = *found;
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Type index = builder.getIndexType();
  auto grid = func::FuncOp::create(
      builder, kernel.getLoc(), name,
      builder.getFunctionType(gridParameters(kernel), {index, index, index}));
  builder.setInsertionPointToStart(grid.addEntryBlock());
  SmallVector<Value> values;
  for (int64_t count : counts)
    values.push_back(
        arith::ConstantIndexOp::create(builder, grid.getLoc(), count));
  func::ReturnOp::create(builder, grid.getLoc(), values);
  return success();
}
