//===- VectorReduction.cpp - Reductions, contractions, scans --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything here is a contraction of the domain: a reduction contracts with a
// single 1, so that a domain defines sums in one place (and a bound on a sum
// covers every order). A mask replaces inactive terms by the identity of the
// combining kind.
//
//===----------------------------------------------------------------------===//
#include "../Values/IndexSpace.h"
#include "DroppedBits.h"
#include "Masked.h"

using namespace distaff;
using namespace distaff::simt;

/// Returns the bit pattern of 1.
static uint64_t patternOfOne(Kind kind) {
  return kind.isFloat ? encode(kind.format, 1.0) : 1;
}

/// Returns a register whose one element is the identity of a combining kind.
static Reg identityOf(vector::CombiningKind combining, Kind kind,
                      Translator &t) {
  SmallVector<uint64_t, 4> cell(4);
  // Constants are given as bits.
  ieeeDomain().identity(combining, kind, cell.data());
  return t.constant(kind, *ieeeDomain().pattern(kind, cell.data()));
}

/// Emits r[i] = mask[maskElement[i]] ? a[i] : otherwise, for elements of a.
static LogicalResult emitMasking(Operation *op, Reg a, Reg mask, Reg otherwise,
                                 Reg r, ArrayRef<int64_t> maskElement,
                                 Translator &t) {
  Ternary select = t.domain().select(r.kind);
  if (!select)
    return t.notModelled(op, "a mask in this domain");
  t.emit(op, [=, elements = std::vector<int64_t>(maskElement)](Agent &agent) {
    int64_t lanes = agent.lanes();
    for (auto [e, m] : llvm::enumerate(elements))
      select(lanes, agent.cells(mask) + m * lanes * mask.cellBytes,
             agent.cells(a) + e * lanes * a.cellBytes, agent.cells(otherwise),
             agent.cells(r) + e * lanes * r.cellBytes);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns the space of a reduction as a contraction with a single number: kept
/// elements are M, reduced ones K.
static ContractionSpace reductionSpace(ArrayRef<int64_t> shape,
                                       ArrayRef<bool> reduced) {
  Shape strides = rowMajorStrides(shape);
  LinearAccess kept, dropped;
  Shape keptShape, droppedShape;
  for (auto [d, isReduced] : llvm::enumerate(reduced)) {
    (isReduced ? dropped : kept).strides.push_back(strides[d]);
    (isReduced ? droppedShape : keptShape).push_back(shape[d]);
  }
  LinearAccess result{0, rowMajorStrides(keptShape)};
  ContractionSpace space;
  space.lhsBatch = space.rhsBatch = space.accBatch = {0};
  space.lhsM = offsetsOf(kept, keptShape);
  space.accM = offsetsOf(result, keptShape);
  space.lhsK = offsetsOf(dropped, droppedShape);
  space.rhsK.assign(space.lhsK.size(), 0);
  space.rhsN = space.accN = {0};
  return space;
}

/// Emits r = reduction of `source`, starting from `init`.
static LogicalResult emitReduction(Operation *op,
                                   vector::CombiningKind combining, Reg source,
                                   Reg init, Reg r, ContractionSpace space,
                                   Translator &t) {
  Contract contract =
      t.domain().contract(combining, r.kind, r.kind, r.kind, false);
  if (!contract)
    return t.notModelled(op, "this combining kind and type");
  Reg one = t.constant(r.kind, patternOfOne(r.kind));
  t.emit(op, [=, space = std::move(space)](Agent &agent) {
    std::memcpy(agent.cells(r), agent.cells(init),
                agent.numCells(r) * r.cellBytes);
    contract(space, agent.lanes(), agent.cells(source), agent.cells(one),
             agent.cells(r));
  });
  return success();
}

/// Replaces masked-off elements of a reduction's source by the identity.
static FailureOr<Reg> maskSource(Operation *op, vector::CombiningKind combining,
                                 Reg source, Mask mask, Translator &t) {
  if (!mask)
    return source;
  Reg masked = t.scratch(source.kind, source.elements);
  Reg identity = identityOf(combining, source.kind, t);
  std::vector<int64_t> elements(source.elements);
  std::iota(elements.begin(), elements.end(), 0);
  if (failed(emitMasking(op, source, *mask, identity, masked, elements, t)))
    return failure();
  return masked;
}

LogicalResult simt::translateMasked(vector::MultiDimReductionOp op, Mask mask,
                                    Translator &t) {
  FailureOr<Reg> source =
      maskSource(op, op.getKind(), t.reg(op.getSource()), mask, t);
  if (failed(source))
    return failure();
  return emitReduction(op, op.getKind(), *source, t.reg(op.getAcc()),
                       t.reg(op.getResult()),
                       reductionSpace(op.getSourceVectorType().getShape(),
                                      op.getReductionMask()),
                       t);
}

LogicalResult simt::translateMasked(vector::ReductionOp op, Mask mask,
                                    Translator &t) {
  Reg r = t.reg(op.getDest());
  FailureOr<Reg> source =
      maskSource(op, op.getKind(), t.reg(op.getVector()), mask, t);
  if (failed(source))
    return failure();
  Reg init =
      op.getAcc() ? t.reg(op.getAcc()) : identityOf(op.getKind(), r.kind, t);
  ArrayRef<int64_t> shape = op.getSourceVectorType().getShape();
  SmallVector<bool> reduced(shape.size(), true);
  return emitReduction(op, op.getKind(), *source, init, r,
                       reductionSpace(shape, reduced), t);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static Shape shapeOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return Shape(vector.getShape());
  return {};
}

namespace {

/// The shapes of a contraction and its operands.
struct ContractionShape {
  Shape box, lhs, rhs, acc;
  SmallVector<bool> isReduction;
  SmallVector<AffineMap> maps;

  explicit ContractionShape(vector::ContractionOp op)
      : lhs(shapeOf(op.getLhsType())), rhs(shapeOf(op.getRhsType())),
        acc(shapeOf(op.getAccType())), maps(op.getIndexingMapsArray()) {
    SmallVector<int64_t> bounds;
    op.getIterationBounds(bounds);
    box.assign(bounds.begin(), bounds.end());
    for (vector::IteratorType type : op.getIteratorTypesArray())
      isReduction.push_back(type == vector::IteratorType::reduction);
  }

  std::optional<ContractionSpace> space() const {
    return contractionSpace(maps, box, isReduction, lhs, rhs, acc);
  }
};

} // namespace

/// Emits r = converted[offsets] for a contraction's operand in the kind of its
/// accumulator, one element per index of the box.
static FailureOr<Reg> expandOperand(Operation *op, Reg operand,
                                    const std::vector<int64_t> &offsets,
                                    Kind kind, Translator &t) {
  Reg expanded = t.scratch(kind, int64_t(offsets.size()));
  Unary convert = [bytes = operand.cellBytes](int64_t n, const void *a,
                                              void *r) {
    std::memcpy(r, a, n * bytes);
  };
  if (!(operand.kind == kind))
    convert = t.domain().convert(kind.isFloat ? Conversion::FloatToFloat
                                              : Conversion::SignExtend,
                                 operand.kind, kind);
  if (!convert)
    return t.notModelled(op, "a conversion in this domain");
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    for (auto [i, offset] : llvm::enumerate(offsets))
      convert(lanes, agent.cells(operand) + offset * lanes * operand.cellBytes,
              agent.cells(expanded) + i * lanes * expanded.cellBytes);
  });
  return expanded;
}

/// Translates a contraction with a mask over the whole box: operands are
/// expanded to it, and a masked-off pair becomes (identity, 1).
static LogicalResult translateMaskedContraction(vector::ContractionOp op,
                                                Reg mask, Translator &t) {
  ContractionShape shape(op);
  Reg r = t.reg(op.getResult());
  auto spread = [&](Value operand, AffineMap map, ArrayRef<int64_t> extents,
                    Reg otherwise) -> FailureOr<Reg> {
    std::vector<int64_t> offsets =
        offsetsOf(map, rowMajorStrides(extents), shape.box);
    FailureOr<Reg> expanded =
        expandOperand(op, t.reg(operand), offsets, r.kind, t);
    if (failed(expanded))
      return failure();
    std::vector<int64_t> elements(offsets.size());
    std::iota(elements.begin(), elements.end(), 0);
    if (failed(emitMasking(op, *expanded, mask, otherwise, *expanded, elements,
                           t)))
      return failure();
    return expanded;
  };
  FailureOr<Reg> lhs = spread(op.getLhs(), shape.maps[0], shape.lhs,
                              identityOf(op.getKind(), r.kind, t));
  FailureOr<Reg> rhs = spread(op.getRhs(), shape.maps[1], shape.rhs,
                              t.constant(r.kind, patternOfOne(r.kind)));
  if (failed(lhs) || failed(rhs))
    return failure();

  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(shape.box.size(), op.getContext());
  std::optional<ContractionSpace> space =
      contractionSpace({identity, identity, shape.maps[2]}, shape.box,
                       shape.isReduction, shape.box, shape.box, shape.acc);
  Contract contract =
      t.domain().contract(op.getKind(), r.kind, r.kind, r.kind, false);
  if (!contract || !space)
    return t.notModelled(op, "this contraction");
  Reg acc = t.reg(op.getAcc()), left = *lhs, right = *rhs;
  t.emit(op, [=, space = *space](Agent &agent) {
    std::memcpy(agent.cells(r), agent.cells(acc),
                agent.numCells(r) * r.cellBytes);
    contract(space, agent.lanes(), agent.cells(left), agent.cells(right),
             agent.cells(r));
  });
  return success();
}

LogicalResult simt::translateMasked(vector::ContractionOp op, Mask mask,
                                    Translator &t) {
  if (mask)
    return translateMaskedContraction(op, *mask, t);
  std::optional<ContractionSpace> space = ContractionShape(op).space();
  Reg lhs = t.reg(op.getLhs()), rhs = t.reg(op.getRhs());
  Reg acc = t.reg(op.getAcc()), r = t.reg(op.getResult());
  Contract contract =
      contractionOf(op, t.domain(), op.getKind(), lhs.kind, rhs.kind, r.kind);
  if (!contract || !space)
    return t.notModelled(op, "this contraction");
  t.emit(op, [=, space = std::move(*space)](Agent &agent) {
    std::memcpy(agent.cells(r), agent.cells(acc),
                agent.numCells(r) * r.cellBytes);
    contract(space, agent.lanes(), agent.cells(lhs), agent.cells(rhs),
             agent.cells(r));
  });
  return success();
}

/// Translates a masked outer product, whose accumulator stays where the mask is
/// false.
LogicalResult simt::translateMasked(vector::OuterProductOp op, Mask mask,
                                    Translator &t) {
  Reg lhs = t.reg(op.getLhs()), rhs = t.reg(op.getRhs()),
      r = t.reg(op.getResult());
  Contract contract =
      t.domain().contract(op.getKind(), lhs.kind, rhs.kind, r.kind, false);
  if (!contract)
    return t.notModelled(op, "this outer product");
  // One term per element; axpy (a scalar on the right) has n = 1.
  ContractionSpace space;
  space.lhsBatch = space.rhsBatch = space.accBatch = space.lhsK =
      space.rhsK = {0};
  for (int64_t m = 0; m < lhs.elements; ++m) {
    space.lhsM.push_back(m);
    space.accM.push_back(m * rhs.elements);
  }
  for (int64_t n = 0; n < rhs.elements; ++n) {
    space.rhsN.push_back(n);
    space.accN.push_back(n);
  }
  Reg init =
      op.getAcc() ? t.reg(op.getAcc()) : identityOf(op.getKind(), r.kind, t);
  bool initIsWhole = op.getAcc() != nullptr;
  Ternary select = t.domain().select(r.kind);
  if (mask && !select)
    return t.notModelled(op, "this masked outer product");
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < r.elements; ++e)
      copyElement(agent, init, initIsWhole ? e : 0, r, e);
    contract(space, agent.lanes(), agent.cells(lhs), agent.cells(rhs),
             agent.cells(r));
    if (mask && initIsWhole)
      select(agent.numCells(r), agent.cells(*mask), agent.cells(r),
             agent.cells(init), agent.cells(r));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise and scans
//===----------------------------------------------------------------------===//

static LogicalResult translateFma(vector::FMAOp op, Translator &t) {
  return t.elementwise(
      op,
      t.domain().ternary(FloatTernary::Fma, t.reg(op.getResult()).kind.format));
}

static LogicalResult translateScan(vector::ScanOp op, Translator &t) {
  Reg source = t.reg(op.getSource()), init = t.reg(op.getInitialValue());
  Reg r = t.reg(op.getDest()), last = t.reg(op.getAccumulatedValue());
  Scan scan = t.domain().scan(op.getKind(), r.kind);
  if (!scan)
    return t.notModelled(op, "this combining kind and type");
  Shape shape(op.getSourceType().getShape());
  int64_t dimension = op.getReductionDim(), extent = shape[dimension];
  int64_t stride = rowMajorStrides(shape)[dimension];
  int64_t outer = r.elements / (extent * stride);
  bool inclusive = op.getInclusive();
  t.emit(op, [=](Agent &agent) {
    int64_t bytes = agent.lanes() * r.cellBytes;
    auto at = [&](Reg reg, int64_t e) { return agent.cells(reg) + e * bytes; };
    SmallVector<const void *> terms(extent);
    SmallVector<void *> totals(extent);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < stride; ++i) {
        int64_t first = o * extent * stride + i, line = o * stride + i;
        for (int64_t p = 0; p < extent; ++p) {
          int64_t e = first + p * stride;
          terms[p] = inclusive ? at(source, e)
                     : p == 0  ? at(init, line)
                               : at(source, e - stride);
          totals[p] = at(r, e);
        }
        scan(agent.lanes(), terms, totals);
        copyElement(agent, r, first + (extent - 1) * stride, last, line);
      }
  });
  return success();
}

template <typename Op>
static LogicalResult translateUnmaskedReduction(Op op, Translator &t) {
  return translateMasked(op, std::nullopt, t);
}

void distaff::simt::registerVectorReduction(OpRegistry &registry) {
  registry.add(translateUnmaskedReduction<vector::MultiDimReductionOp>);
  registry.add(translateUnmaskedReduction<vector::ReductionOp>);
  registry.add(translateUnmaskedReduction<vector::ContractionOp>);
  registry.add(translateUnmaskedReduction<vector::OuterProductOp>);
  registry.add<vector::FMAOp>(translateFma);
  registry.add<vector::ScanOp>(translateScan);
}
