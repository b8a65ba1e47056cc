//===- RecurrenceKernels.cpp - Recurrences as launches --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../PreparedLaunch.h"
#include "RecurrenceWriter.h"
#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

/// Channels of a workgroup: one or two subgroups, because other lanes do not
/// make a lane's loop faster, and more compute units have work.
static constexpr int64_t channelsOfWorkgroup = 64;

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Returns the extent of a tensor outside of the loop.
OpFoldResult RecurrenceWriter::extentOf(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return extentOf(fill.getDpsInits()[0], dim);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return outside.lookup(empty.getDynamicSize(dim));
  return tensor::DimOp::create(b, loc, outside.lookup(tensor), dim).getResult();
}

/// Chooses the channels of a workgroup, contiguous ones first.
void RecurrenceWriter::chooseTile() {
  for (auto [channel, formula] : llvm::enumerate(plan.channels)) {
    auto known = dyn_cast<AffineConstantExpr>(formula);
    auto [tensor, dim] = plan.channelSources[channel];
    extents.push_back(known ? b.getIndexAttr(known.getValue())
                            : extentOf(tensor, dim));
  }
  tile.assign(plan.channels.size(), 1);
  int64_t left = channelsOfWorkgroup;
  for (unsigned channel = tile.size(); channel-- > 0;) {
    int64_t extent =
        getConstantIntValue(extents[channel]).value_or(nominalExtent);
    tile[channel] = std::min<int64_t>(
        left, llvm::PowerOf2Ceil(std::max<int64_t>(1, extent)));
    left /= tile[channel];
  }
}

/// Creates a loop over tiles of the channels, with one count, because a grid is
/// short along y and z.
scf::ForallOp RecurrenceWriter::createWorkgroups(ValueRange outs) {
  SmallVector<OpFoldResult> counts;
  AffineExpr product = b.getAffineConstantExpr(1), x = b.getAffineSymbolExpr(0);
  for (auto [channel, extent] : llvm::enumerate(extents)) {
    counts.push_back(formula(x.ceilDiv(tile[channel]), {extent}));
    product = product * b.getAffineSymbolExpr(channel);
  }
  Attribute mapping =
      gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX);
  auto loop = scf::ForallOp::create(b, loc, formula(product, counts), outs,
                                    b.getArrayAttr(mapping));
  b.setInsertionPoint(loop.getTerminator());
  SmallVector<Value> ids = {loop.getInductionVar(0)};
  if (counts.size() > 1)
    ids = llvm::to_vector_of<Value>(
        affine::AffineDelinearizeIndexOp::create(b, loc, ids.front(), counts)
            .getResults());
  for (auto [channel, extent] : llvm::enumerate(extents)) {
    offsets.push_back(formula(x * tile[channel], {ids[channel]}));
    std::optional<int64_t> known = getConstantIntValue(extent);
    AffineExpr whole = b.getAffineConstantExpr(tile[channel]);
    sizes.push_back(
        known && *known % tile[channel] == 0
            ? OpFoldResult(b.getIndexAttr(tile[channel]))
            : affine::makeComposedFoldedAffineMin(
                  b, loc,
                  AffineMap::get(0, 2, {whole, b.getAffineSymbolExpr(1) - x},
                                 b.getContext()),
                  {offsets[channel], extent}));
  }
  return loop;
}

