//===- LogSumExp.cpp - Log-sum-exp reductions -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-153. With c for the init of a result and x for the terms,
//
//   m = max(c, max x)                     a reduction
//   h = |m| < inf ? m : 0                 infinities are not scaled
//   s = exp(c - h) + sum exp(x - h)       a reduction
//   r = h + log s
//
// No exponent is above 0, and s is at least 1 where m is finite. Of NaN m is
// NaN, and so are s and r. Where all terms are -inf, s is 0 and r -inf. Terms
// are computed twice; they and the sums are in f32 at least.
//
//===----------------------------------------------------------------------===//
#include "distaff/Launches/Normalize/LogSumExp.h"
#include "LogSumExpValues.h"
#include "distaff/Analysis/Linalg/ContractionBody.h"
#include "distaff/Analysis/Linalg/LogSumExp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using log_sum_exp::exponential;
using log_sum_exp::ifFinite;

/// Creates a number, or a tensor of it.
static Value constant(ImplicitLocOpBuilder &b, Type type,
                      const APFloat &value) {
  auto element = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(tensor, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

static Value isFinite(ImplicitLocOpBuilder &b, Value number) {
  Type type = number.getType();
  const llvm::fltSemantics &format =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                               math::AbsFOp::create(b, number),
                               constant(b, type, APFloat::getInf(format)));
}

Value distaff::log_sum_exp::ifFinite(ImplicitLocOpBuilder &b, Value largest,
                                     Value number) {
  Type type = number.getType();
  const llvm::fltSemantics &format =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  return arith::SelectOp::create(b, isFinite(b, largest), number,
                                 constant(b, type, APFloat::getZero(format)));
}

Value distaff::log_sum_exp::combine(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value largest = arith::MaximumFOp::create(b, x, y);
  Value distance =
      arith::SubFOp::create(b, arith::MinimumFOp::create(b, x, y), largest);
  Value power = math::ExpOp::create(b, ifFinite(b, largest, distance));
  return arith::AddFOp::create(b, largest, math::Log1pOp::create(b, power));
}

Value distaff::log_sum_exp::exponential(ImplicitLocOpBuilder &b, Value number,
                                        Value shift) {
  return math::ExpOp::create(b, arith::SubFOp::create(b, number, shift));
}

/// Erases the ops that combined; ops come before those that use them.
static void eraseCombiners(LogSumExpStep &step) {
  llvm::sort(step.ops,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *each : step.ops)
    if (each->use_empty())
      each->erase();
}

namespace {
class LogSumExpReduction {
public:
  static std::optional<LogSumExpReduction> match(linalg::LinalgOp op);

  /// Returns whether the op is a contraction, whose products are combined
  /// without a tensor of them.
  bool isOfProducts() const { return matchSemiring(op).has_value(); }

  /// Computes the result at the op's position.
  Value write();
  /// Rewrites the op's body to combine so that nothing overflows, and
  /// infinities are right.
  void spell();

private:
  using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  LogSumExpReduction(linalg::LinalgOp op, LogSumExpStep step);

  Value cast(ImplicitLocOpBuilder &b, Value value, Type type);
  /// Creates a tensor of the result's shape and that element type.
  Value empty(Type element);
  Value elementwise(ValueRange inputs, Type element, Body body);
  /// Reduces the terms, in the wide type, along the op's loops; `beside` has
  /// the result's dims.
  Value reduce(Value init, ValueRange beside,
               llvm::function_ref<Value(ImplicitLocOpBuilder &, Value term,
                                        ValueRange beside, Value soFar)>
                   combine);
  bool startsFromNothing();

  linalg::LinalgOp op;
  LogSumExpStep step;
  ImplicitLocOpBuilder b;
  FloatType own, wide;
};
} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

LogSumExpReduction::LogSumExpReduction(linalg::LinalgOp op, LogSumExpStep step)
    : op(op), step(std::move(step)), b(op.getLoc(), op),
      own(::cast<FloatType>(this->step.term.getType())),
      wide(own.getWidth() < 32 ? FloatType(b.getF32Type()) : own) {}

/// Returns the step by which an op reduces its only result.
static std::optional<LogSumExpStep> findStep(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBlock();
  Value soFar = op.getRegionOutputArgs().front();
  std::optional<LogSumExpStep> step =
      matchLogSumExp(body->getTerminator()->getOperand(0), soFar);
  if (!step)
    return std::nullopt;
  auto combines = [&](Operation *user) {
    return llvm::is_contained(step->ops, user);
  };
  // Only the combining ops read the partial result, and only they read theirs.
  bool isAlone = llvm::all_of(soFar.getUsers(), combines) &&
                 llvm::all_of(step->ops, [&](Operation *each) {
                   return llvm::all_of(each->getUsers(), [&](Operation *user) {
                     return combines(user) || user == body->getTerminator();
                   });
                 });
  return isAlone ? step : std::nullopt;
}

std::optional<LogSumExpReduction>
LogSumExpReduction::match(linalg::LinalgOp op) {
  std::optional<LogSumExpStep> step = findStep(op);
  if (!step)
    return std::nullopt;
  return LogSumExpReduction(op, std::move(*step));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value LogSumExpReduction::cast(ImplicitLocOpBuilder &b, Value value,
                               Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

Value LogSumExpReduction::empty(Type element) {
  Value like = op.getDpsInits()[0];
  return tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), like),
                                 element);
}

