//===- PcfReplicated.cpp - Phases in the code of each worker --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the two steps of cluster resolution every worker has the code of its
// cluster, and in it the phases of all clusters. Handles are results of casts:
// of the worker's ids in its group, or of no operands for other groups. A
// worker runs the phases of its own group, each with its own payload.
//
//===----------------------------------------------------------------------===//
#include "PcfPhases.h"

using namespace distaff;
using namespace distaff::simt;

// They begin at the next enclosing owner of workers of the phase's scope.
bool simt::isInWorkersCode(pcf::RunThreadOp op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto owner = dyn_cast<pcf::RefOwnerOpInterface>(parent);
        owner && owner.getScope() == op.getScope())
      return !isa<pcf::SharedExecutorOp>(parent);
  return false;
}

// Each worker is the only one in its group.
LogicalResult simt::translateHandleCast(UnrealizedConversionCastOp op,
                                        Translator &t) {
  bool isHandle = op->getNumResults() == 1 &&
                  isa<pcf::ThreadgroupType, pcf::ClusterType>(op.getType(0)) &&
                  llvm::all_of(op->getOperandTypes(),
                               [](Type type) { return type.isIndex(); });
  if (!isHandle || t.lanes() != 1)
    return t.notModelled(op, "the machine does not know this operation");
  Translator::Handle handle = t.handle(t.reg(op.getResult(0)));
  SmallVector<Reg> ids =
      llvm::map_to_vector(op.getInputs(), [&](Value id) { return t.reg(id); });
  t.emit(op, [=](Agent &agent) {
    WorkerBox own;
    own.low.assign(handle.low.size(), 0);
    own.size.assign(handle.low.size(), 1);
    for (auto [dim, id] : llvm::enumerate(ids))
      own.low[dim] = agent.integer(id);
    setNumbers(agent, handle, own, !ids.empty());
  });
  return success();
}

LogicalResult simt::translateOwnPhase(pcf::RunThreadOp op, Translator &t) {
  if (t.lanes() != 1)
    return t.notModelled(op, "a phase in one lane's program");
  Translator::Handle group = t.handle(t.reg(op.getSources().front()));
  Translator::BlockId after =
      beginPhase(op, op.getSources().front(), op.getResult(), t);
  auto regsOf = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return t.reg(v); });
  };
  SmallVector<Reg> fields = payloadOf(op.getSources(), /*isPrivate=*/true, t),
                   arguments = regsOf(op.getPayloadArgs()),
                   ids = regsOf(op.getIds()), results;
  if (op.getResult())
    results = payloadOf(op.getResult(), /*isPrivate=*/true, t);
  t.emit(op, [=](Agent &agent) {
    for (auto [id, own] : llvm::zip_equal(ids, group.low))
      agent.setInteger(id, agent.integer(own));
    for (auto [field, argument] : llvm::zip_equal(fields, arguments))
      giveValue(agent, argument, agent.memberValues(field)->values.front());
  });
  if (failed(t.translateBody(op.getBody().front())))
    return failure();
  SmallVector<Reg> yielded = regsOf(op.getYield()->getOperands());
  t.emit(op, [=](Agent &agent) {
    for (auto [result, value] : llvm::zip(results, yielded)) {
      auto own = std::make_shared<MemberValues>();
      own->values.push_back(takeValue(agent, value));
      agent.memberValues(result) = std::move(own);
    }
  });
  endPhase(op, after, t);
  return success();
}
