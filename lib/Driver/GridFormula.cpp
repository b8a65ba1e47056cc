//===- GridFormula.cpp - Grid functions as formulas -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GridFormula.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace distaff {
namespace {

using runtime::Formula;
using runtime::Requirement;
using Kind = runtime::Formula::Kind;

Formula fromAffine(AffineExpr expr, unsigned numDims,
                   ArrayRef<Formula> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Formula::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Formula lhs = fromAffine(binary.getLHS(), numDims, operands);
  Formula rhs = fromAffine(binary.getRHS(), numDims, operands);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return Formula::binary(Kind::Add, lhs, rhs);
  case AffineExprKind::Mul:
    return Formula::binary(Kind::Multiply, lhs, rhs);
  case AffineExprKind::Mod:
    return Formula::binary(Kind::Modulo, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return Formula::binary(Kind::FloorDivide, lhs, rhs);
  default:
    return Formula::binary(Kind::CeilDivide, lhs, rhs);
  }
}

/// Returns the operation of an arith op on extents, which are never negative,
/// so that signed and unsigned division agree.
std::optional<Kind> binaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddIOp>([](auto) { return Kind::Add; })
      .Case<arith::SubIOp>([](auto) { return Kind::Subtract; })
      .Case<arith::MulIOp>([](auto) { return Kind::Multiply; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return Kind::CeilDivide; })
      .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(
          [](auto) { return Kind::FloorDivide; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return Kind::Modulo; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return Kind::Minimum; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return Kind::Maximum; })
      .Default([](auto) { return std::nullopt; });
}

/// The limit on the nodes of a formula. Formulas are trees: a value with two
/// uses occurs twice. No grid of ours comes near this.
constexpr int64_t mostNodes = 10000;

/// Returns a value as a formula; `nodes` counts the nodes so far.
FailureOr<Formula> toFormula(Value value, int64_t &nodes) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return Formula::extent(argument.getArgNumber());
    argument.getOwner()->getParentOp()->emitOpError(
        "in a grid function has no formula for the package");
    return failure();
  }
  Operation *op = value.getDefiningOp();
  if (++nodes > mostNodes) {
    op->emitOpError("makes the formula of the grid larger than ")
        << mostNodes << " operations";
    return failure();
  }
  if (IntegerAttr constant; matchPattern(value, m_Constant(&constant)))
    return Formula::constant(constant.getInt());

  SmallVector<Formula> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Formula> formula = toFormula(operand, nodes);
    if (failed(formula))
      return failure();
    operands.push_back(*formula);
  }
  if (std::optional<Kind> kind = binaryKind(op))
    return Formula::binary(*kind, operands[0], operands[1]);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return fromAffine(apply.getAffineMap().getResult(0),
                      apply.getAffineMap().getNumDims(), operands);
  auto extremum = [&](AffineMap map, Kind kind) {
    Formula result = fromAffine(map.getResult(0), map.getNumDims(), operands);
    for (AffineExpr expr : map.getResults().drop_front())
      result = Formula::binary(kind, result,
                               fromAffine(expr, map.getNumDims(), operands));
    return result;
  };
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return extremum(min.getAffineMap(), Kind::Minimum);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return extremum(max.getAffineMap(), Kind::Maximum);
  op->emitOpError("in a grid function has no formula for the package");
  return failure();
}

} // namespace

/// Returns a grid that is the same in every launch; 1 if it depends on a loop
/// that the stages have not counted.
static std::array<Formula, 3> fixedGrid(FunctionOpInterface kernel) {
  std::array<Formula, 3> formulas;
  std::optional<std::array<int64_t, 3>> fixed = fixedGridOf(kernel);
  for (size_t dim = 0; dim < 3; ++dim)
    formulas[dim] = Formula::constant(fixed ? (*fixed)[dim] : 1);
  return formulas;
}

/// Returns the grid function of a kernel after checking it; null if it has
/// none.
static FailureOr<func::FuncOp> checkedGrid(FunctionOpInterface kernel) {
  func::FuncOp grid = findGridFunction(kernel);
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  if (!grid)
    return grid;
  size_t numExtents = signature->dynamicExtents().size();
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (!grid.isDeclaration() && grid.getBody().hasOneBlock() &&
      grid.getNumResults() == 3 &&
      llvm::all_of(grid.getResultTypes(), isIndex) &&
      llvm::all_of(grid.getArgumentTypes(), isIndex) &&
      grid.getNumArguments() == numExtents)
    return grid;
  grid.emitOpError("is no grid function of @")
      << kernel.getName() << ": it takes " << numExtents
      << " dynamic extents as index and returns the workgroups along x, y "
         "and z";
  return failure();
}

FailureOr<std::array<Formula, 3>> gridFormulas(FunctionOpInterface kernel) {
  FailureOr<func::FuncOp> grid = checkedGrid(kernel);
  if (failed(grid))
    return failure();
  if (!*grid)
    return fixedGrid(kernel);
  std::array<Formula, 3> formulas;
  Operation *terminator = grid->getBody().front().getTerminator();
  int64_t nodes = 0;
  for (auto [formula, value] :
       llvm::zip_equal(formulas, terminator->getOperands())) {
    FailureOr<Formula> found = toFormula(value, nodes);
    if (failed(found))
      return failure();
    formula = *found;
  }
  return formulas;
}

FailureOr<std::vector<Requirement>>
gridRequirements(FunctionOpInterface kernel) {
  FailureOr<func::FuncOp> grid = checkedGrid(kernel);
  if (failed(grid))
    return failure();
  std::vector<Requirement> requirements;
  if (!*grid)
    return requirements;
  int64_t nodes = 0;
  for (auto assertion : grid->getBody().front().getOps<cf::AssertOp>()) {
    auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return assertion.emitOpError("in a grid function is for two numbers that "
                                   "an arith.cmpi finds equal");
    FailureOr<Formula> lhs = toFormula(compare.getLhs(), nodes);
    FailureOr<Formula> rhs = toFormula(compare.getRhs(), nodes);
    if (failed(lhs) || failed(rhs))
      return failure();
    requirements.push_back({*lhs, *rhs, assertion.getMsg().str()});
  }
  return requirements;
}

std::vector<Formula> toFormulas(AffineMap map) {
  SmallVector<Formula> extents;
  for (unsigned number = 0; number < map.getNumSymbols(); ++number)
    extents.push_back(Formula::extent(number));
  std::vector<Formula> formulas;
  for (AffineExpr expr : map.getResults())
    formulas.push_back(fromAffine(expr, /*numDims=*/0, extents));
  return formulas;
}

} // namespace distaff