/// Creates a tensor for each result that is read.
SmallVector<Value> RecurrenceWriter::createOuts() {
  SmallVector<Value> outs;
  for (OpResult result : source.getResults()) {
    if (result.use_empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    Value init = source.getInitArgs()[result.getResultNumber()];
    SmallVector<OpFoldResult> shape;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      shape.push_back(extentOf(init, dim));
    outs.push_back(
        tensor::EmptyOp::create(b, loc, shape, type.getElementType()));
  }
  return outs;
}

/// Replaces the entries of the channels' dims by those of a workgroup.
static SmallVector<OpFoldResult> withChannels(SmallVector<OpFoldResult> all,
                                              ArrayRef<unsigned> dims,
                                              ArrayRef<OpFoldResult> channels) {
  for (auto [channel, dim] : llvm::enumerate(dims))
    all[dim] = channels[channel];
  return all;
}

void RecurrenceWriter::copyStep(Value &piece, Value init, TensorPiece &at,
                                unsigned dim, ArrayRef<unsigned> channelDims) {
  if (dim == at.offsets.size()) {
    Value number = constantOf(init);
    if (!number)
      number = read(outside.lookup(init), at, /*isOwn=*/false);
    piece = writePiece(number, piece, at);
    return;
  }
  if (llvm::is_contained(channelDims, dim))
    return copyStep(piece, init, at, dim + 1, channelDims);
  auto walk = scf::ForOp::create(b, loc, indexOf(b.getIndexAttr(0)),
                                 indexOf(extentOf(init, dim)),
                                 indexOf(b.getIndexAttr(1)), ValueRange{piece});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(walk.getBody());
  at.offsets[dim] = walk.getInductionVar();
  Value inner = walk.getRegionIterArg(0);
  copyStep(inner, init, at, dim + 1, channelDims);
  scf::YieldOp::create(b, loc, inner);
  piece = walk.getResult(0);
}

/// Copies the initial value into a workgroup's slice of carried memory.
Value RecurrenceWriter::copyInto(Value piece, Value init,
                                 ArrayRef<unsigned> channelDims) {
  if (init.getDefiningOp<tensor::EmptyOp>())
    return piece;
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  TensorPiece at{SmallVector<OpFoldResult>(rank, b.getIndexAttr(0)),
                 SmallVector<unsigned>(channelDims)};
  copyStep(piece, init, at, 0, channelDims);
  return piece;
}

/// Returns the value of a carried value before the first step; `outs` are the
/// tensors of all workgroups, by result that is read.
Value RecurrenceWriter::startOf(unsigned number, ValueRange outs) {
  const CarriedValue &carried = plan.carried[number];
  Value init = source.getInitArgs()[number];
  if (carried.kind == CarriedKind::Scalar)
    return scalarOf(init);
  if (carried.kind == CarriedKind::Register) {
    Value start = numberOf(init);
    return dimsOfChannels(cast<ShapedType>(init.getType())).empty()
               ? start
               : spread(start);
  }
  unsigned at =
      llvm::count_if(source.getResults().take_front(number),
                     [](OpResult result) { return !result.use_empty(); });
  Value whole = outs[at];
  SmallVector<OpFoldResult> full = tensor::getMixedSizes(b, loc, whole),
                            zero(full.size(), b.getIndexAttr(0)),
                            ones(full.size(), b.getIndexAttr(1));
  Value piece = tensor::ExtractSliceOp::create(
      b, loc, whole, withChannels(zero, *carried.channelDims, offsets),
      withChannels(full, *carried.channelDims, sizes), ones);
  return copyInto(piece, init, *carried.channelDims);
}

SmallVector<Value> RecurrenceWriter::writeLoop(ValueRange outs) {
  SmallVector<Value> starts;
  for (unsigned number = 0; number < plan.carried.size(); ++number)
    starts.push_back(startOf(number, outs));
  auto loop = scf::ForOp::create(b, loc, scalarOf(source.getLowerBound()),
                                 scalarOf(source.getUpperBound()),
                                 scalarOf(source.getStep()), starts);
  loop.setUnsignedCmp(source.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  values[source.getInductionVar()] = loop.getInductionVar();
  auto isMemory = [&](unsigned number) {
    return plan.carried[number].kind == CarriedKind::Memory;
  };
  for (auto [number, argument] : llvm::enumerate(source.getRegionIterArgs()))
    (isMemory(number) ? memory : values)[argument] =
        loop.getRegionIterArg(number);
  for (Operation &op : source.getBody()->without_terminator())
    writeStep(op);
  SmallVector<Value> ended;
  for (auto [number, value] :
       llvm::enumerate(source.getBody()->getTerminator()->getOperands())) {
    Value end = isMemory(number) ? memoryOf(value) : numberOf(value);
    bool isSpread = isa<VectorType>(starts[number].getType());
    ended.push_back(isSpread ? spread(end) : end);
  }
  scf::YieldOp::create(b, loc, ended);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Inserts a workgroup's results into those of the launch.
void RecurrenceWriter::giveResults(scf::ForallOp workgroups, ValueRange ended) {
  unsigned at = 0;
  for (auto [number, carried] : llvm::enumerate(plan.carried)) {
    OpResult result = source->getResult(number);
    if (result.use_empty())
      continue;
    Value out = workgroups.getRegionIterArgs()[at++], piece = ended[number];
    auto type = cast<RankedTensorType>(result.getType());
    bool isMemory = carried.kind == CarriedKind::Memory;
    SmallVector<unsigned> dims =
        isMemory ? *carried.channelDims : dimsOfChannels(type);
    SmallVector<OpFoldResult> full = tensor::getMixedSizes(b, loc, out),
                              zero(full.size(), b.getIndexAttr(0)),
                              ones(full.size(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> from = withChannels(zero, dims, offsets),
                              size = withChannels(full, dims, sizes);
    if (!isMemory)
      piece = writeInto(piece, slice(out, {zero, dims}, /*isOwn=*/false));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(workgroups.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, piece, out, from, size, ones);
  }
}

SmallVector<Value> RecurrenceWriter::writeBody(Block *body) {
  b.setInsertionPointToEnd(body);
  outside.map(captured.getArrayRef(), body->getArguments());
  // Constants stay constants.
  for (Value value : captured)
    if (Attribute constant; matchPattern(value, m_Constant(&constant)))
      outside.map(value,
                  arith::ConstantOp::create(b, loc, cast<TypedAttr>(constant)));
  chooseTile();
  SmallVector<Value> outs = createOuts();
  scf::ForallOp workgroups = createWorkgroups(outs);
  giveResults(workgroups, writeLoop(workgroups.getRegionIterArgs()));
  b.setInsertionPointAfter(workgroups);
  return llvm::to_vector_of<Value>(workgroups.getResults());
}

/// Collects the values that a loop uses from outside.
static void collectUses(Operation *loop, llvm::SetVector<Value> &used) {
  used.insert_range(loop->getOperands());
  getUsedValuesDefinedAbove(loop->getRegions(), used);
}

/// Collects the operands of the launch: the scalar of a fill, and the extents
/// of an empty tensor.
void RecurrenceWriter::collectCaptured() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(source.getRegion(), used);
  used.insert_range(source->getOperands());
  for (auto [tensor, dim] : plan.channelSources)
    if (tensor)
      used.insert(tensor);
  for (size_t i = 0; i < used.size(); ++i) {
    Operation *maker = used[i].getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(maker))
      used.insert_range(maker->getOperands());
    else if (isScalarLoop(maker))
      collectUses(maker, used);
    else if (DenseElementsAttr data;
             !matchPattern(used[i], m_Constant(&data)) || !data.isSplat())
      captured.insert(used[i]);
  }
}

void RecurrenceWriter::write() {
  collectCaptured();
  auto kernel = source->getParentOfType<func::FuncOp>();
  SmallVector<Type> results;
  for (OpResult result : source.getResults())
    if (!result.use_empty())
      results.push_back(result.getType());
  OpBuilder atLoop(source);
  auto function = func::FuncOp::create(
      loc, (kernel.getName() + "__loop").str(),
      b.getFunctionType(ValueRange(captured.getArrayRef()).getTypes(),
                        results));
  Block *body = function.addEntryBlock();
  SmallVector<Value> made = writeBody(body);
  b.setInsertionPointToEnd(body);
  for (auto [value, type] : llvm::zip_equal(made, results))
    value = value.getType() == type
                ? value
                : tensor::CastOp::create(b, loc, type, value).getResult();
  func::ReturnOp::create(b, loc, made);
  prepareLaunch(function, kernel->getParentOfType<ModuleOp>(),
                "steps of a loop");
  auto call =
      func::CallOp::create(atLoop, loc, function, captured.getArrayRef());
  unsigned at = 0;
  for (OpResult result : source.getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(call.getResult(at++));
  source.erase();
}

void distaff::writeRecurrence(const Recurrence &recurrence) {
  RecurrenceWriter(recurrence).write();
}
