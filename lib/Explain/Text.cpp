//===- Text.cpp - Text output of the explanation --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Explain.h"
#include "distaff/Explain/Phases.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace distaff {
static std::string counted(int64_t count, StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s").str();
}

static std::string joined(ArrayRef<int64_t> numbers, StringRef separator) {
  return llvm::join(
      llvm::map_range(numbers,
                      [](int64_t number) { return std::to_string(number); }),
      separator);
}

static std::string loopsOf(const Trips &trips) {
  if (!trips.areAll)
    return " (in a loop)";
  if (trips.known == 1)
    return "";
  return llvm::formatv(" (loop x{0})", trips.known);
}

namespace {

using Kind = CodeRecord::Kind;

/// Prints the source of the costs if it is not the target's table.
void printCostSource(const Target *target, raw_ostream &os) {
  if (target && !target->costSource.empty())
    os << "costs are those of " << target->costSource << "\n";
}

void printHostHeader(const KernelDecision &kernel, const Target &host,
                     raw_ostream &os) {
  const MatrixUnit &unit = host.simd.matrices;
  std::string matrices;
  if (unit.registers > 0)
    matrices = llvm::formatv(", {0} matrices of {1}x{2} words", unit.registers,
                             unit.rows, unit.words);
  os << llvm::formatv("explain @{0}  {1}  {2} vectors of {3} bits{4} on each "
                      "of {5}\n",
                      kernel.function, kernel.target, host.simd.registers,
                      host.simd.vectorBits, matrices,
                      counted(host.computeUnits, "core"));
  printCostSource(&host, os);
}

void printHeader(const Explanation &x, raw_ostream &os) {
  const KernelDecision &kernel = *x.kernel();
  os << llvm::formatv("explain @{0}  {1}  W={2} w={3} N={4}   ",
                      kernel.function, kernel.target, kernel.workgroupSize,
                      kernel.subgroupSize, kernel.subgroups);
  if (kernel.liveRegisters)
    os << "vector registers/lane <= " << *kernel.liveRegisters << "   ";
  os << llvm::formatv("shared for conversions {0} B, for reductions {1} B",
                      x.conversionBytes(), x.reductionBytes());
  if (int64_t operands = x.operandBytes())
    os << ", for operands " << operands << " B";
  int64_t panels = x.panelBytes();
  if (panels)
    os << ", for panels " << panels << " B";
  if (kernel.ownBytes > panels)
    os << ", own " << kernel.ownBytes - panels << " B";
  if (kernel.allocatedBytes >= 0)
    os << ", in all " << kernel.allocatedBytes << " B allocated";
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Q1
//===----------------------------------------------------------------------===//

/// Prints which source register each register of the result takes, as far as a
/// pattern shows it.
void printRegisterSource(ArrayRef<int64_t> source, raw_ostream &os) {
  constexpr size_t shown = 16;
  os << "      from registers " << joined(source.take_front(shown), ",")
     << (source.size() > shown ? ",...\n" : "\n");
}

/// Prints the planned accesses, and how many of them remain where some are
/// dead.
void printSide(StringRef what, const SharedSide &side,
               std::optional<int64_t> requests, raw_ostream &os) {
  if (side.instruction.empty())
    os << llvm::formatv("{0} of {1} B: ", counted(side.requests, what),
                        side.bytes);
  else
    os << side.requests << " " << side.instruction << ": ";
  os << llvm::formatv("{0} (ideal {1}), ",
                      counted(side.wavefronts, "wavefront"), side.ideal);
  if (requests && *requests != side.requests)
    os << "of which " << *requests << " are left, ";
}

/// Prints shared-memory traffic. Requests are of all lanes of a subgroup,
/// counted over the workgroup.
void printSharedMemory(const Explanation &x, const ConversionDecision &c,
                       raw_ostream &os) {
  os << llvm::formatv("\n      {0} B, ", c.bytes);
  if (c.byElement)
    os << "element by element, since no slices of the value fit into what is "
          "left, ";
  else if (c.pieces > 1)
    os << "in " << c.pieces
       << " pieces since all at once is more than the workgroup has, ";
  if (!c.byElement) {
    auto left = [&](Kind kind) {
      return x.isLowered() ? x.requestsOf(c.source, kind) : std::nullopt;
    };
    printSide("store", c.store, left(Kind::Store), os);
    printSide("load", c.load, left(Kind::Load), os);
  }
  if (x.isLowered())
    os << counted(x.countFor(c.source, Kind::Barrier), "barrier");
  else
    os << "not emitted";
  if (!c.byElement)
    os << "\n      " << c.memory;
}

void printConversion(const Explanation &x, const ConversionDecision &c,
                     raw_ostream &os) {
  const SourceOp &op = x.op(c.source);
  os << llvm::formatv("   {0}: {1} -> {2}\n", op.name, c.from, c.to);
  if (c.tier.empty()) {
    os << "      not distributed\n";
    return;
  }
  os << llvm::formatv("      {0} {1}, {2}, ", c.tier, c.mechanism,
                      counted(c.moves, "move"));
  if (c.bytePermutes != 0)
    os << counted(c.bytePermutes, "byte permute") << ", ";
  if (c.selects != 0)
    os << counted(c.selects, "select") << ", ";
  if (c.rounds != 0)
    os << counted(c.rounds, "round") << " of " << counted(c.packing, "element")
       << ", ";
  if (c.addressOps != 0)
    os << counted(c.addressOps, "address operation") << ", ";
  if (x.isLowered())
    os << counted(x.countFor(c.source, Kind::Shuffle), "shuffle") << ", ";
  os << "cost " << c.cost << loopsOf(op.trips);
  if (c.demanded)
    os << ", marked shared_memory_conversion";
  if (c.tier == "T3")
    printSharedMemory(x, c, os);
  os << "\n";
  if (c.tier == "T1")
    printRegisterSource(c.registerSource, os);
  for (const Alternative &loser : c.losers)
    os << llvm::formatv("      not {0}: {1}\n", loser.what, loser.reason);
}

/// Returns "16 B per access", or "4 B and 16 B per access" where tiles differ.
/// Reads without uses, and reads that another op has done already, are not
/// counted.
std::string widthsOf(const Explanation &x, int64_t source) {
  std::set<int64_t> widths;
  for (const CodeRecord &record : x.log.code)
    if (record.source == source &&
        (record.kind == Kind::Load || record.kind == Kind::Store))
      widths.insert(record.bytes);
  std::string text;
  for (int64_t width : widths)
    text += (text.empty() ? "" : " and ") + std::to_string(width) + " B";
  return text.empty() ? "no access of its own" : text + " per access";
}

void printAccess(const Explanation &x, const AccessDecision &access,
                 raw_ostream &os) {
  const SourceOp &op = x.op(access.source);
  os << llvm::formatv("   {0} {1}: {2} memory", op.name, op.operation,
                      access.space);
  if (!access.instruction.empty() && access.ideal == 0) // global memory
    os << ", " << access.instruction;
  else if (!access.instruction.empty())
    os << llvm::formatv(", {0}, {1} (ideal {2})", access.instruction,
                        counted(access.wavefronts, "wavefront"), access.ideal);
  else if (x.isLowered())
    os << ", " << widthsOf(x, access.source);
  os << "\n";
}

void printFirstQuestion(const Explanation &x, raw_ostream &os) {
  os << "Q1 registers only: "
     << (!x.isLowered()       ? "not known, for the kernel was refused"
         : !x.registersOnly() ? "no"
         : x.operandBytes()   ? "yes, but for operands that are read"
                              : "yes")
     << "\n";
  bool isAny = false;
  for (const ConversionDecision &conversion : x.log.conversions)
    if (x.isMine(conversion) && (conversion.changes || conversion.demanded)) {
      printConversion(x, conversion, os);
      isAny = true;
    }
  if (!isAny)
    os << "   no conversion\n";
  if (x.panelBytes())
    os << "   what is copied to panels passes through shared memory\n";
  for (const AccessDecision &access : x.log.accesses)
    if (x.isMine(access))
      printAccess(x, access, os);
  for (const BarrierDecision &barrier : x.log.barriers)
    if (x.isMine(barrier))
      os << llvm::formatv("   barrier before {0} {1}, which {2}\n",
                          x.op(barrier.source).name,
                          x.op(barrier.source).operation, barrier.reason);
}

//===----------------------------------------------------------------------===//
// Q2
//===----------------------------------------------------------------------===//

void printExchange(const Explanation &x, int64_t source, raw_ostream &os) {
  int64_t bytes = x.exchangedBytes(source);
  if (!x.isLowered()) {
    os << ", not emitted";
    return;
  }
  os << ", " << counted(x.countFor(source, Kind::Shuffle), "shuffle");
  if (bytes) {
    int64_t barriers = x.countFor(source, Kind::Barrier);
    os << llvm::formatv(", {0} B of shared memory and {1}", bytes,
                        barriers == 1 ? "a barrier"
                                      : counted(barriers, "barrier"));
  }
  os << loopsOf(x.op(source).trips);
}

void printReduction(const Explanation &x, const ReductionDecision &r,
                    raw_ostream &os) {
  os << llvm::formatv("   {0} {1}", x.op(r.source).name, r.kind);
  if (!r.dims.empty())
    os << llvm::formatv(" dims [{0}]", joined(r.dims, ", "));
  os << llvm::formatv(
      ": {0}/lane, {1} per result (stride {2}), {3} per result, {4}",
      counted(r.elementsPerLane, "element"), counted(r.lanesPerResult, "lane"),
      r.stride, counted(r.subgroupsPerResult, "subgroup"),
      r.inOrder ? "in order" : counted(r.rounds, "round"));
  printExchange(x, r.source, os);
  os << llvm::formatv("; each result is then on {0}",
                      counted(r.replicas, "lane"));
  if (r.replicas > 1)
    os << llvm::formatv(", which all do what follows ({0}x)", r.replicas);
  os << "\n";
}

void printScan(const Explanation &x, const ScanDecision &scan,
               raw_ostream &os) {
  os << llvm::formatv("   {0} scan {1} dim {2}: {3} and {4} per row",
                      x.op(scan.source).name, scan.kind, scan.dim,
                      counted(scan.lanes, "lane"),
                      counted(scan.subgroups, "subgroup"));
  if (scan.inOrder)
    os << ", in order";
  printExchange(x, scan.source, os);
  os << "\n";
}

void printSecondQuestion(const Explanation &x, raw_ostream &os) {
  os << "Q2 lanes per reduction, and in what follows it\n";
  bool isAny = false;
  for (const ReductionDecision &reduction : x.log.reductions)
    if (x.isMine(reduction)) {
      printReduction(x, reduction, os);
      isAny = true;
    }
  for (const ScanDecision &scan : x.log.scans)
    if (x.isMine(scan)) {
      printScan(x, scan, os);
      isAny = true;
    }
  if (!isAny)
    os << (x.isLowered() ? "   no reduction\n"
                         : "   not known, for the kernel was refused\n");
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

/// Prints for example "contraction: m16n8k16 f16, subgroups 2x1 (cost 64) over
/// ... (cost 130)".
void printChoice(const ChoiceDecision &choice, raw_ostream &os) {
  os << "   " << choice.subject;
  if (choice.line)
    os << " (line " << choice.line << ")";
  auto print = [&](const Alternative &remaining) {
    os << remaining.what;
    if (remaining.reason.empty())
      os << " (cost " << remaining.cost << ")";
    else
      os << " (" << remaining.reason << ")";
  };
  os << ": ";
  print(choice.chosen);
  StringRef separator = " over ";
  for (const Alternative &loser : choice.losers) {
    os << separator;
    print(loser);
    separator = ", ";
  }
  os << "\n";
}

void printChoices(const Explanation &x, raw_ostream &os) {
  bool isFirst = true;
  for (const ChoiceDecision &choice : x.log.choices) {
    if (choice.function != x.function)
      continue;
    os << (isFirst ? "choices\n" : "");
    isFirst = false;
    printChoice(choice, os);
  }
}

std::string describe(const CodeRecord &record) {
  switch (record.kind) {
  case Kind::Shuffle:
    return counted(record.count, "shuffle");
  case Kind::Barrier:
    return counted(record.count, "barrier");
  case Kind::Load:
  case Kind::Store:
    return llvm::formatv(
        "{0} of {1} B, {2} memory",
        counted(record.count, record.kind == Kind::Load ? "load" : "store"),
        record.bytes, record.space);
  case Kind::Mma:
  case Kind::Other:
    return llvm::formatv("{0} {1}", record.count, record.instruction);
  }
  llvm_unreachable("all kinds are listed");
}

/// Prints the instructions that belong to no op printed before: MMA
/// instructions, instructions that only users write, and code that was written
/// for one lane.
void printInstructions(const Explanation &x, raw_ostream &os) {
  bool isFirst = true;
  for (const CodeRecord &record : x.log.code) {
    if (record.function != x.function ||
        (record.source >= 0 && record.kind != Kind::Mma &&
         record.kind != Kind::Other))
      continue;
    os << (isFirst ? "instructions\n   " : "   ");
    isFirst = false;
    if (record.source >= 0)
      os << x.op(record.source).name << " " << x.op(record.source).operation
         << ": ";
    bool isJump = record.isConditional && !record.trips.areAll;
    os << describe(record)
       << (isJump ? " (in a branch or a loop)" : loopsOf(record.trips))
       << (record.isConditional && !isJump ? ", in a branch" : "") << "\n";
  }
}

void printValues(const Explanation &x, raw_ostream &os) {
  os << "layouts\n";
  for (const LayoutDecision &value : x.log.layouts)
    if (value.function == x.function)
      os << llvm::formatv("   {0} {1} {2}: {3}, {4}/lane, on {5}\n", value.name,
                          value.operation, value.type, value.layout,
                          counted(value.registers, "register"),
                          counted(value.replicas, "lane"));
}

void printResources(const Explanation &x, raw_ostream &os) {
  std::vector<std::string> lines = describeResources(x);
  if (lines.empty())
    return;
  os << "resources\n";
  for (const std::string &line : lines)
    os << "   " << line << "\n";
}

} // namespace

void printText(const Explanation &explanation, raw_ostream &stream) {
  auto printPhases = [&] {
    printPhasesText(explanation.phases, explanation.function, stream);
  };
  if (!explanation.kernel()) {
    stream << "explain @" << explanation.function << "\n";
    printChoices(explanation, stream);
    return printPhases();
  }
  const Target *target = lookupTarget(explanation.kernel()->target);
  if (target && target->isHost()) {
    printHostHeader(*explanation.kernel(), *target, stream);
    printChoices(explanation, stream);
    return printInstructions(explanation, stream);
  }
  printHeader(explanation, stream);
  printCostSource(target, stream);
  printResources(explanation, stream);
  printFirstQuestion(explanation, stream);
  printSecondQuestion(explanation, stream);
  printPhases();
  printChoices(explanation, stream);
  printInstructions(explanation, stream);
  printValues(explanation, stream);
}

} // namespace distaff
