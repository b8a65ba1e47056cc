//===- InlineCalls.cpp - Inlining of private functions --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is one function: layouts are chosen for all of it, and a lane has no
// stack. So a call of a private function is replaced by its body. Functions are
// visited callees first; one that is already on the path is recursive.
//
//===----------------------------------------------------------------------===//
#include "distaff/Import/InlineCalls.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Import/Passes.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Rewrite/Guards.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace distaff {
#define GEN_PASS_DEF_INLINECALLS
#include "distaff/Import/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run();

private:
  LogicalResult visit(func::FuncOp function);
  /// Counts the ops that inlining a function creates; fails, with an error at
  /// the call, if there are more than in any kernel.
  LogicalResult count(func::CallOp call, func::FuncOp callee);
  LogicalResult inlineCall(func::CallOp call);
  /// Returns the function whose body may replace the call; null for others.
  func::FuncOp calleeOf(func::CallOp call);

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseSet<Operation *> done, open;
  llvm::DenseMap<Operation *, int64_t> sizes; // ops of each processed function
  int64_t made = 0;                           // ops created by inlining
  llvm::SetVector<Operation *> inlined;
};
} // namespace

func::FuncOp CallInliner::calleeOf(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && callee.isPrivate() && !callee.isExternal() ? callee
                                                              : func::FuncOp();
}

/// Limit of inlined ops; more would not compile in an acceptable time.
static constexpr int64_t mostMade = 1 << 20;

LogicalResult CallInliner::count(func::CallOp call, func::FuncOp callee) {
  auto [it, isNew] = sizes.try_emplace(callee, 0);
  if (isNew)
    callee->walk([&](Operation *) { ++it->second; });
  made += it->second;
  if (made <= mostMade)
    return success();
  return call.emitOpError("calls @")
         << call.getCallee() << ", and with it more than " << mostMade
         << " ops would be inlined; call less often, or in a loop";
}

LogicalResult CallInliner::inlineCall(func::CallOp call) {
  auto target = symbols.lookup<func::FuncOp>(call.getCallee());
  if (target && !target.isPrivate())
    return call.emitOpError("calls @")
           << call.getCallee()
           << ", which is public, so a kernel itself; make it private, then it "
              "is inlined";
  func::FuncOp callee = calleeOf(call);
  if (!callee)
    return success(); // later stages report the call
  if (failed(visit(callee)))
    return failure();
  if (open.contains(callee)) {
    InFlightDiagnostic diagnostic = call.emitOpError("calls @")
                                    << call.getCallee()
                                    << ", which comes to call itself; a kernel "
                                       "repeats by loops of scf";
    diagnostic.attachNote(callee.getLoc()) << "the function";
    return diagnostic;
  }
  if (!callee.getBody().hasOneBlock())
    return call.emitOpError("calls @")
           << call.getCallee()
           << ", which has several blocks and cannot be inlined; branch by "
              "scf.if and return at the end";
  if (failed(count(call, callee)))
    return failure();
  OpBuilder b(call);
  IRMapping map;
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), call.getOperands()))
    map.map(argument, vector_ext::layOutAs(
                          b, operand,
                          callee.getArgAttr(argument.getArgNumber(),
                                            vector_ext::layoutAttributeName)));
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator())
    b.clone(op, map);
  call.replaceAllUsesWith(llvm::map_to_vector(
      body.getTerminator()->getOpOperands(), [&](OpOperand &result) {
        return vector_ext::layOutAs(
            b, map.lookupOrDefault(result.get()),
            callee.getResultAttr(result.getOperandNumber(),
                                 vector_ext::layoutAttributeName));
      }));
  call.erase();
  inlined.insert(callee);
  return success();
}

LogicalResult CallInliner::visit(func::FuncOp function) {
  if (done.contains(function) || !open.insert(function).second)
    return success();
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls)
    if (failed(inlineCall(call)))
      return failure();
  open.erase(function);
  done.insert(function);
  return success();
}

LogicalResult CallInliner::run() {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (isKernel(function) && failed(visit(function)))
      return failure();
  for (Operation *callee : inlined)
    if (SymbolTable::symbolKnownUseEmpty(callee, module))
      callee->erase();
  return success();
}

LogicalResult distaff::inlineCalls(ModuleOp module) {
  avoidWrongFolds(module);
  return CallInliner(module).run();
}

namespace {
struct InlineCallsPass final : distaff::impl::InlineCallsBase<InlineCallsPass> {
  void runOnOperation() override {
    if (failed(inlineCalls(getOperation())))
      signalPassFailure();
  }
};
} // namespace
