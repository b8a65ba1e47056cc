//===- Tensor.cpp - tensor operations -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is a shared array: reshapes and casts share it, and an op that
// changes elements writes in place if no other op reads the old value.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "../Translate/RegionProgram.h"
#include "ElementPlan.h"
#include "TensorBox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Making and reshaping
//===----------------------------------------------------------------------===//

static LogicalResult translateEmpty(tensor::EmptyOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  const Domain *domain = &t.domain();
  t.emit(op, [=, sizes = indexValues(op.getMixedSizes(), t)](Agent &agent) {
    Shape shape = valuesOf(sizes, agent);
    if (agent.mayAllocate(op, shape, r.cellBytes))
      agent.tensor(r) = emptyTensor(*domain, r.kind, shape);
  });
  return success();
}

static LogicalResult translateSplat(tensor::SplatOp op, Translator &t) {
  Reg scalar = t.reg(op.getInput()), r = t.reg(op.getAggregate());
  SmallVector<OpFoldResult> mixed = getMixedValues(
      op.getType().getShape(), op.getDynamicSizes(), op.getContext());
  t.emit(op, [=, sizes = indexValues(mixed, t)](Agent &agent) {
    agent.tensor(r) =
        splatTensor(valuesOf(sizes, agent), agent.cells(scalar), r.cellBytes);
  });
  return success();
}

static LogicalResult translateFromElements(tensor::FromElementsOp op,
                                           Translator &t) {
  Reg r = t.reg(op.getResult());
  SmallVector<Reg> elements;
  for (Value element : op.getElements())
    elements.push_back(t.reg(element));
  Shape shape(op.getType().getShape());
  t.emit(op, [=](Agent &agent) {
    Tensor tensor = Tensor::allocate(shape, r.cellBytes);
    uint8_t *cells = tensor.mutableCells();
    for (auto [e, element] : llvm::enumerate(elements))
      std::memcpy(cells + e * r.cellBytes, agent.cells(element), r.cellBytes);
    agent.tensor(r) = std::move(tensor);
  });
  return success();
}

static LogicalResult translateDim(tensor::DimOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), index = t.reg(op.getIndex());
  Reg r = t.reg(op.getResult());
  t.emit(op, [=](Agent &agent) {
    ArrayRef<int64_t> shape = agent.tensor(source).shape;
    int64_t d = agent.integer(index);
    if (d < 0 || d >= int64_t(shape.size())) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "the tensor has no dimension " + Twine(d));
      return;
    }
    agent.setInteger(r, shape[d]);
  });
  return success();
}

/// Shares the source's array under the shape that `shapeOf` computes.
template <typename F>
static void emitReshape(Operation *op, Reg source, Reg r, F shapeOf,
                        Translator &t) {
  t.emit(op, [=](Agent &agent) {
    Tensor tensor = agent.tensor(source);
    tensor.shape = shapeOf(agent, ArrayRef<int64_t>(tensor.shape));
    int64_t before = agent.tensor(source).numElements();
    if (tensor.numElements() != before) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "a reshape of " + Twine(before) + " elements to " +
                      Twine(tensor.numElements()));
      return;
    }
    agent.tensor(r) = std::move(tensor);
  });
}

static LogicalResult translateCast(tensor::CastOp op, Translator &t) {
  Shape expected(op.getType().getShape());
  emitReshape(
      op, t.reg(op.getSource()), t.reg(op.getDest()),
      [=](Agent &agent, ArrayRef<int64_t> shape) {
        for (auto [extent, want] : llvm::zip_equal(shape, expected))
          if (!ShapedType::isDynamic(want) && extent != want)
            agent.fault(op, FaultKind::OutOfBounds,
                        "an extent of " + Twine(extent) + " is cast to " +
                            Twine(want));
        return Shape(shape);
      },
      t);
  return success();
}

static LogicalResult translateExpandShape(tensor::ExpandShapeOp op,
                                          Translator &t) {
  SmallVector<OpFoldResult> mixed = getMixedValues(
      op.getStaticOutputShape(), op.getOutputShape(), op.getContext());
  emitReshape(
      op, t.reg(op.getSrc()), t.reg(op.getResult()),
      [sizes = indexValues(mixed, t)](Agent &agent, ArrayRef<int64_t>) {
        return valuesOf(sizes, agent);
      },
      t);
  return success();
}

