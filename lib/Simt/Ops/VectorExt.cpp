//===- VectorExt.cpp - iree_vector_ext operations -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout does not change values, so to_layout is a copy. Gathers and scatters
// are element plans whose distances come from the base's map. arg_compare is
// the sequential scan that defines it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "../Translate/RegionProgram.h"
#include "../Values/IndexSpace.h"
#include "ElementPlan.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::vector_ext;

static LogicalResult translateToLayout(ToLayoutOp op, Translator &t) {
  t.bind(op.getResult(), t.reg(op.getInput()));
  return success();
}

/// Translates casts between a lane's part and the whole, which are the identity
/// only if one lane holds everything.
template <typename Op>
static LogicalResult translateLayoutCast(Op op, Translator &t) {
  Reg in = t.reg(op.getInput()), out = t.reg(op.getOutput());
  if (in.elements != out.elements)
    return t.notModelled(op, "a cast between a lane's part and the whole");
  t.bind(op.getOutput(), in);
  return success();
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// Returns the element numbers that a map without symbols in its results
/// addresses.
static std::vector<int32_t> elementsOf(AffineMap map,
                                       ArrayRef<int64_t> operandShape,
                                       ArrayRef<int64_t> box) {
  AffineMap noSymbols =
      AffineMap::get(map.getNumDims(), 0, map.getResults(), map.getContext());
  std::vector<int64_t> offsets =
      offsetsOf(noSymbols, rowMajorStrides(operandShape), box);
  return std::vector<int32_t>(offsets.begin(), offsets.end());
}

/// Returns whether the dims that index a base dimension may all be out of
/// bounds.
template <typename Op> static bool mayLeave(Op op, AffineExpr base) {
  SmallVector<bool> inBounds = op.getInBoundsArray();
  auto isOut = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && !inBounds[dim.getPosition()];
  };
  if (auto symbol = dyn_cast<AffineSymbolExpr>(base))
    return llvm::any_of(op.getIndexMap(symbol.getPosition()).getResults(),
                        isOut);
  return isOut(base);
}

template <typename Op> static ElementPlan gatherPlan(Op op, Translator &t) {
  ArrayRef<int64_t> shape = op.getVectorType().getShape();
  AffineMap baseMap = op.getBaseMap();
  ElementPlan plan;
  plan.allocate(op.getVectorType().getNumElements(), baseMap.getNumResults());
  for (auto [k, value] : llvm::enumerate(op.getIndexVecs()))
    plan.indexVectors.push_back(
        {t.reg(value),
         {},
         elementsOf(op.getIndexMap(k), shapeOf(value), shape)});
  for (auto [j, expr] : llvm::enumerate(baseMap.getResults())) {
    plan.mayLeave[j] = mayLeave(op, expr);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      plan.indexVectors[symbol.getPosition()].dimensions.push_back(unsigned(j));
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    int64_t element = 0;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      plan.at(element++, j) = index[dim.getPosition()];
    });
  }
  if (op.getMask())
    plan.maskElement =
        elementsOf(op.getMaskMap(), shapeOf(op.getMask()), shape);
  return plan;
}

template <typename Op> static Target targetOf(Op op, Translator &t) {
  Target target{op, t.reg(op.getBase()), {}, {}};
  for (Value offset : op.getOffsets())
    target.indices.push_back(t.reg(offset));
  if (op.getMask())
    target.mask = t.reg(op.getMask());
  return target;
}

static LogicalResult translateTransferGather(TransferGatherOp op,
                                             Translator &t) {
  Target target = targetOf(op, t);
  ElementPlan plan = gatherPlan(op, t);
  Reg r = t.reg(op.getVector()), padding = t.reg(op.getPadding());
  Access access = Access::get(op, t.domain(), r.kind, plan.elements, 1);
  t.emit(op, [=, plan = std::move(plan)](Agent &agent) {
    int64_t *positions = agent.positions(plan.elements * agent.lanes());
    if (!locate(agent, target, plan, positions))
      return;
    fill(agent, padding, r);
    loadElements(agent, access, plan, positions, target.base, r);
  });
  return success();
}

