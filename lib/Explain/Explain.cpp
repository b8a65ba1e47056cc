//===- Explain.cpp - Queries of one kernel's records ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Explain.h"
#include "distaff/Explain/Phases.h"

using namespace distaff;

const KernelDecision *Explanation::kernel() const {
  for (const KernelDecision &known : log.kernels)
    if (known.function == function)
      return &known;
  return nullptr;
}

void distaff::printHtml(const Explanation &explanation, raw_ostream &stream) {
  std::vector<draw::Schedule> schedules;
  for (const PhaseProgram &program : explanation.phases)
    schedules.push_back(scheduleOf(program, explanation.function));
  draw::printHtml("@" + explanation.function, schedules, stream,
                  describeResources(explanation));
}

bool Explanation::isLowered() const {
  return llvm::is_contained(log.lowered, function);
}

/// Returns the share of one run in the `total` of all runs of an op; 0 for an
/// op that never runs.
static int64_t perRun(int64_t total, const SourceOp &op) {
  return total / std::max<int64_t>(1, op.trips.known);
}

int64_t Explanation::countFor(int64_t source, CodeRecord::Kind kind) const {
  int64_t count = 0;
  for (const CodeRecord &record : log.code)
    if (record.source == source && record.kind == kind)
      count += record.count * record.trips.known;
  return perRun(count, op(source));
}

std::optional<int64_t> Explanation::requestsOf(int64_t source,
                                               CodeRecord::Kind kind) const {
  int64_t requests = 0;
  for (const CodeRecord &record : log.code) {
    if (record.source != source || record.kind != kind ||
        record.space != "workgroup")
      continue;
    int64_t subgroups =
        record.isConditional ? record.taken.subgroups : kernel()->subgroups;
    if (subgroups == 0)
      return std::nullopt;
    requests += record.count * record.trips.known * subgroups;
  }
  return perRun(requests, op(source));
}

int64_t Explanation::exchangedBytes(int64_t source) const {
  int64_t bytes = 0;
  for (const BufferDecision &buffer : log.buffers)
    if (buffer.source == source)
      bytes += buffer.bytes;
  return bytes;
}

int64_t Explanation::conversionBytes() const {
  int64_t bytes = 0;
  for (const ConversionDecision &conversion : log.conversions)
    if (isMine(conversion) && !conversion.promotion)
      bytes += conversion.bytes;
  return bytes;
}

int64_t Explanation::operandBytes() const {
  int64_t bytes = 0;
  for (const ConversionDecision &conversion : log.conversions)
    if (isMine(conversion) && conversion.promotion)
      bytes += conversion.bytes;
  return bytes;
}

int64_t Explanation::panelBytes() const {
  int64_t bytes = 0;
  for (const PhaseProgram &program : phases)
    for (const PhaseMemory &memory : program.memories)
      if (memory.kind == PhaseMemory::Kind::Panel)
        bytes += memory.bytes.value_or(0);
  return bytes;
}

int64_t Explanation::reductionBytes() const {
  int64_t bytes = 0;
  for (const ReductionDecision &reduction : log.reductions)
    if (isMine(reduction))
      bytes += exchangedBytes(reduction.source);
  for (const ScanDecision &scan : log.scans)
    if (isMine(scan))
      bytes += exchangedBytes(scan.source);
  return bytes;
}