Value LogSumExpReduction::elementwise(ValueRange inputs, Type element,
                                      Body body) {
  int64_t rank =
      ::cast<RankedTensorType>(op.getDpsInits()[0].getType()).getRank();
  Value out = empty(element);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              b.getMultiDimIdentityMap(rank));
  auto made = linalg::GenericOp::create(
      b, out.getType(), inputs, out, maps,
      SmallVector(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inside(loc, nested);
        linalg::YieldOp::create(inside, body(inside, elements.drop_back()));
      });
  return made.getResult(0);
}

Value LogSumExpReduction::reduce(
    Value init, ValueRange beside,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, ValueRange, Value)>
        combine) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(std::prev(maps.end()), beside.size(), maps.back());
  SmallVector<Value> inputs(op.getDpsInputs());
  llvm::append_range(inputs, beside);
  auto made = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, op.getIteratorTypesArray(),
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inside(loc, nested);
        IRMapping map;
        map.map(op.getRegionInputArgs(),
                elements.take_front(op.getNumDpsInputs()));
        for (Operation &each : op.getBlock()->without_terminator())
          if (!llvm::is_contained(step.ops, &each))
            inside.clone(each, map);
        Value term = cast(inside, map.lookupOrDefault(step.term), wide);
        linalg::YieldOp::create(
            inside,
            combine(inside, term, elements.drop_back().take_back(beside.size()),
                    elements.back()));
      });
  return made.getResult(0);
}

/// Returns whether the result starts from -inf everywhere.
bool LogSumExpReduction::startsFromNothing() {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_NegInfFloat());
}

Value LogSumExpReduction::write() {
  Value init = op.getDpsInits()[0];
  Value start = init;
  if (own != wide)
    start = elementwise(init, wide, [&](ImplicitLocOpBuilder &b, ValueRange x) {
      return cast(b, x[0], wide);
    });
  Value largest = reduce(start, {},
                         [&](ImplicitLocOpBuilder &b, Value term, ValueRange,
                             Value soFar) -> Value {
                           return arith::MaximumFOp::create(b, soFar, term);
                         });
  Value shift =
      elementwise(largest, wide, [&](ImplicitLocOpBuilder &b, ValueRange x) {
        return ifFinite(b, x[0], x[0]);
      });
  Value first;
  if (startsFromNothing()) {
    Value zero = constant(b, wide, APFloat::getZero(wide.getFloatSemantics()));
    first = linalg::FillOp::create(b, zero, empty(wide)).getResult(0);
  } else {
    first = elementwise({start, shift}, wide,
                        [&](ImplicitLocOpBuilder &b, ValueRange x) {
                          return exponential(b, x[0], x[1]);
                        });
  }
  Value sum = reduce(first, shift,
                     [&](ImplicitLocOpBuilder &b, Value term, ValueRange beside,
                         Value soFar) -> Value {
                       return arith::AddFOp::create(
                           b, soFar, exponential(b, term, beside[0]));
                     });
  return elementwise({sum, shift}, own,
                     [&](ImplicitLocOpBuilder &b, ValueRange x) {
                       Value log = math::LogOp::create(b, x[0]);
                       return cast(b, arith::AddFOp::create(b, x[1], log), own);
                     });
}

void LogSumExpReduction::spell() {
  Operation *yield = op.getBlock()->getTerminator();
  ImplicitLocOpBuilder inside(op.getLoc(), yield);
  yield->setOperand(0, log_sum_exp::combine(inside,
                                            op.getRegionOutputArgs().front(),
                                            step.term));
  eraseCombiners(step);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Rewrites the body of an op on tensors in such a loop, one of whose inputs is
/// the partial result.
static void spellBody(linalg::LinalgOp op, Value soFar) {
  if (op.getNumDpsInits() != 1)
    return;
  Operation *yield = op.getBlock()->getTerminator();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    std::optional<LogSumExpStep> step;
    if (input->get() == soFar)
      step = matchLogSumExp(yield->getOperand(0), argument);
    if (!step)
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), yield);
    yield->setOperand(0, log_sum_exp::combine(b, argument, step->term));
    eraseCombiners(*step);
  }
}

/// Rewrites a loop that carries such a result from one element to the next, so
/// that nothing overflows.
static void spellRecurrence(scf::ForOp loop) {
  for (auto [soFar, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Operation *last = yielded.getDefiningOp();
    if (!last || last->getBlock() != loop.getBody())
      continue;
    if (auto op = dyn_cast<linalg::LinalgOp>(last)) {
      spellBody(op, soFar);
      continue;
    }
    std::optional<LogSumExpStep> step = matchLogSumExp(yielded, soFar);
    if (!step)
      continue;
    ImplicitLocOpBuilder b(last->getLoc(), last);
    last->getResult(0).replaceAllUsesWith(
        log_sum_exp::combine(b, soFar, step->term));
    eraseCombiners(*step);
  }
}

void distaff::splitLogSumExp(func::FuncOp kernel, bool ofProducts) {
  kernel.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, tensor::TensorDialect>();
  kernel.walk(spellRecurrence);
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    std::optional<LogSumExpReduction> reduction = LogSumExpReduction::match(op);
    if (!reduction)
      continue;
    if (reduction->isOfProducts() && !ofProducts) {
      reduction->spell();
      continue;
    }
    op->getResult(0).replaceAllUsesWith(reduction->write());
    op->erase();
  }
}

LogicalResult distaff::checkLogSumExpOrder(func::FuncOp kernel) {
  WalkResult walked = kernel.walk([](linalg::LinalgOp op) -> WalkResult {
    std::optional<LogSumExpReduction> reduction = LogSumExpReduction::match(op);
    if (!reduction || reduction->isOfProducts())
      return WalkResult::advance();
    return op->emitOpError("adds exponentials relative to the largest, which "
                           "is no order of the source; strict-fp keeps that "
                           "order");
  });
  return failure(walked.wasInterrupted());
}
