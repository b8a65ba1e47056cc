//===- Linalg.cpp - linalg operations -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Linalg.h"
#include "DroppedBits.h"
#include "ElementPlan.h"
#include "TensorBox.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Recognition of bodies
//===----------------------------------------------------------------------===//

/// Returns the input that a value is, looking through one exact widening.
static std::optional<unsigned> inputOf(Value value, Block &body,
                                       unsigned numInputs) {
  if (Operation *cast = value.getDefiningOp())
    if (isa<arith::ExtFOp, arith::ExtSIOp>(cast))
      value = cast->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &body ||
      argument.getArgNumber() >= numInputs)
    return std::nullopt;
  return argument.getArgNumber();
}

namespace {
/// A term of a fold as values of the body.
struct TermValues {
  Value term, factor;
  bool isSubtracted = false;
};

/// The function of one accumulator in a body: acc + t0 - t1 + ..., or acc * t0
/// ...
struct Chain {
  vector::CombiningKind combining;
  SmallVector<TermValues, 2> terms; // from the accumulator on; may be empty
};
} // namespace

/// Returns the link of a chain, `op` as a step from `previous`, if it is one.
static std::optional<std::pair<vector::CombiningKind, TermValues>>
linkOf(Operation *op, Value previous) {
  using Kind = vector::CombiningKind;
  auto other = [&] {
    return op->getOperand(op->getOperand(0) == previous ? 1 : 0);
  };
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return std::pair{Kind::ADD, TermValues{other(), {}}};
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return std::pair{Kind::MUL, TermValues{other(), {}}};
  if (isa<arith::SubFOp, arith::SubIOp>(op) && op->getOperand(0) == previous)
    return std::pair{Kind::ADD, TermValues{op->getOperand(1), {}, true}};
  if (isa<math::FmaOp>(op) && op->getOperand(2) == previous)
    return std::pair{Kind::ADD,
                     TermValues{op->getOperand(0), op->getOperand(1)}};
  return std::nullopt;
}

/// Returns the chain from an accumulator to its next value. No other op may use
/// the accumulator: its intermediate values depend on the order.
static Chain chainOf(linalg::LinalgOp op, unsigned output) {
  Block &body = *op.getBlock();
  Value previous = body.getArgument(op.getNumDpsInputs() + output);
  Operation *terminator = body.getTerminator();
  Chain chain{vector::CombiningKind::ADD, {}};
  while (previous.hasOneUse()) {
    OpOperand &use = *previous.use_begin();
    Operation *user = use.getOwner();
    if (user == terminator)
      return use.getOperandNumber() == output ? chain : Chain{};
    auto link =
        user->getBlock() == &body ? linkOf(user, previous) : std::nullopt;
    if (!link || (!chain.terms.empty() && link->first != chain.combining))
      return {};
    chain.combining = link->first;
    chain.terms.push_back(link->second);
    previous = user->getResult(0);
  }
  return {};
}

/// Returns the term of a body that yields `acc + term`, for its only output
/// acc.
static Value addedTerm(linalg::LinalgOp op, ArrayRef<Chain> chains) {
  bool isSum = chains.size() == 1 && chains[0].terms.size() == 1 &&
               chains[0].combining == vector::CombiningKind::ADD &&
               !chains[0].terms[0].factor && !chains[0].terms[0].isSubtracted;
  return isSum ? chains[0].terms[0].term : Value();
}

static std::optional<std::array<unsigned, 2>> factorsOf(linalg::LinalgOp op,
                                                        Value term) {
  Operation *product = term ? term.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Block &body = *op.getBlock();
  unsigned numInputs = op.getNumDpsInputs();
  std::optional<unsigned> lhs =
      inputOf(product->getOperand(0), body, numInputs);
  std::optional<unsigned> rhs =
      inputOf(product->getOperand(1), body, numInputs);
  if (!lhs || !rhs)
    return std::nullopt;
  return std::array<unsigned, 2>{*lhs, *rhs};
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

static bool isLinear(AffineMap map) {
  Shape strides(map.getNumResults(), 1);
  return linearAccessOf(map, strides).has_value();
}

/// Returns whether a contraction's space describes the map: no constant is
/// added.
static bool startsAtZero(AffineMap map) {
  Shape strides(map.getNumResults(), 1);
  std::optional<LinearAccess> access = linearAccessOf(map, strides);
  return access && access->base == 0;
}

/// Returns the loops whose points run one after another: reductions, and loops
/// without an index of their own in some output, since two of their points may
/// write the same cell.
static SmallVector<bool> orderedLoops(linalg::LinalgOp op) {
  SmallVector<bool> isOrdered;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    isOrdered.push_back(type == utils::IteratorType::reduction);
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    for (unsigned d = 0; d < isOrdered.size(); ++d)
      if (!map.getResultPosition(getAffineDimExpr(d, op.getContext())))
        isOrdered[d] = true;
  }
  return isOrdered;
}

