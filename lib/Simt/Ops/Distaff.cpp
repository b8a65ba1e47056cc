//===- Distaff.cpp - distaff operations -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// distaff.contract by its definition: the region at every point of the
// iteration space, then a reduction of the products by the domain's function.
// log(sum of exp(x)) is taken relative to the largest x.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "../Translate/RegionProgram.h"
#include "../Values/IndexSpace.h"
#include "DroppedBits.h"
#include "Lanes.h"

using namespace distaff;
using namespace distaff::simt;
using core::ContractOp;
using vector::CombiningKind;

namespace {
/// The products of all points, in row-major order.
struct Products {
  std::shared_ptr<RegionProgram> program;
  Reg lhs, rhs, out;
  std::vector<int64_t> lhsAt, rhsAt; // elements, by point

  bool run(Agent &agent) const;
};

/// log(acc + sum of exp) of the products.
struct LogSumExp {
  Reg products, acc, result, one;
  ContractionSpace space;
  std::vector<int64_t> resultAt; // elements, by point
  Contract largest, sum;
  Unary isFinite, exp, log;
  Binary subtract, add;
  Ternary select;
  Reg shift, bit, zero, terms;

  void run(Agent &agent) const;
};
} // namespace

bool Products::run(Agent &agent) const {
  BodyRun body(*program, agent);
  int64_t lanes = agent.lanes(), cells = agent.numCells(out);
  for (int64_t first = 0; first < cells; first += program->points()) {
    int64_t count = std::min(program->points(), cells - first);
    for (int64_t i = 0; i < count; ++i) {
      int64_t point = (first + i) / lanes, lane = (first + i) % lanes;
      auto give = [&](size_t number, Reg from, int64_t element) {
        std::memcpy(body.argument(number) + i * from.cellBytes,
                    agent.cells(from) +
                        (element * lanes + lane) * from.cellBytes,
                    from.cellBytes);
      };
      give(0, lhs, lhsAt[point]);
      give(1, rhs, rhsAt[point]);
    }
    if (!body.execute())
      return false;
    std::memcpy(agent.cells(out) + first * out.cellBytes, body.result(0),
                count * out.cellBytes);
  }
  return true;
}

void LogSumExp::run(Agent &agent) const {
  int64_t lanes = agent.lanes(), results = agent.numCells(result);
  size_t bytes = result.cellBytes;
  auto at = [&](Reg reg, int64_t element) {
    return agent.cells(reg) + element * lanes * bytes;
  };
  std::memcpy(agent.cells(shift), agent.cells(acc), results * bytes);
  largest(space, lanes, agent.cells(products), agent.cells(one),
          agent.cells(shift));
  isFinite(results, agent.cells(shift), agent.cells(bit));
  for (int64_t e = 0; e < result.elements; ++e)
    select(lanes, agent.cells(bit) + e * lanes * bit.cellBytes, at(shift, e),
           agent.cells(zero), at(shift, e));
  for (auto [point, e] : llvm::enumerate(resultAt))
    subtract(lanes, at(products, point), at(shift, e), at(terms, point));
  exp(agent.numCells(terms), agent.cells(terms), agent.cells(terms));
  subtract(results, agent.cells(acc), agent.cells(shift), agent.cells(result));
  exp(results, agent.cells(result), agent.cells(result));
  sum(space, lanes, agent.cells(terms), agent.cells(one), agent.cells(result));
  log(results, agent.cells(result), agent.cells(result));
  add(results, agent.cells(shift), agent.cells(result), agent.cells(result));
}

static LogicalResult translateCheck(core::CheckOp op, Translator &t) {
  Reg condition = t.reg(op.getCondition());
  std::string message = op.getMessage().str();
  t.emit(op, [=](Agent &agent) {
    for (int64_t e = 0; e < condition.elements; ++e)
      forEachLane(agent.mask(), [&](int64_t lane) {
        if (agent.integer(condition, lane, e) & 1)
          return;
        int64_t named = namedLane(op, lane);
        agent.fault(op, FaultKind::Assertion,
                    agent.describe(named) + ": " + message,
                    agent.placeOf(named));
      });
  });
  t.copy(op, t.reg(op.getValue()), t.reg(op.getResult()));
  return success();
}

/// Replaces masked-off products by the identity.
static LogicalResult maskProducts(ContractOp op, Value mask, Reg products,
                                  Translator &t) {
  if (!mask)
    return success();
  SmallVector<uint64_t, 4> cell(4);
  CombiningKind kind = op.getCombiningKind().value_or(CombiningKind::MAXIMUMF);
  ieeeDomain().identity(kind, products.kind, cell.data());
  Reg identity = t.constant(products.kind,
                            *ieeeDomain().pattern(products.kind, cell.data()));
  Reg bits = t.reg(mask);
  Ternary select = t.domain().select(products.kind);
  if (!select)
    return t.notModelled(op, "a mask in this domain");
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    for (int64_t e = 0; e < products.elements; ++e) {
      uint8_t *product = agent.cells(products) + e * lanes * products.cellBytes;
      select(lanes, agent.cells(bits) + e * lanes * bits.cellBytes, product,
             agent.cells(identity), product);
    }
  });
  return success();
}

