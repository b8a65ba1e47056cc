//===- Scopes.cpp - The scopes of a GPU -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids are those of the gpu dialect, barriers and fences those of iree_gpu,
// which Conversion lowers to those of a GPU family.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace distaff;
using namespace distaff::iree;
using pcf::FenceKind;

static constexpr gpu::Dimension xyz[] = {gpu::Dimension::x, gpu::Dimension::y,
                                         gpu::Dimension::z};

/// Adds a fence, if there is memory to order.
static LogicalResult addFenceFor(OpBuilder &builder, Location loc,
                                 FenceKind kind, FenceLevel level,
                                 ArrayRef<Attribute> spaces) {
  if (!spaces.empty())
    FenceOp::create(builder, loc, kind, level);
  return success();
}

/// Adds `barrier`, between a release and an acquire if there is memory to
/// order.
template <typename BarrierFn>
static void addFenced(OpBuilder &builder, Location loc, FenceLevel level,
                      ArrayRef<Attribute> spaces, BarrierFn barrier) {
  if (!spaces.empty())
    FenceOp::create(builder, loc, FenceKind::release, level);
  barrier();
  if (!spaces.empty())
    FenceOp::create(builder, loc, FenceKind::acquire, level);
}

//===----------------------------------------------------------------------===//
// #iree_codegen.workgroup_scope
//===----------------------------------------------------------------------===//

Attribute WorkgroupScopeAttr::parse(AsmParser &parser, Type) {
  bool linearize = succeeded(parser.parseOptionalLess());
  if (linearize && (parser.parseKeyword("linearize") || parser.parseGreater()))
    return {};
  return get(parser.getContext(), linearize);
}

void WorkgroupScopeAttr::print(AsmPrinter &printer) const {
  if (getLinearize())
    printer << "<linearize>";
}

int64_t WorkgroupScopeAttr::getNativeNumProcessorIds() const {
  return getLinearize() ? 1 : 3;
}

static SmallVector<Value> getGridCounts(OpBuilder &builder, Location loc) {
  return llvm::map_to_vector(xyz, [&](gpu::Dimension dim) -> Value {
    return gpu::GridDimOp::create(builder, loc, dim);
  });
}

SmallVector<Value> WorkgroupScopeAttr::getWorkerIDs(OpBuilder &builder,
                                                    Location loc,
                                                    int64_t n) const {
  SmallVector<Value> ids =
      llvm::map_to_vector(xyz, [&](gpu::Dimension dim) -> Value {
        return gpu::BlockIdOp::create(builder, loc, dim);
      });
  SmallVector<Value> counts = getGridCounts(builder, loc);
  if (!getLinearize())
    return pcf::foldWorkerIDs(builder, loc, ids, counts, n);
  Value linear = pcf::foldWorkerIDs(builder, loc, ids, counts, 1).front();
  Value count = pcf::foldWorkerCounts(builder, loc, counts, 1).front();
  return pcf::foldWorkerIDs(builder, loc, linear, count, n);
}

SmallVector<Value> WorkgroupScopeAttr::getWorkerCounts(OpBuilder &builder,
                                                       Location loc,
                                                       int64_t n) const {
  SmallVector<Value> counts = getGridCounts(builder, loc);
  if (getLinearize())
    counts = pcf::foldWorkerCounts(builder, loc, counts, 1);
  return pcf::foldWorkerCounts(builder, loc, counts, n);
}

LogicalResult WorkgroupScopeAttr::addBarrier(OpBuilder &, Location,
                                             ArrayRef<Attribute>) const {
  return success(); // The end of the kernel is the barrier.
}

LogicalResult WorkgroupScopeAttr::addFence(OpBuilder &builder, Location loc,
                                           FenceKind kind,
                                           ArrayRef<Attribute> spaces) const {
  return addFenceFor(builder, loc, kind, FenceLevel::device, spaces);
}

FailureOr<Attribute> WorkgroupScopeAttr::getAllocMemSpace(MLIRContext *) const {
  return failure(); // The caller provides memory of the grid.
}

int64_t WorkgroupScopeAttr::getNestingLevel() const { return 0; }

//===----------------------------------------------------------------------===//
// #iree_gpu.subgroup_scope
//===----------------------------------------------------------------------===//

int64_t SubgroupScopeAttr::getNativeNumProcessorIds() const { return 1; }