/// Returns whether a map depends on ordered loops.
static bool followsOrder(AffineMap map, ArrayRef<bool> isOrdered) {
  for (auto [d, is] : llvm::enumerate(isOrdered))
    if (is && map.isFunctionOfDim(d))
      return true;
  return false;
}

/// Chooses the fold of each accumulator, and the values of the body that are
/// then its results.
static SmallVector<Value> chooseFolds(linalg::LinalgOp op,
                                      ArrayRef<Chain> chains,
                                      StructuredOp &plan, Translator &t) {
  SmallVector<Value> results;
  auto addResult = [&](Value value) {
    results.push_back(value);
    return unsigned(results.size() - 1);
  };
  Operation *terminator = op.getBlock()->getTerminator();
  // In one given order, a chain of a single addition is only an optimization.
  bool foldsAll = t.domain().coversEveryOrder() || addedTerm(op, chains);
  for (auto [output, chain] : llvm::enumerate(chains)) {
    Kind kind = plan.operands[plan.numInputs + output].kind;
    Fold &fold = plan.folds.emplace_back();
    auto unit = [&](double value) {
      return t.constant(kind, kind.isFloat ? encode(kind.format, value)
                                           : uint64_t(int64_t(value)));
    };
    plan.units.push_back({unit(1), unit(-1)});
    if (foldsAll && !chain.terms.empty())
      fold.contract =
          t.domain().contract(chain.combining, kind, kind, kind, false);
    if (!fold.contract) {
      fold.yielded = addResult(terminator->getOperand(output));
      continue;
    }
    for (const TermValues &values : chain.terms) {
      FoldedTerm &term = fold.terms.emplace_back();
      term.term = addResult(values.term);
      if (values.factor)
        term.factor = addResult(values.factor);
      term.isSubtracted = values.isSubtracted;
    }
  }
  return results;
}

/// Chooses how the body runs; the maps are those of op's operands.
static LogicalResult chooseBody(linalg::LinalgOp op, StructuredOp &plan,
                                Translator &t) {
  SmallVector<Chain> chains;
  bool hasReduction = llvm::is_contained(plan.isReduction, true);
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    // The terms of a cell are identified by their reduced index only.
    bool folds = hasReduction && (!plan.isStepped[output] ||
                                  isLinear(plan.maps[plan.numInputs + output]));
    chains.push_back(folds ? chainOf(op, output) : Chain{});
  }
  plan.factors = factorsOf(op, addedTerm(op, chains));
  if (plan.factors && !plan.isStepped[0] &&
      llvm::all_of(plan.maps, startsAtZero)) {
    auto [lhs, rhs] = *plan.factors;
    plan.contract = contractionOf(
        op, t.domain(), vector::CombiningKind::ADD, plan.operands[lhs].kind,
        plan.operands[rhs].kind, plan.operands.back().kind);
    if (plan.contract)
      return success();
  }
  plan.factors.reset();

  SmallVector<Value> indices;
  op.getBlock()->walk([&](linalg::IndexOp index) {
    indices.push_back(index.getResult());
    plan.indexDimensions.push_back(index.getDim());
  });
  SmallVector<Value> results = chooseFolds(op, chains, plan, t);
  FailureOr<std::shared_ptr<RegionProgram>> body = RegionProgram::get(
      *op.getBlock(), t, indices, std::optional<ValueRange>(results));
  if (failed(body))
    return failure();
  plan.body = *body;
  return success();
}

