//===- TrialKernels.cpp - Kernels that are only ranked --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TrialKernels.h"

using namespace distaff;

/// Replaces values of other functions that the ops of `trial` use: constants by
/// copies, others by arguments.
static void isolate(func::FuncOp trial) {
  DenseMap<Value, Value> own;
  trial.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      if (trial.getBody().isAncestor(value.getParentRegion()))
        continue;
      Value &copy = own[value];
      Operation *maker = value.getDefiningOp();
      if (!copy && maker && maker->hasTrait<::mlir::OpTrait::ConstantLike>())
        copy =
            OpBuilder::atBlockBegin(&trial.front()).clone(*maker)->getResult(0);
      else if (!copy)
        copy = trial.front().addArgument(value.getType(), value.getLoc());
      use.set(copy);
    }
  });
}

std::optional<Ranking>
distaff::rankAlone(const Pricing &pricing, ArrayRef<Type> arguments,
                   llvm::function_ref<Value(OpBuilder &, ValueRange)> create,
                   int64_t most) {
  func::FuncOp kernel = pricing.kernel;
  OpBuilder b(kernel);
  auto trial = func::FuncOp::create(b, kernel.getLoc(), "trial",
                                    b.getFunctionType(arguments, {}));
  Block *body = trial.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  Value made = create(inside, body->getArguments());
  func::ReturnOp::create(inside, kernel.getLoc(), made);
  // A ranker keeps kernels for longer than this one lives.
  isolate(trial);
  trial.setFunctionType(
      b.getFunctionType(trial.front().getArgumentTypes(), made.getType()));
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  FailureOr<Ranking> ranking = pricing.ranker.rank(trial, pricing.user, most);
  trial->erase();
  if (failed(ranking) || ranking->empty() || !ranking->winner().fits ||
      ranking->winner().spilled != 0)
    return std::nullopt;
  return *ranking;
}

std::optional<int64_t>
distaff::priceAlone(const Pricing &pricing, ArrayRef<Type> arguments,
                    llvm::function_ref<Value(OpBuilder &, ValueRange)> create,
                    int64_t most) {
  std::optional<Ranking> ranking = rankAlone(pricing, arguments, create, most);
  return ranking ? std::optional(ranking->winner().cost) : std::nullopt;
}
