//===- VectorMemory.cpp - Vector reads and writes -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op becomes an element plan (ElementPlan.h): transfers with maps, bounds
// and masks, loads and stores, their masked forms, gathers and scatters.
//
//===----------------------------------------------------------------------===//
#include "ElementPlan.h"
#include "Masked.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::simt;

static SmallVector<Reg> regsOf(ValueRange values, Translator &t) {
  return llvm::map_to_vector(values, [&](Value value) { return t.reg(value); });
}

/// Reads `target` into r: elements without an access get `otherwise`, a scalar
/// or a vector like r.
static void emitRead(const Target &target, ElementPlan plan, Reg otherwise,
                     Reg r, Translator &t) {
  Access access = Access::get(target.op, t.domain(), r.kind, plan.elements,
                              plan.perRequest);
  access.requestStride = plan.requestStride;
  t.emit(target.op, [=, plan = std::move(plan)](Agent &agent) {
    int64_t *positions = agent.positions(plan.elements * agent.lanes());
    if (!locate(agent, target, plan, positions))
      return;
    if (otherwise.elements == r.elements)
      std::memcpy(agent.cells(r), agent.cells(otherwise),
                  agent.numCells(r) * r.cellBytes);
    else
      fill(agent, otherwise, r);
    loadElements(agent, access, plan, positions, target.base, r);
  });
}

/// Writes `source` to `target`; for a tensor, `result` is the changed one.
static void emitWrite(const Target &target, ElementPlan plan, Reg source,
                      std::optional<Reg> result, bool isLastUse,
                      Translator &t) {
  Access access = Access::get(target.op, t.domain(), source.kind, plan.elements,
                              plan.perRequest);
  access.requestStride = plan.requestStride;
  t.emit(target.op, [=, plan = std::move(plan)](Agent &agent) {
    int64_t *positions = agent.positions(plan.elements * agent.lanes());
    if (!locate(agent, target, plan, positions))
      return;
    if (result)
      takeTensor(agent, target.base, *result, isLastUse);
    storeElements(agent, access, plan, positions, source,
                  result ? *result : target.base);
  });
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Returns the dimension of the base that each dimension of the vector moves
/// along; -1 for a broadcast.
static SmallVector<int64_t> baseDimensions(AffineMap map) {
  return llvm::map_to_vector(map.getResults(),
                             [](AffineExpr result) -> int64_t {
                               if (auto dim = dyn_cast<AffineDimExpr>(result))
                                 return dim.getPosition();
                               return -1;
                             });
}

/// Returns the mask element of each element: a mask has a dimension per moved
/// dimension, in the order of the base.
static std::vector<int32_t> maskElements(AffineMap map,
                                         ArrayRef<int64_t> shape) {
  AffineMap toMask = inversePermutation(compressUnusedDims(map));
  Shape maskShape;
  if (toMask)
    for (AffineExpr result : toMask.getResults())
      maskShape.push_back(shape[cast<AffineDimExpr>(result).getPosition()]);
  std::vector<int32_t> elements;
  Shape strides = rowMajorStrides(maskShape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t element = 0;
    if (toMask)
      element = linearIndex(toMask.compose(index), strides);
    elements.push_back(int32_t(element));
  });
  return elements;
}

static ElementPlan transferPlan(VectorTransferOpInterface op, Kind kind) {
  VectorType type = op.getVectorType();
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> moves = baseDimensions(op.getPermutationMap());
  ElementPlan plan;
  plan.allocate(type.getNumElements(), op.getShapedType().getRank());
  for (auto [v, d] : llvm::enumerate(moves))
    if (d >= 0)
      plan.mayLeave[d] = !op.isDimInBounds(v);

  bool broadcasts = llvm::is_contained(moves, -1);
  Shape strides = rowMajorStrides(shape);
  int64_t e = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t representative = 0;
    for (auto [v, d] : llvm::enumerate(moves))
      if (d >= 0) {
        plan.at(e, d) = index[v];
        representative += index[v] * strides[v];
      }
    if (broadcasts)
      plan.representative.push_back(int32_t(representative));
    ++e;
  });
  plan.maskElement = maskElements(op.getPermutationMap(), shape);
  // One dimension of the vector may go along rows of the base.
  for (auto [v, d] : llvm::enumerate(moves))
    if (d == plan.rank - 1) {
      plan.perRequest = Access::widest(kind, shape[v]);
      plan.requestStride = strides[v];
    }
  return plan;
}

/// Returns the op's own mask, or the one of a vector.mask around it.
static Mask maskOf(Value own, Mask outer, Translator &t) {
  return own ? Mask(t.reg(own)) : outer;
}

LogicalResult simt::translateMasked(vector::TransferReadOp op, Mask mask,
                                    Translator &t) {
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                maskOf(op.getMask(), mask, t)};
  Reg r = t.reg(op.getResult());
  emitRead(target, transferPlan(cast<VectorTransferOpInterface>(*op), r.kind),
           t.reg(op.getPadding()), r, t);
  return success();
}

