//===- MapForall.cpp - Mapping of forall to workgroup ids -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `@NAME__grid` starts one workgroup per iteration, so the loop disappears: its
// induction variables are functions of `gpu.block_id`.
//
//===----------------------------------------------------------------------===//
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace distaff {
#define GEN_PASS_DEF_MAPFORALL
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {

/// Returns the grid dimension of each induction variable.
FailureOr<SmallVector<gpu::Dimension>> blockDimensions(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  if (!mapping || mapping->size() != size_t(loop.getRank()))
    return loop.emitOpError("needs one #gpu.block mapping per dimension to "
                            "become a grid of workgroups");
  SmallVector<gpu::Dimension> dimensions;
  for (Attribute attribute : *mapping) {
    auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
    if (!block || block.getBlock() > gpu::MappingId::DimZ)
      return loop.emitOpError("is mapped to ")
             << attribute << ", needed #gpu.block<x>, <y> or <z>";
    dimensions.push_back(gpu::Dimension(block.getBlock()));
  }
  return dimensions;
}

void inlineAtBlockIds(scf::ForallOp loop, ArrayRef<gpu::Dimension> dimensions) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto value = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  };
  for (auto [iv, lower, step, dimension] :
       llvm::zip_equal(loop.getInductionVars(), loop.getMixedLowerBound(),
                       loop.getMixedStep(), dimensions)) {
    Value index = gpu::BlockIdOp::create(builder, loc, dimension);
    if (getConstantIntValue(step) != 1)
      index = arith::MulIOp::create(builder, loc, index, value(step));
    if (getConstantIntValue(lower) != 0)
      index = arith::AddIOp::create(builder, loc, value(lower), index);
    iv.replaceAllUsesWith(index);
  }
  Block *body = loop.getBody();
  loop->getBlock()->getOperations().splice(loop->getIterator(),
                                           body->getOperations(), body->begin(),
                                           std::prev(body->end()));
  loop.erase();
}

struct MapForall final : distaff::impl::MapForallBase<MapForall> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return;
    if (loops.size() > 1) {
      loops[1].emitOpError("is a second workgroup-mapped loop; one launch has "
                           "one grid")
              .attachNote(loops[0].getLoc())
          << "the grid comes from this loop";
      return signalPassFailure();
    }
    scf::ForallOp loop = loops.front();
    if (loop.getNumResults() != 0) {
      loop.emitOpError("yields tensors; bufferize first");
      return signalPassFailure();
    }
    FailureOr<SmallVector<gpu::Dimension>> dimensions = blockDimensions(loop);
    if (failed(dimensions))
      return signalPassFailure();
    inlineAtBlockIds(loop, *dimensions);
  }
};

} // namespace