static FailureOr<LogSumExp> planLogSumExp(ContractOp op, Reg products, Reg one,
                                          const ContractionSpace &space,
                                          Translator &t) {
  const Domain &domain = t.domain();
  LogSumExp plan;
  plan.products = products;
  plan.acc = t.reg(op.getAcc());
  plan.result = t.reg(op.getResult());
  plan.one = one;
  plan.space = space;
  Kind kind = plan.result.kind;
  FloatFormat format = kind.format;
  plan.resultAt =
      offsetsOf(op.getMaps()[2], rowMajorStrides(shapeOf(op.getResult())),
                op.getBounds());
  plan.largest =
      domain.contract(CombiningKind::MAXIMUMF, kind, kind, kind, false);
  plan.sum = domain.contract(CombiningKind::ADD, kind, kind, kind, false);
  plan.isFinite = domain.test(FloatTest::IsFinite, format);
  plan.exp = domain.unary(FloatUnary::Exp, format);
  plan.log = domain.unary(FloatUnary::Log, format);
  plan.subtract = domain.binary(FloatBinary::Sub, format);
  plan.add = domain.binary(FloatBinary::Add, format);
  plan.select = domain.select(kind);
  if (!plan.largest || !plan.sum || !plan.isFinite || !plan.exp || !plan.log ||
      !plan.subtract || !plan.add || !plan.select)
    return t.notModelled(op, "logsumexp in this domain");
  plan.shift = t.scratchLike(plan.result);
  plan.bit = t.scratch(Kind::integer(1), plan.result.elements);
  plan.zero = t.constant(kind, 0);
  plan.terms = t.scratchLike(products);
  return plan;
}

static LogicalResult reduceProducts(ContractOp op, Reg products,
                                    Translator &t) {
  Shape bounds(op.getBounds());
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(bounds.size(), op.getContext());
  AffineMap none = AffineMap::get(bounds.size(), 0, op.getContext());
  std::optional<ContractionSpace> space =
      contractionSpace({all, none, op.getMaps()[2]}, bounds, op.getReduced(),
                       bounds, {}, shapeOf(op.getResult()));
  if (!space)
    return t.notModelled(op, "these maps");
  Reg acc = t.reg(op.getAcc()), r = t.reg(op.getResult());
  Reg one = t.constant(r.kind, r.kind.isFloat ? encode(r.kind.format, 1.0) : 1);
  if (!op.getCombiningKind()) {
    FailureOr<LogSumExp> plan = planLogSumExp(op, products, one, *space, t);
    if (failed(plan))
      return failure();
    t.emit(op, [plan = std::move(*plan)](Agent &agent) { plan.run(agent); });
    return success();
  }
  Contract contract = t.domain().contract(*op.getCombiningKind(), r.kind,
                                          r.kind, r.kind, false);
  if (!contract)
    return t.notModelled(op, "this combining kind and type");
  t.emit(op, [=, space = std::move(*space)](Agent &agent) {
    std::memcpy(agent.cells(r), agent.cells(acc),
                agent.numCells(r) * r.cellBytes);
    contract(space, agent.lanes(), agent.cells(products), agent.cells(one),
             agent.cells(r));
  });
  return success();
}

/// Returns an operand without the bits that the multiplication may ignore.
static Reg withDroppedBits(ContractOp op, Reg operand, Translator &t) {
  Unary drop = droppingBits(op, t.domain(), operand.kind);
  if (!drop)
    return operand;
  Reg rest = t.scratchLike(operand);
  t.emit(op, [=](Agent &agent) {
    drop(agent.numCells(operand), agent.cells(operand), agent.cells(rest));
  });
  return rest;
}

static LogicalResult translateContract(ContractOp op, Translator &t) {
  FailureOr<std::shared_ptr<RegionProgram>> program =
      RegionProgram::get(op.getProduct().front(), t);
  if (failed(program))
    return failure();
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<int64_t> bounds = op.getBounds();
  auto elementsOf = [&](Value operand, AffineMap map) {
    return offsetsOf(map, rowMajorStrides(shapeOf(operand)), bounds);
  };
  Products products{*program,
                    withDroppedBits(op, t.reg(op.getLhs()), t),
                    withDroppedBits(op, t.reg(op.getRhs()), t),
                    t.scratch(t.reg(op.getResult()).kind, numElements(bounds)),
                    elementsOf(op.getLhs(), maps[0]),
                    elementsOf(op.getRhs(), maps[1])};
  Reg out = products.out;
  t.emit(op, [products = std::move(products)](Agent &agent) {
    if (!products.run(agent))
      agent.fault(*agent.workgroup().fault);
  });
  if (failed(maskProducts(op, op.getMask(), out, t)))
    return failure();
  if (auto outer = dyn_cast<vector::MaskOp>(op->getParentOp()))
    if (failed(maskProducts(op, outer.getMask(), out, t)))
      return failure();
  return reduceProducts(op, out, t);
}

void distaff::simt::registerDistaff(OpRegistry &registry) {
  registry.add<ContractOp>(translateContract);
  registry.add<core::CheckOp>(translateCheck);
}
