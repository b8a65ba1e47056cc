//===- Costs.cpp - Costs of a target's instructions, by name --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/Costs.h"
#include "Tables.h"

using namespace distaff;

PricedTarget::PricedTarget(const Target &from, llvm::StringRef source)
    : source(source.str()), target(from), mma(from.mma.begin(), from.mma.end()),
      ops(from.ops.begin(), from.ops.end()) {
  target.mma = mma;
  target.ops = ops;
  target.costSource = this->source;
}

PricedTarget::~PricedTarget() {
  if (replaced)
    replaceTarget(target, *replaced);
}

void PricedTarget::install() {
  replaced = lookupTarget(target.name);
  replaceTarget(*replaced, target);
}

llvm::SmallVector<CostField> PricedTarget::fields() {
  MoveCosts &moves = target.costs;
  GlobalMemoryModel &global = target.globalMemory;
  IssueModel &issue = target.issue;
  llvm::SmallVector<CostField> all = {
      {"moves", "move", &moves.move},
      {"moves", "bytePermute", &moves.bytePermute},
      {"moves", "select", &moves.select},
      {"moves", "shuffle", &moves.shuffle},
      {"moves", "sharedWavefront", &moves.sharedWavefront},
      {"moves", "barrier", &moves.barrier},
      {"moves", "addressOp", &moves.addressOp},
      {"moves", "laneReduction", &target.laneReductionCost},
      {"globalMemory", "access", &global.issueCost},
      {"globalMemory", "sector", &global.sectorCost},
      {"globalMemory", "latency", &global.latency},
      {"issue", "multiplyAdd", &issue.multiplyAdd, 1},
      {"issue", "division", &issue.division, 1},
      {"issue", "function", &issue.function, 1},
      {"issue", "shuffleLatency", &issue.shuffleLatency},
      {"issue", "meetingLatency", &issue.meetingLatency},
      {"issue", "handOut", &issue.handOut},
      {"issue", "start", &issue.start},
      {"code", "instructionCache", &target.instructionCacheBytes, 4096}};
  if (target.isHost()) {
    SimdCosts &simd = target.simd.costs;
    all.append({{"simd", "arithmetic", &simd.arithmetic, 1},
                {"simd", "division", &simd.division, 1},
                {"simd", "load", &simd.load, 1},
                {"simd", "store", &simd.store, 1},
                {"simd", "maskedLoad", &simd.maskedLoad, 1},
                {"simd", "maskedStore", &simd.maskedStore, 1},
                {"simd", "shuffle", &simd.shuffle, 1},
                {"simd", "element", &simd.element, 1},
                {"simd", "broadcast", &simd.broadcast, 1}});
  }
  if (MatrixUnit &unit = target.simd.matrices; unit.registers > 0)
    all.append({{"matrices", "product", &unit.product, 1},
                {"matrices", "load", &unit.load, 1},
                {"matrices", "latency", &unit.latency, 1}});
  for (MmaRow &row : mma)
    all.push_back({"mma", row.name, &row.issueCost, 1, /*mayBeInfinite=*/true});
  for (TargetOp &op : ops)
    all.push_back({"ops", op.name, &op.issueCost, 1, /*mayBeInfinite=*/true});
  return all;
}