static LogicalResult translateStructured(Operation *operation, Translator &t) {
  auto op = cast<linalg::LinalgOp>(operation);
  if (t.lanes() != 1)
    return t.notModelled(op, "a structured op in code of one lane");
  StructuredOp plan;
  plan.op = op;
  plan.numInputs = op.getNumDpsInputs();
  plan.maps = op.getIndexingMapsArray();
  plan.shapesToLoops = op.getShapesToLoopsMap();
  if (!plan.shapesToLoops)
    return t.notModelled(op, "maps that do not determine the loops");
  plan.isReduction = orderedLoops(op);
  for (AffineMap map : ArrayRef(plan.maps).drop_front(plan.numInputs))
    plan.isStepped.push_back(followsOrder(map, plan.isReduction));
  for (OpOperand &operand : op->getOpOperands()) {
    Reg reg = t.reg(operand.get());
    plan.operands.push_back(reg);
    plan.isRead.push_back(op.payloadUsesValueFromOperand(&operand));
    plan.isLastUse.push_back(Translator::isLastUse(operand) &&
                             llvm::count(op->getOperands(), operand.get()) ==
                                 1);
    plan.accesses.push_back(Access::get(op, t.domain(), reg.kind));
  }
  for (Value result : op->getResults())
    plan.results.push_back(t.reg(result));
  if (failed(chooseBody(op, plan, t)))
    return failure();

  t.emit(op, [plan = std::make_shared<StructuredOp>(std::move(plan))](
                 Agent &agent) {
    StructuredRun run{*plan, agent, {}, {}, {}};
    if (run.prepare() && run.execute())
      run.finish();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

bool StructuredRun::prepare() {
  operands.resize(plan.operands.size());
  SmallVector<int64_t> extents;
  for (size_t i = 0; i < plan.operands.size(); ++i) {
    if (!operands[i].read(agent, plan.accesses[i], plan.operands[i],
                          plan.isRead[i]))
      return false;
    llvm::append_range(extents, operands[i].shape);
  }
  SmallVector<int64_t> loops = plan.shapesToLoops.compose(extents);
  box.assign(loops.begin(), loops.end());
  if (!checkShapes())
    return false;
  size_t numOutputs = plan.operands.size() - plan.numInputs;
  for (size_t k = 0; k < numOutputs; ++k) {
    size_t i = plan.numInputs + k;
    if (plan.results.empty()) {
      outputs.push_back(operands[i].loadedCells());
      continue;
    }
    takeTensor(agent, plan.operands[i], plan.results[k], plan.isLastUse[i]);
    outputs.push_back(agent.tensor(plan.results[k]).mutableCells());
  }
  return true;
}

/// Returns the range of a sum of loops; none for an expression with a remainder
/// or a quotient.
static std::optional<std::pair<int64_t, int64_t>>
rangeOf(AffineExpr expr, ArrayRef<int64_t> box) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return std::pair(int64_t(0), box[loop.getPosition()] - 1);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::pair(constant.getValue(), constant.getValue());
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both || (expr.getKind() != AffineExprKind::Add &&
                expr.getKind() != AffineExprKind::Mul))
    return std::nullopt;
  auto lhs = rangeOf(both.getLHS(), box), rhs = rangeOf(both.getRHS(), box);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return std::pair(lhs->first + rhs->first, lhs->second + rhs->second);
  // One factor is a constant.
  return std::minmax({lhs->first * rhs->first, lhs->second * rhs->second});
}

/// Returns the range of any expression, over each point of the loops that it
/// uses.
static std::pair<int64_t, int64_t> reachOf(AffineExpr expr,
                                           ArrayRef<int64_t> box) {
  if (auto range = rangeOf(expr, box))
    return *range;
  SmallVector<int64_t> named(box);
  for (auto [loop, extent] : llvm::enumerate(named))
    if (!expr.isFunctionOfDim(loop))
      extent = 1;
  AffineMap map = AffineMap::get(box.size(), 0, expr);
  std::pair<int64_t, int64_t> range(std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min());
  forEachIndex(named, [&](ArrayRef<int64_t> point) {
    int64_t value = map.compose(point).front();
    range = {std::min(range.first, value), std::max(range.second, value)};
  });
  return range;
}

/// Checks that the loops stay within every operand.
bool StructuredRun::checkShapes() {
  if (numElements(box) == 0)
    return true;
  for (auto [map, operand] : llvm::zip_equal(plan.maps, operands))
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      auto [least, greatest] = reachOf(expr, box);
      if (least >= 0 && greatest < operand.shape[d])
        continue;
      agent.fault(plan.op, FaultKind::OutOfBounds,
                  "the loops reach index " +
                      Twine(least < 0 ? least : greatest) +
                      " along dimension " + Twine(d) + " of extent " +
                      Twine(operand.shape[d]));
      return false;
    }
  return true;
}

bool StructuredRun::finish() {
  if (!plan.results.empty())
    return true;
  for (size_t i = plan.numInputs; i < plan.operands.size(); ++i)
    if (!operands[i].write(agent, plan.accesses[i], plan.operands[i]))
      return false;
  return true;
}

void StructuredRun::runContraction() {
  auto [lhs, rhs] = *plan.factors;
  std::optional<ContractionSpace> space = contractionSpace(
      {plan.maps[lhs], plan.maps[rhs], plan.maps.back()}, box, plan.isReduction,
      operands[lhs].shape, operands[rhs].shape, operands.back().shape);
  assert(space && "linear maps have a contraction space");
  plan.contract(*space, 1, operands[lhs].cells, operands[rhs].cells,
                outputs[0]);
}

bool StructuredRun::execute() {
  if (numElements(box) == 0)
    return true;
  if (plan.factors) {
    runContraction();
    return true;
  }
  return runBody(*this);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Emits nothing: the op around it sets the register.
static LogicalResult translateIndex(linalg::IndexOp op, Translator &t) {
  return success();
}

template <typename... Ops> static void addStructured(OpRegistry &registry) {
  (registry.add(Ops::getOperationName(), translateStructured), ...);
}

void distaff::simt::registerLinalg(OpRegistry &registry) {
  addStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
      >(registry);
  registry.add<linalg::IndexOp>(translateIndex);
  registerSoftmax(registry);
}
