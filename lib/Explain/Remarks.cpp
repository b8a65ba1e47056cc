//===- Remarks.cpp - Decisions as remarks ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;

/// Returns for example "; not X, which costs 7".
static std::string describeLosers(ArrayRef<Alternative> losers) {
  std::string text;
  for (const Alternative &loser : losers)
    text += "; not " + loser.what + ": " +
            (loser.reason.empty() ? "cost " + std::to_string(loser.cost)
                                  : loser.reason);
  return text;
}

static Remark describe(const ChoiceDecision &choice) {
  const Alternative &chosen = choice.chosen;
  return {choice.line,
          choice.subject + ": " + chosen.what +
              (chosen.reason.empty() ? ", cost " + std::to_string(chosen.cost)
                                     : ", since " + chosen.reason) +
              describeLosers(choice.losers)};
}

static Remark describe(const ConversionDecision &c, const SourceOp &op) {
  if (c.tier.empty())
    return {op.line,
            "conversion from " + c.from + " to " + c.to + ": not distributed"};
  std::string text = llvm::formatv(
      "conversion from {0} to {1}: {2} {3}, cost {4}, {5} moves, {6} selects, "
      "{7} shuffles in {8} rounds of {9} elements, {10} bytes of shared memory "
      "in {11} wavefronts, since {12}",
      c.from, c.to, c.tier, c.mechanism, c.cost, c.moves, c.selects, c.shuffles,
      c.rounds, c.packing, c.bytes, c.store.wavefronts + c.load.wavefronts,
      c.reason);
  return {op.line, text + describeLosers(c.losers)};
}

static Remark describe(const ReductionDecision &r, const SourceOp &op) {
  return {op.line,
          llvm::formatv("{0} of {1} elements per lane, {2} lanes and {3} "
                        "subgroups per result, {4}; each result is then on {5} "
                        "lanes",
                        r.kind, r.elementsPerLane, r.lanesPerResult,
                        r.subgroupsPerResult,
                        r.inOrder ? std::string("in order")
                                  : std::to_string(r.rounds) + " rounds",
                        r.replicas)};
}

static Remark describe(const ScanDecision &scan, const SourceOp &op) {
  return {op.line, llvm::formatv("{0} scan of {1} lanes and {2} subgroups per "
                                 "row{3}",
                                 scan.kind, scan.lanes, scan.subgroups,
                                 scan.inOrder ? ", in order" : "")};
}

std::vector<Remark> distaff::remarksOf(const DecisionLog &log) {
  std::vector<Remark> remarks;
  for (const ChoiceDecision &choice : log.choices)
    remarks.push_back(describe(choice));
  for (const CloneDecision &clone : log.clones)
    remarks.push_back({0, llvm::formatv("a chain of {0} ops is computed again "
                                        "in the layout {1}",
                                        clone.ops, clone.layout)});
  for (const ConversionDecision &conversion : log.conversions)
    if (conversion.changes || conversion.demanded)
      remarks.push_back(describe(conversion, log.ops[conversion.source]));
  for (const ReductionDecision &reduction : log.reductions)
    remarks.push_back(describe(reduction, log.ops[reduction.source]));
  for (const ScanDecision &scan : log.scans)
    remarks.push_back(describe(scan, log.ops[scan.source]));
  return remarks;
}
