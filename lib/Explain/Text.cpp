//===- Text.cpp - The explanation as text ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Explain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace distaff {
namespace {

/// "1 lane", "4 lanes"
std::string counted(int64_t count, StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s").str();
}

void printHeader(const Explanation &x, raw_ostream &os) {
  os << llvm::formatv(
      "explain @{0}  {1}  W={2} w={3} N={4}   vector registers/lane <= {5}   "
      "shared for conversions {6} B, for reductions {7} B",
      x.kernel, x.target, x.workgroupSize, x.subgroupSize, x.subgroups,
      x.liveRegisters, x.conversionBytes(), x.reductionBytes());
  if (x.ownBytes)
    os << ", own " << x.ownBytes << " B";
  if (x.allocatedBytes)
    os << ", in all " << *x.allocatedBytes << " B allocated";
  os << "\n";
}

/// Which register of the source each register of the result takes, as far as
/// a pattern shows.
void printRegisterSource(ArrayRef<int64_t> source, raw_ostream &os) {
  constexpr size_t shown = 16;
  os << "      from registers ";
  llvm::interleave(source.take_front(shown), os, ",");
  os << (source.size() > shown ? ",...\n" : "\n");
}

void printSide(StringRef what, const SharedAccess &side, int64_t elementBytes,
               raw_ostream &os) {
  os << llvm::formatv("{0} of {1} B: {2} (ideal {3}), ",
                      counted(side.requests, what), side.width * elementBytes,
                      counted(side.wavefronts, "wavefront"), side.ideal);
}

/// Requests are of all lanes of a subgroup, counted over the workgroup.
void printSharedMemory(const SharedMemoryPlan &plan, int64_t barriers,
                       raw_ostream &os) {
  os << llvm::formatv("\n      {0} B, ", plan.bytes);
  if (plan.pieces() > 1)
    os << "in " << plan.pieces()
       << " pieces since all at once is more than the workgroup has, ";
  printSide("store", plan.store, plan.elementBytes, os);
  printSide("load", plan.load, plan.elementBytes, os);
  os << counted(barriers, "barrier") << "\n      " << toString(plan.memory);
}

void printConversion(const ConversionRecord &c, raw_ostream &os) {
  const ConversionPlan &plan = c.plan;
  os << llvm::formatv("   {0}: {1} -> {2}\n", c.name, c.source, c.result);
  os << llvm::formatv("      {0} {1}, {2}, {3}, cost {4}",
                      stringifyTier(plan.tier), describeTier(plan.tier),
                      counted(plan.counts.moves, "move"),
                      counted(plan.counts.shuffleWords, "shuffle"), plan.cost);
  if (c.trips > 1)
    os << llvm::formatv(" (loop x{0})", c.trips);
  if (c.forced)
    os << ", marked shared_memory_conversion";
  if (plan.byElement)
    os << llvm::formatv(
        "\n      {0} B, element by element, since no slices of the value fit "
        "into what is left, {1}",
        plan.counts.sharedBytes, counted(plan.counts.barriers, "barrier"));
  else if (plan.tier == Tier::SharedMemory && plan.shared)
    printSharedMemory(*plan.shared, plan.counts.barriers, os);
  os << "\n";
  if (plan.tier == Tier::RegisterPermutation)
    printRegisterSource(plan.registerSource, os);
  for (const TierReport &tier : plan.tiers)
    if (tier.tier != plan.tier && !tier.reason.empty())
      os << llvm::formatv("      not {0}: {1}\n", stringifyTier(tier.tier),
                          tier.reason);
}

void printFirstQuestion(const Explanation &x, raw_ostream &os) {
  os << "Q1 registers only: " << (x.registersOnly() ? "yes" : "no") << "\n";
  if (x.conversions.empty())
    os << "   no conversion\n";
  for (const ConversionRecord &conversion : x.conversions)
    printConversion(conversion, os);
  for (const AccessRecord &access : x.accesses)
    os << llvm::formatv("   {0} {1}: {2} memory, {3} B per access\n",
                        access.name, access.op, access.space,
                        access.bytesPerAccess);
}

void printSecondQuestion(const Explanation &x, raw_ostream &os) {
  os << "Q2 lanes per reduction, and in what follows it\n";
  if (x.reductions.empty())
    os << "   no reduction\n";
  for (const ReductionRecord &r : x.reductions) {
    os << llvm::formatv(
        "   {0} {1} dims [{2}]: {3}/lane, {4} per result (stride {5}), "
        "{6} per result, {7}, {8}",
        r.name, r.kind,
        llvm::join(llvm::map_range(
                       r.dims, [](int64_t dim) { return std::to_string(dim); }),
                   ", "),
        counted(r.elementsPerLane, "element"),
        counted(r.lanesPerResult, "lane"), r.stride,
        counted(r.subgroupsPerResult, "subgroup"), counted(r.rounds, "round"),
        counted(r.shuffles, "shuffle"));
    if (r.sharedBytes)
      os << llvm::formatv(", {0} B of shared memory and a barrier",
                          r.sharedBytes);
    os << llvm::formatv("; each result is then on {0}",
                        counted(r.replicas, "lane"));
    if (r.replicas > 1)
      os << llvm::formatv(", which all do what follows ({0}x)", r.replicas);
    os << "\n";
  }
}

void printValues(const Explanation &x, raw_ostream &os) {
  os << "layouts\n";
  for (const ValueRecord &value : x.values)
    os << llvm::formatv("   {0} {1} {2}: {3}, {4}/lane, on {5}\n", value.name,
                        value.op, value.type, value.layout,
                        counted(value.registers, "register"),
                        counted(value.replicas, "lane"));
}

} // namespace

void printText(const Explanation &explanation, raw_ostream &stream) {
  printHeader(explanation, stream);
  printFirstQuestion(explanation, stream);
  printSecondQuestion(explanation, stream);
  if (!explanation.choices.empty()) {
    stream << "choices\n";
    for (const std::string &choice : explanation.choices)
      stream << "   " << choice << "\n";
  }
  printValues(explanation, stream);
}

} // namespace distaff