static LogicalResult translateTransferScatter(TransferScatterOp op,
                                              Translator &t) {
  Target target = targetOf(op, t);
  ElementPlan plan = gatherPlan(op, t);
  Reg source = t.reg(op.getVector());
  Reg base = op.getResult() ? t.reg(op.getResult()) : target.base;
  bool isLastUse = Translator::isLastUse(op.getBaseMutable());
  Access access = Access::get(op, t.domain(), source.kind, plan.elements, 1);
  t.emit(op, [=, plan = std::move(plan)](Agent &agent) {
    int64_t *positions = agent.positions(plan.elements * agent.lanes());
    if (!locate(agent, target, plan, positions))
      return;
    if (base.isTensor())
      takeTensor(agent, target.base, base, isLastUse);
    storeElements(agent, access, plan, positions, source, base);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// arg_compare
//===----------------------------------------------------------------------===//

namespace {

/// The scan along one dimension; cells of all lanes are points of one long
/// list.
struct ArgCompare {
  Operation *op;
  std::shared_ptr<RegionProgram> better;
  Reg values, bestValue, bestIndex;
  std::optional<Reg> indices, base;
  int64_t extent, stride; // of the dimension
  Ternary selectValue, selectIndex;
  Unary castIndex; // from index to the kind of bestIndex
  Binary addIndex;

  bool run(Agent &agent) const;

private:
  bool runBlock(Agent &agent, BodyRun &body, int64_t first,
                int64_t count) const;
};

} // namespace

/// Computes results first .. first + count - 1, as cells over elements and
/// lanes.
bool ArgCompare::runBlock(Agent &agent, BodyRun &body, int64_t first,
                          int64_t count) const {
  int64_t lanes = agent.lanes();
  SmallVector<uint8_t, 512> index(64 * 32), position(64 * 32);
  auto at = [&](Reg reg, int64_t cell) {
    return agent.cells(reg) + cell * reg.cellBytes;
  };
  for (int64_t p = 0; p < extent; ++p) {
    auto source = [&](int64_t cell) {
      int64_t element = cell / lanes, lane = cell % lanes;
      int64_t from =
          (element / stride * extent + p) * stride + element % stride;
      return from * lanes + lane;
    };
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(body.argument(0) + i * values.cellBytes,
                  at(values, source(first + i)), values.cellBytes);
      if (indices)
        std::memcpy(index.data() + i * indices->cellBytes,
                    at(*indices, source(first + i)), indices->cellBytes);
    }
    std::memcpy(body.argument(1), at(bestValue, first),
                count * values.cellBytes);
    if (!body.execute())
      return false;
    if (!indices) {
      const Domain &domain = *agent.code().domain;
      unsigned bytes = domain.cellBytes(Kind::index());
      for (int64_t i = 0; i < count; ++i) {
        domain.constant(Kind::index(), uint64_t(p),
                        position.data() + i * bytes);
        if (base)
          addIndex(1, position.data() + i * bytes,
                   at(*base, (first + i) % lanes), position.data() + i * bytes);
      }
      castIndex(count, position.data(), index.data());
    }
    selectIndex(count, body.result(0), index.data(), at(bestIndex, first),
                at(bestIndex, first));
    selectValue(count, body.result(0), body.argument(0), at(bestValue, first),
                at(bestValue, first));
  }
  return true;
}

bool ArgCompare::run(Agent &agent) const {
  BodyRun body(*better, agent);
  int64_t count = agent.numCells(bestValue), points = better->points();
  for (int64_t first = 0; first < count; first += points)
    if (!runBlock(agent, body, first, std::min(points, count - first)))
      return false;
  return true;
}

static LogicalResult translateArgCompare(ArgCompareOp op, Translator &t) {
  FailureOr<std::shared_ptr<RegionProgram>> better =
      RegionProgram::get(op.getRegion().front(), t);
  if (failed(better))
    return failure();
  Shape shape = shapeOf(op.getInputValue());
  int64_t dimension = op.getDimension();
  ArgCompare compare;
  compare.op = op;
  compare.better = *better;
  compare.values = t.reg(op.getInputValue());
  compare.bestValue = t.reg(op.getResultValue());
  compare.bestIndex = t.reg(op.getResultIndex());
  if (op.getInputIndex())
    compare.indices = t.reg(op.getInputIndex());
  if (op.getIndexBase())
    compare.base = t.reg(op.getIndexBase());
  compare.extent = shape[dimension];
  compare.stride = rowMajorStrides(shape)[dimension];
  compare.selectValue = t.domain().select(compare.values.kind);
  compare.selectIndex = t.domain().select(compare.bestIndex.kind);
  compare.castIndex = t.domain().convert(Conversion::Truncate, Kind::index(),
                                         compare.bestIndex.kind);
  compare.addIndex = t.domain().binary(IntegerBinary::Add, 64);
  if (!compare.selectValue || !compare.selectIndex || !compare.castIndex)
    return t.notModelled(op, "a choice in this domain");
  Reg initValue = t.reg(op.getInitValue()),
      initIndex = t.reg(op.getInitIndex());
  t.emit(op, [=](Agent &agent) {
    Reg value = compare.bestValue, index = compare.bestIndex;
    std::memcpy(agent.cells(value), agent.cells(initValue),
                agent.numCells(value) * value.cellBytes);
    std::memcpy(agent.cells(index), agent.cells(initIndex),
                agent.numCells(index) * index.cellBytes);
    if (!compare.run(agent))
      agent.fault(*agent.workgroup().fault);
  });
  return success();
}

void distaff::simt::registerVectorExt(OpRegistry &registry) {
  registry.add<ToLayoutOp>(translateToLayout);
  registry.add(translateLayoutCast<ToSimdOp>);
  registry.add(translateLayoutCast<ToSimtOp>);
  registry.add<TransferGatherOp>(translateTransferGather);
  registry.add<TransferScatterOp>(translateTransferScatter);
  registry.add<ArgCompareOp>(translateArgCompare);
}