SmallVector<Value> SubgroupScopeAttr::getWorkerIDs(OpBuilder &builder,
                                                   Location loc,
                                                   int64_t n) const {
  Value id = gpu::SubgroupIdOp::create(builder, loc, builder.getIndexType(),
                                       /*upper_bound=*/IntegerAttr());
  return pcf::foldWorkerIDs(builder, loc, id, {}, n);
}

SmallVector<Value> SubgroupScopeAttr::getWorkerCounts(OpBuilder &builder,
                                                      Location loc,
                                                      int64_t n) const {
  Value count =
      gpu::NumSubgroupsOp::create(builder, loc, builder.getIndexType(),
                                  /*upper_bound=*/IntegerAttr());
  return pcf::foldWorkerCounts(builder, loc, count, n);
}

LogicalResult SubgroupScopeAttr::addBarrier(OpBuilder &builder, Location loc,
                                            ArrayRef<Attribute> spaces) const {
  addFenced(builder, loc, FenceLevel::workgroup, spaces,
            [&] { GlobalSubgroupBarrierOp::create(builder, loc); });
  return success();
}

LogicalResult
SubgroupScopeAttr::addSubsetBarrier(OpBuilder &builder, Location loc,
                                    int64_t id, Value numWorkers,
                                    ArrayRef<Attribute> spaces) const {
  Value lanes =
      gpu::SubgroupSizeOp::create(builder, loc, builder.getIndexType(),
                                  /*upper_bound=*/IntegerAttr());
  Value threads = arith::MulIOp::create(builder, loc, numWorkers, lanes);
  addFenced(builder, loc, FenceLevel::workgroup, spaces, [&] {
    GlobalSubgroupBarrierOp::create(builder, loc, builder.getI64IntegerAttr(id),
                                    threads);
  });
  return success();
}

LogicalResult SubgroupScopeAttr::addFence(OpBuilder &builder, Location loc,
                                          FenceKind kind,
                                          ArrayRef<Attribute> spaces) const {
  return addFenceFor(builder, loc, kind, FenceLevel::workgroup, spaces);
}

FailureOr<Attribute>
SubgroupScopeAttr::getAllocMemSpace(MLIRContext *context) const {
  return Attribute(
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
}

int64_t SubgroupScopeAttr::getNestingLevel() const { return 1; }

//===----------------------------------------------------------------------===//
// #iree_gpu.lane_scope
//===----------------------------------------------------------------------===//

int64_t LaneScopeAttr::getNativeNumProcessorIds() const { return 1; }

SmallVector<Value> LaneScopeAttr::getWorkerIDs(OpBuilder &builder, Location loc,
                                               int64_t n) const {
  Value id = gpu::LaneIdOp::create(builder, loc, builder.getIndexType(),
                                   /*upper_bound=*/IntegerAttr());
  return pcf::foldWorkerIDs(builder, loc, id, {}, n);
}

SmallVector<Value> LaneScopeAttr::getWorkerCounts(OpBuilder &builder,
                                                  Location loc,
                                                  int64_t n) const {
  Value count =
      gpu::SubgroupSizeOp::create(builder, loc, builder.getIndexType(),
                                  /*upper_bound=*/IntegerAttr());
  return pcf::foldWorkerCounts(builder, loc, count, n);
}

LogicalResult LaneScopeAttr::addBarrier(OpBuilder &builder, Location loc,
                                        ArrayRef<Attribute> spaces) const {
  addFenced(builder, loc, FenceLevel::subgroup, spaces,
            [&] { LaneBarrierOp::create(builder, loc); });
  return success();
}

LogicalResult LaneScopeAttr::addFence(OpBuilder &builder, Location loc,
                                      FenceKind kind,
                                      ArrayRef<Attribute> spaces) const {
  return addFenceFor(builder, loc, kind, FenceLevel::subgroup, spaces);
}

FailureOr<Attribute> LaneScopeAttr::getAllocMemSpace(MLIRContext *) const {
  return failure();
}

int64_t LaneScopeAttr::getNestingLevel() const { return 2; }

//===----------------------------------------------------------------------===//
// #iree_codegen.local_mapping
//===----------------------------------------------------------------------===//

int64_t LocalMappingAttr::getMappingId() const { return getDim(); }
bool LocalMappingAttr::isLinearMapping() const { return true; }
int64_t LocalMappingAttr::getRelativeIndex() const { return getDim(); }
