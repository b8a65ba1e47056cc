//===- KernelLaunch.cpp - Launch sizes of a kernel ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

namespace distaff {

using Sizes = std::array<int64_t, 3>;

template <typename Integer> static Sizes sizesOf(ArrayRef<Integer> values) {
  Sizes sizes = {1, 1, 1};
  for (auto [size, value] : llvm::zip(sizes, values))
    size = value;
  return sizes;
}

LaunchSizes launchSizesOf(Operation *kernel) {
  LaunchSizes sizes;
  if (auto info = kernel->getAttrOfType<iree::TranslationInfoAttr>(
          iree::TranslationInfoAttr::attributeName)) {
    if (!info.getWorkgroupSize().empty())
      sizes.workgroup = sizesOf(info.getWorkgroupSize());
    if (info.getSubgroupSize())
      sizes.subgroup = info.getSubgroupSize();
  }
  if (auto function = dyn_cast<gpu::GPUFuncOp>(kernel))
    if (auto known = function.getKnownBlockSize())
      sizes.workgroup = sizesOf(*known);
  if (isConvertedKernel(kernel))
    if (DenseI32ArrayAttr known = convertedBlockSize(kernel))
      sizes.workgroup = sizesOf(known.asArrayRef());
  return sizes;
}

std::optional<Sizes> countWorkgroups(scf::ForallOp loop) {
  auto lower = getConstantIntValues(loop.getMixedLowerBound());
  auto upper = getConstantIntValues(loop.getMixedUpperBound());
  auto step = getConstantIntValues(loop.getMixedStep());
  std::optional<ArrayAttr> mapping = loop.getMapping();
  if (!lower || !upper || !step || !mapping || mapping->size() != upper->size())
    return std::nullopt;
  Sizes counts = {1, 1, 1};
  for (auto [number, attribute] : llvm::enumerate(*mapping)) {
    auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
    if (!block || block.isLinearMapping())
      return std::nullopt;
    int64_t span = (*upper)[number] - (*lower)[number];
    counts[size_t(block.getMappingId())] =
        std::max<int64_t>(0, llvm::divideCeil(span, (*step)[number]));
  }
  return counts;
}

/// Returns the result of a grid function if it is constant.
static std::optional<Sizes> constantGrid(func::FuncOp grid) {
  if (grid.isExternal() || !grid.getBody().hasOneBlock() ||
      grid.getNumResults() != 3)
    return std::nullopt;
  Sizes counts;
  for (auto [count, value] : llvm::zip_equal(
           counts, grid.getBody().front().getTerminator()->getOperands())) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    if (!constant)
      return std::nullopt;
    count = *constant;
  }
  return counts;
}

std::optional<Sizes> fixedGridOf(FunctionOpInterface kernel) {
  if (func::FuncOp grid = findGridFunction(kernel))
    return constantGrid(grid);
  if (auto function = dyn_cast<gpu::GPUFuncOp>(*kernel))
    if (auto known = function.getKnownGridSize())
      return sizesOf(*known);
  if (isConvertedKernel(kernel))
    if (DenseI32ArrayAttr known = convertedGridSize(kernel))
      return sizesOf(known.asArrayRef());
  if (scf::ForallOp loop = findWorkgroupLoop(kernel))
    return countWorkgroups(loop);
  return Sizes{1, 1, 1};
}

Value linearLaneId(OpBuilder &builder, Location loc, const Sizes &workgroup) {
  Value id;
  for (auto dimension :
       {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
    int64_t size = workgroup[size_t(dimension)];
    if (size == 1 && (id || dimension != gpu::Dimension::x))
      continue;
    Value digit = gpu::ThreadIdOp::create(builder, loc, dimension);
    if (id) {
      Value extent = arith::ConstantIndexOp::create(builder, loc, size);
      Value first = arith::MulIOp::create(builder, loc, id, extent);
      digit = arith::AddIOp::create(builder, loc, first, digit);
    }
    id = digit;
  }
  return id;
}

} // namespace distaff