static LogicalResult translateCollapseShape(tensor::CollapseShapeOp op,
                                            Translator &t) {
  emitReshape(
      op, t.reg(op.getSrc()), t.reg(op.getResult()),
      [groups = op.getReassociationIndices()](Agent &,
                                              ArrayRef<int64_t> shape) {
        Shape collapsed;
        for (ArrayRef<int64_t> group : groups) {
          collapsed.push_back(1);
          for (int64_t d : group)
            collapsed.back() *= shape[d];
        }
        return collapsed;
      },
      t);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static ElementPlan onePlan(int64_t rank) {
  ElementPlan plan;
  plan.allocate(1, rank);
  return plan;
}

template <typename Op>
static Target elementTarget(Op op, Value base, Translator &t) {
  Target target{op, t.reg(base), {}, {}};
  for (Value index : op.getIndices())
    target.indices.push_back(t.reg(index));
  return target;
}

/// Returns whether only a selection reads an element, under its condition.
static bool isOnlySelected(tensor::ExtractOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  return isa<arith::SelectOp>(use.getOwner()) && use.getOperandNumber() == 1;
}

/// Translates an extraction. An empty tensor has no element to read. If the
/// other side of the selection is taken, the element is unused: a join of
/// tensors reads all of them, also empty ones.
static LogicalResult translateExtract(tensor::ExtractOp op, Translator &t) {
  Target target = elementTarget(op, op.getTensor(), t);
  Reg r = t.reg(op.getResult());
  bool mayBeNothing = isOnlySelected(op);
  const Domain *domain = &t.domain();
  t.emit(op, [=, plan = onePlan(target.indices.size())](Agent &agent) {
    if (mayBeNothing && agent.tensor(target.base).numElements() == 0) {
      Tensor nothing = emptyTensor(*domain, r.kind, {1});
      std::memcpy(agent.cells(r), nothing.cells(), r.cellBytes);
      return;
    }
    int64_t position;
    if (locate(agent, target, plan, &position))
      std::memcpy(agent.cells(r),
                  agent.cells(target.base) + position * r.cellBytes,
                  r.cellBytes);
  });
  return success();
}

static LogicalResult translateInsert(tensor::InsertOp op, Translator &t) {
  Target target = elementTarget(op, op.getDest(), t);
  Reg scalar = t.reg(op.getScalar()), r = t.reg(op.getResult());
  bool isLastUse = Translator::isLastUse(op.getDestMutable());
  t.emit(op, [=, plan = onePlan(target.indices.size())](Agent &agent) {
    int64_t position;
    if (!locate(agent, target, plan, &position))
      return;
    takeTensor(agent, target.base, r, isLastUse);
    std::memcpy(agent.tensor(r).mutableCells() + position * r.cellBytes,
                agent.cells(scalar), r.cellBytes);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {

/// A strided box in a tensor; some unit dimensions are dropped in the slice.
struct TensorSlice {
  SmallVector<IndexValue> offsets, sizes, strides;
  llvm::SmallBitVector dropped;

  template <typename Op>
  TensorSlice(Op op, Translator &t)
      : offsets(indexValues(op.getMixedOffsets(), t)),
        sizes(indexValues(op.getMixedSizes(), t)),
        strides(indexValues(op.getMixedStrides(), t)),
        dropped(op.getDroppedDims()) {}

  /// Returns the place of the box in a tensor of this shape; nothing after a
  /// fault.
  std::optional<LinearAccess> locate(Operation *op, Agent &agent,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> box) const;

  Shape sliceShape(ArrayRef<int64_t> box) const {
    Shape shape;
    for (auto [d, extent] : llvm::enumerate(box))
      if (!dropped.test(d))
        shape.push_back(extent);
    return shape;
  }
};

} // namespace

std::optional<LinearAccess> TensorSlice::locate(Operation *op, Agent &agent,
                                                ArrayRef<int64_t> shape,
                                                ArrayRef<int64_t> box) const {
  LinearAccess access;
  Shape dense = rowMajorStrides(shape);
  for (size_t d = 0; d < box.size(); ++d) {
    int64_t offset = offsets[d].get(agent), stride = strides[d].get(agent);
    int64_t last = offset + (box[d] - 1) * stride;
    if (box[d] > 0 &&
        (offset < 0 || last < 0 || offset >= shape[d] || last >= shape[d])) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "a slice from " + Twine(offset) + " to " + Twine(last) +
                      " along dimension " + Twine(d) + " of extent " +
                      Twine(shape[d]));
      return std::nullopt;
    }
    access.base += offset * dense[d];
    access.strides.push_back(stride * dense[d]);
  }
  return access;
}

static LogicalResult translateExtractSlice(tensor::ExtractSliceOp op,
                                           Translator &t) {
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  t.emit(op, [=, slice = TensorSlice(op, t)](Agent &agent) {
    Shape box = valuesOf(slice.sizes, agent);
    std::optional<LinearAccess> access =
        slice.locate(op, agent, agent.tensor(source).shape, box);
    if (!access)
      return;
    Tensor part = Tensor::allocate(slice.sliceShape(box), r.cellBytes);
    copyBox(box, agent.cells(source), *access, part.mutableCells(),
            {0, rowMajorStrides(box)}, r.cellBytes);
    agent.tensor(r) = std::move(part);
  });
  return success();
}

/// Copies a tensor into a slice of another.
static void insertSlice(Operation *op, Agent &agent, const TensorSlice &slice,
                        Reg source, Reg into) {
  Shape box = valuesOf(slice.sizes, agent);
  std::optional<LinearAccess> access =
      slice.locate(op, agent, agent.tensor(into).shape, box);
  if (!access)
    return;
  if (agent.tensor(source).numElements() != numElements(box)) {
    agent.fault(op, FaultKind::OutOfBounds,
                "the slice and its source differ in size");
    return;
  }
  copyBox(box, agent.cells(source), {0, rowMajorStrides(box)},
          agent.tensor(into).mutableCells(), *access, into.cellBytes);
}

static LogicalResult translateInsertSlice(tensor::InsertSliceOp op,
                                          Translator &t) {
  Reg source = t.reg(op.getSource()), dest = t.reg(op.getDest());
  Reg r = t.reg(op.getResult());
  bool isLastUse = Translator::isLastUse(op.getDestMutable()) &&
                   op.getSource() != op.getDest();
  t.emit(op, [=, slice = TensorSlice(op, t)](Agent &agent) {
    takeTensor(agent, dest, r, isLastUse);
    insertSlice(op, agent, slice, source, r);
  });
  return success();
}

/// Writes into the shared output of an scf.forall, whose iterations run one by
/// one.
static LogicalResult
translateParallelInsertSlice(tensor::ParallelInsertSliceOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), dest = t.reg(op.getDest());
  t.emit(op, [=, slice = TensorSlice(op, t)](Agent &agent) {
    insertSlice(op, agent, slice, source, dest);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Padding, concatenation, generation
//===----------------------------------------------------------------------===//

/// Fills a tensor with what a region of index arguments yields at each point.
static bool generate(Agent &agent, const RegionProgram &region, Tensor &tensor,
                     unsigned cellBytes) {
  BodyRun body(region, agent);
  Shape index(tensor.shape.size(), 0);
  uint8_t *cells = tensor.mutableCells();
  const Domain &domain = *agent.code().domain;
  unsigned indexBytes = domain.cellBytes(Kind::index());
  int64_t count = tensor.numElements();
  for (int64_t first = 0; first < count; first += region.points()) {
    int64_t points = std::min(region.points(), count - first);
    for (int64_t point = 0; point < points; ++point) {
      for (size_t d = 0; d < index.size(); ++d)
        domain.constant(Kind::index(), uint64_t(index[d]),
                        body.argument(d) + point * indexBytes);
      advance(index, tensor.shape);
    }
    if (!body.execute())
      return false;
    std::memcpy(cells + first * cellBytes, body.result(0), points * cellBytes);
  }
  return true;
}

static LogicalResult translateGenerate(tensor::GenerateOp op, Translator &t) {
  FailureOr<std::shared_ptr<RegionProgram>> region =
      RegionProgram::get(op.getBody().front(), t);
  if (failed(region))
    return failure();
  Reg r = t.reg(op.getResult());
  SmallVector<OpFoldResult> mixed = getMixedValues(
      op.getType().getShape(), op.getDynamicExtents(), op.getContext());
  t.emit(op,
         [=, sizes = indexValues(mixed, t), region = *region](Agent &agent) {
           Shape shape = valuesOf(sizes, agent);
           if (!agent.mayAllocate(op, shape, r.cellBytes))
             return;
           Tensor tensor = Tensor::allocate(shape, r.cellBytes);
           if (!generate(agent, *region, tensor, r.cellBytes))
             agent.fault(*agent.workgroup().fault);
           agent.tensor(r) = std::move(tensor);
         });
  return success();
}

static LogicalResult translatePad(tensor::PadOp op, Translator &t) {
  FailureOr<std::shared_ptr<RegionProgram>> region =
      RegionProgram::get(op.getRegion().front(), t);
  if (failed(region))
    return failure();
  Reg source = t.reg(op.getSource()), r = t.reg(op.getResult());
  std::optional<Reg> constant;
  if (Value padding = op.getConstantPaddingValue())
    if (padding.getParentRegion() != &op.getRegion())
      constant = t.reg(padding);
  t.emit(op, [=, low = indexValues(op.getMixedLowPad(), t),
              high = indexValues(op.getMixedHighPad(), t),
              region = *region](Agent &agent) {
    Shape before = valuesOf(low, agent), after = valuesOf(high, agent);
    Shape inner(agent.tensor(source).shape), shape;
    // Negative padding cuts elements off.
    Shape kept, from, to;
    for (auto [l, extent, h] : llvm::zip_equal(before, inner, after)) {
      shape.push_back(l + extent + h);
      from.push_back(std::max<int64_t>(-l, 0));
      to.push_back(std::max<int64_t>(l, 0));
      kept.push_back(std::max<int64_t>(
          extent - from.back() - std::max<int64_t>(-h, 0), 0));
    }
    if (!agent.mayAllocate(op, shape, r.cellBytes))
      return;
    Tensor padded;
    if (constant) {
      padded = splatTensor(shape, agent.cells(*constant), r.cellBytes);
    } else {
      padded = Tensor::allocate(shape, r.cellBytes);
      if (!generate(agent, *region, padded, r.cellBytes)) {
        agent.fault(*agent.workgroup().fault);
        return;
      }
    }
    Shape strides = rowMajorStrides(shape), steps = rowMajorStrides(inner);
    copyBox(kept, agent.cells(source), {linearIndex(from, steps), steps},
            padded.mutableCells(), {linearIndex(to, strides), strides},
            r.cellBytes);
    agent.tensor(r) = std::move(padded);
  });
  return success();
}

static LogicalResult translateConcat(tensor::ConcatOp op, Translator &t) {
  SmallVector<Reg> parts;
  for (Value part : op.getInputs())
    parts.push_back(t.reg(part));
  Reg r = t.reg(op.getResult());
  int64_t dimension = op.getDim();
  t.emit(op, [=](Agent &agent) {
    Shape shape(agent.tensor(parts.front()).shape);
    shape[dimension] = 0;
    for (Reg part : parts)
      shape[dimension] += agent.tensor(part).shape[dimension];
    Tensor whole = Tensor::allocate(shape, r.cellBytes);
    LinearAccess into{0, rowMajorStrides(shape)};
    for (Reg part : parts) {
      Shape box(agent.tensor(part).shape);
      copyBox(box, agent.cells(part), {0, rowMajorStrides(box)},
              whole.mutableCells(), into, r.cellBytes);
      into.base += box[dimension] * into.strides[dimension];
    }
    agent.tensor(r) = std::move(whole);
  });
  return success();
}

void distaff::simt::registerTensor(OpRegistry &registry) {
  registry.add<tensor::EmptyOp>(translateEmpty);
  registry.add<tensor::SplatOp>(translateSplat);
  registry.add<tensor::FromElementsOp>(translateFromElements);
  registry.add<tensor::DimOp>(translateDim);
  registry.add<tensor::CastOp>(translateCast);
  registry.add<tensor::ExpandShapeOp>(translateExpandShape);
  registry.add<tensor::CollapseShapeOp>(translateCollapseShape);
  registry.add<tensor::ExtractOp>(translateExtract);
  registry.add<tensor::InsertOp>(translateInsert);
  registry.add<tensor::ExtractSliceOp>(translateExtractSlice);
  registry.add<tensor::InsertSliceOp>(translateInsertSlice);
  registry.add<tensor::ParallelInsertSliceOp>(translateParallelInsertSlice);
  registry.add<tensor::GenerateOp>(translateGenerate);
  registry.add<tensor::PadOp>(translatePad);
  registry.add<tensor::ConcatOp>(translateConcat);
}