LogicalResult simt::translateMasked(vector::TransferWriteOp op, Mask mask,
                                    Translator &t) {
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                maskOf(op.getMask(), mask, t)};
  Reg source = t.reg(op.getVector());
  std::optional<Reg> result;
  if (op.getResult())
    result = t.reg(op.getResult());
  emitWrite(target,
            transferPlan(cast<VectorTransferOpInterface>(*op), source.kind),
            source, result, Translator::isLastUse(op.getBaseMutable()), t);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores: the trailing dimensions, consecutive elements
//===----------------------------------------------------------------------===//

static ElementPlan trailingPlan(VectorType type, int64_t rank, Kind kind) {
  ElementPlan plan;
  plan.allocate(type.getNumElements(), rank);
  int64_t leading = rank - type.getRank(), e = 0;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    for (auto [v, i] : llvm::enumerate(index))
      plan.at(e, leading + v) = i;
    plan.maskElement.push_back(int32_t(e++));
  });
  if (type.getRank() > 0)
    plan.perRequest = Access::widest(kind, type.getShape().back());
  return plan;
}

static LogicalResult translateLoad(vector::LoadOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t), {}};
  emitRead(
      target,
      trailingPlan(op.getVectorType(), op.getMemRefType().getRank(), r.kind), r,
      r, t);
  return success();
}

static LogicalResult translateStore(vector::StoreOp op, Translator &t) {
  Reg source = t.reg(op.getValueToStore());
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t), {}};
  emitWrite(target,
            trailingPlan(op.getVectorType(), op.getMemRefType().getRank(),
                         source.kind),
            source, {}, false, t);
  return success();
}

static LogicalResult translateMaskedLoad(vector::MaskedLoadOp op,
                                         Translator &t) {
  Reg r = t.reg(op.getResult());
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                t.reg(op.getMask())};
  emitRead(
      target,
      trailingPlan(op.getVectorType(), op.getMemRefType().getRank(), r.kind),
      t.reg(op.getPassThru()), r, t);
  return success();
}

static LogicalResult translateMaskedStore(vector::MaskedStoreOp op,
                                          Translator &t) {
  Reg source = t.reg(op.getValueToStore());
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                t.reg(op.getMask())};
  emitWrite(target,
            trailingPlan(op.getVectorType(), op.getMemRefType().getRank(),
                         source.kind),
            source, {}, false, t);
  return success();
}

/// Returns the plan of elements that the mask compresses: consecutive along the
/// last dimension.
static ElementPlan packedPlan(VectorType type, int64_t rank) {
  ElementPlan plan;
  plan.allocate(type.getNumElements(), rank);
  plan.packs = true;
  for (int64_t e = 0; e < plan.elements; ++e)
    plan.maskElement.push_back(int32_t(e));
  return plan;
}

static LogicalResult translateExpandLoad(vector::ExpandLoadOp op,
                                         Translator &t) {
  if (op.getVectorType().getRank() != 1)
    return t.notModelled(op, "several dimensions");
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                t.reg(op.getMask())};
  emitRead(target, packedPlan(op.getVectorType(), op.getMemRefType().getRank()),
           t.reg(op.getPassThru()), t.reg(op.getResult()), t);
  return success();
}

static LogicalResult translateCompressStore(vector::CompressStoreOp op,
                                            Translator &t) {
  if (op.getVectorType().getRank() != 1)
    return t.notModelled(op, "several dimensions");
  Target target{op, t.reg(op.getBase()), regsOf(op.getIndices(), t),
                t.reg(op.getMask())};
  emitWrite(target,
            packedPlan(op.getVectorType(), op.getMemRefType().getRank()),
            t.reg(op.getValueToStore()), {}, false, t);
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers and scatters: an index per element, along the last dimension
//===----------------------------------------------------------------------===//

static ElementPlan indexedPlan(VectorType type, int64_t rank, Reg indices) {
  ElementPlan plan;
  plan.allocate(type.getNumElements(), rank);
  IndexVector vector{indices, {unsigned(rank - 1)}, {}};
  for (int64_t e = 0; e < plan.elements; ++e) {
    vector.element.push_back(int32_t(e));
    plan.maskElement.push_back(int32_t(e));
  }
  plan.indexVectors.push_back(std::move(vector));
  return plan;
}

LogicalResult simt::translateMasked(vector::GatherOp op, Mask mask,
                                    Translator &t) {
  Reg r = t.reg(op.getResult()), own = t.reg(op.getMask());
  if (mask) {
    Binary both = t.domain().binary(IntegerBinary::And, 1);
    if (!both)
      return t.notModelled(op, "two masks");
    Reg inner = own, outer = *mask;
    own = t.scratch(Kind::integer(1), inner.elements);
    t.emit(op, [=](Agent &agent) {
      both(agent.numCells(own), agent.cells(inner), agent.cells(outer),
           agent.cells(own));
    });
  }
  Target target{op, t.reg(op.getBase()), regsOf(op.getOffsets(), t), own};
  emitRead(target,
           indexedPlan(op.getVectorType(), op.getBaseType().getRank(),
                       t.reg(op.getIndices())),
           t.reg(op.getPassThru()), r, t);
  return success();
}

static LogicalResult translateVectorScatter(vector::ScatterOp op,
                                            Translator &t) {
  Reg source = t.reg(op.getValueToStore());
  auto base = cast<ShapedType>(op.getBase().getType());
  Target target{op, t.reg(op.getBase()), regsOf(op.getOffsets(), t),
                t.reg(op.getMask())};
  std::optional<Reg> result;
  if (op->getNumResults() > 0)
    result = t.reg(op->getResult(0));
  emitWrite(
      target,
      indexedPlan(op.getVectorType(), base.getRank(), t.reg(op.getIndices())),
      source, result, Translator::isLastUse(op.getBaseMutable()), t);
  return success();
}

//===----------------------------------------------------------------------===//
// vector.mask
//===----------------------------------------------------------------------===//

/// Returns the mask with an element per masked element: that of a read has the
/// dimensions of memory, in their order.
static Reg maskPerElement(vector::MaskOp op, Reg mask, Translator &t) {
  auto read = dyn_cast_or_null<vector::TransferReadOp>(op.getMaskableOp());
  if (!read)
    return mask;
  std::vector<int32_t> from =
      maskElements(read.getPermutationMap(), read.getVectorType().getShape());
  Reg each = t.scratch(Kind::integer(1), from.size());
  t.emit(op, [=](Agent &agent) {
    for (auto [e, element] : llvm::enumerate(from))
      copyElement(agent, mask, element, each, e);
  });
  return each;
}

/// Emits r = mask ? value : passthru.
static LogicalResult emitPassThru(vector::MaskOp op, Reg mask, Reg value, Reg r,
                                  Translator &t) {
  if (!op.getPassthru()) {
    t.copy(op, value, r);
    return success();
  }
  Ternary select = t.domain().select(r.kind);
  Reg passThru = t.reg(op.getPassthru());
  mask = maskPerElement(op, mask, t);
  if (!select || mask.elements != r.elements || r.isTensor())
    return t.notModelled(op, "this passthru");
  t.emit(op, [=](Agent &agent) {
    select(agent.numCells(r), agent.cells(mask), agent.cells(value),
           agent.cells(passThru), agent.cells(r));
  });
  return success();
}

static LogicalResult translateMask(vector::MaskOp op, Translator &t) {
  Reg mask = t.reg(op.getMask());
  Operation *masked = op.getMaskableOp();
  if (!masked) { // An empty mask yields values from outside.
    auto yield =
        cast<vector::YieldOp>(op.getMaskRegion().front().getTerminator());
    for (auto [value, result] :
         llvm::zip_equal(yield.getOperands(), op.getResults()))
      if (failed(emitPassThru(op, mask, t.reg(value), t.reg(result), t)))
        return failure();
    return success();
  }
  t.checkWritten(masked);
  LogicalResult translated =
      llvm::TypeSwitch<Operation *, LogicalResult>(masked)
          .Case<vector::TransferReadOp, vector::TransferWriteOp,
                vector::GatherOp, vector::MultiDimReductionOp,
                vector::ReductionOp, vector::ContractionOp,
                vector::OuterProductOp>(
              [&](auto inner) { return translateMasked(inner, mask, t); })
          // Elementwise ops compute everywhere.
          .Default([&](Operation *inner) { return t.translate(inner); });
  if (failed(translated))
    return failure();
  for (auto [value, result] :
       llvm::zip_equal(masked->getResults(), op.getResults()))
    if (failed(emitPassThru(op, mask, t.reg(value), t.reg(result), t)))
      return failure();
  return success();
}

template <typename Op>
static LogicalResult translateUnmaskedAccess(Op op, Translator &t) {
  return translateMasked(op, std::nullopt, t);
}

void distaff::simt::registerVectorMemory(OpRegistry &registry) {
  registry.add(translateUnmaskedAccess<vector::TransferReadOp>);
  registry.add(translateUnmaskedAccess<vector::TransferWriteOp>);
  registry.add(translateUnmaskedAccess<vector::GatherOp>);
  registry.add<vector::ScatterOp>(translateVectorScatter);
  registry.add<vector::LoadOp>(translateLoad);
  registry.add<vector::StoreOp>(translateStore);
  registry.add<vector::MaskedLoadOp>(translateMaskedLoad);
  registry.add<vector::MaskedStoreOp>(translateMaskedStore);
  registry.add<vector::ExpandLoadOp>(translateExpandLoad);
  registry.add<vector::CompressStoreOp>(translateCompressStore);
  registry.add<vector::MaskOp>(translateMask);
}
