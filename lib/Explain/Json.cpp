//===- Json.cpp - JSON output of the explanation --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "llvm/Support/JSON.h"
#include "distaff/Explain/Explain.h"
#include "distaff/Explain/Phases.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using llvm::json::Array;
using llvm::json::Object;

static Array toJson(ArrayRef<int64_t> numbers) {
  Array array;
  for (int64_t number : numbers)
    array.push_back(number);
  return array;
}

static Object toJson(const Alternative &x) {
  return Object{{"what", x.what}, {"cost", x.cost}, {"reason", x.reason}};
}

static Array toJson(const std::vector<Alternative> &alternatives) {
  Array array;
  for (const Alternative &alternative : alternatives)
    array.push_back(toJson(alternative));
  return array;
}

static Object toJson(const KernelDecision &x) {
  Object kernel{
      {"function", x.function},           {"target", x.target},
      {"workgroupSize", x.workgroupSize}, {"subgroupSize", x.subgroupSize},
      {"subgroups", x.subgroups},         {"liveRegisters", x.liveRegisters},
      {"ownBytes", x.ownBytes},           {"allocatedBytes", x.allocatedBytes}};
  const Target *target = lookupTarget(x.target);
  if (target && !target->costSource.empty())
    kernel["costSource"] = target->costSource;
  return kernel;
}

static llvm::json::Value toJson(const std::optional<KernelResources> &x) {
  if (!x)
    return nullptr;
  llvm::json::Value assembled = nullptr;
  if (x->assembled)
    assembled = Object{{"by", x->assembled->by},
                       {"registers", x->assembled->registers},
                       {"spilledBytes", x->assembled->spilledBytes},
                       {"spilledScalars", x->assembled->spilledScalars},
                       {"sharedBytes", x->assembled->sharedBytes}};
  llvm::json::Array arguments;
  for (const WorkgroupArgument &argument : x->workgroupArguments)
    arguments.push_back(Object{{"argument", argument.number},
                               {"symbol", argument.symbol},
                               {"offset", argument.offset},
                               {"bytes", argument.bytes},
                               {"alignment", argument.alignment},
                               {"elementBytes", argument.elementBytes},
                               {"strides", argument.strides}});
  return Object{{"registers", x->registers},
                {"available", x->available},
                {"spilledBytes", x->spilledBytes},
                {"spillsPossible", x->spilledBytes > 0 || x->mayBeFull},
                {"launchBytes", x->launchBytes},
                {"workgroupArguments", std::move(arguments)},
                {"assembled", std::move(assembled)},
                {"whyNotAssembled",
                 x->assembled ? llvm::json::Value(nullptr)
                              : llvm::json::Value(x->whyNotAssembled)}};
}

static Object toJson(const ChoiceDecision &x) {
  return Object{{"line", x.line},
                {"subject", x.subject},
                {"chosen", toJson(x.chosen)},
                {"losers", toJson(x.losers)}};
}

static Object toJson(const SourceOp &x) {
  return Object{{"name", x.name},
                {"operation", x.operation},
                {"line", x.line},
                {"trips", x.trips.known},
                {"tripsKnown", x.trips.areAll}};
}

static Object toJson(const LayoutDecision &x) {
  return Object{{"name", x.name},        {"operation", x.operation},
                {"type", x.type},        {"layout", x.layout},
                {"origin", x.origin},    {"registers", x.registers},
                {"replicas", x.replicas}};
}

static Object toJson(const SharedSide &x) {
  return Object{{"requests", x.requests},
                {"bytes", x.bytes},
                {"wavefronts", x.wavefronts},
                {"ideal", x.ideal},
                {"instruction", x.instruction}};
}

static Object toJson(const ConversionDecision &x) {
  return Object{{"source", x.source},
                {"from", x.from},
                {"to", x.to},
                {"tier", x.tier},
                {"mechanism", x.mechanism},
                {"reason", x.reason},
                {"losers", toJson(x.losers)},
                {"cost", x.cost},
                {"moves", x.moves},
                {"bytePermutes", x.bytePermutes},
                {"selects", x.selects},
                {"shuffles", x.shuffles},
                {"rounds", x.rounds},
                {"packing", x.packing},
                {"addressOps", x.addressOps},
                {"changes", x.changes},
                {"demanded", x.demanded},
                {"promotion", x.promotion},
                {"registerSource", toJson(x.registerSource)},
                {"bytes", x.bytes},
                {"pieces", x.pieces},
                {"barriers", x.barriers},
                {"byElement", x.byElement},
                {"store", toJson(x.store)},
                {"load", toJson(x.load)},
                {"memory", x.memory}};
}

static Object toJson(const ReductionDecision &x) {
  return Object{{"source", x.source},
                {"kind", x.kind},
                {"dims", toJson(x.dims)},
                {"elementsPerLane", x.elementsPerLane},
                {"lanesPerResult", x.lanesPerResult},
                {"stride", x.stride},
                {"subgroupsPerResult", x.subgroupsPerResult},
                {"resultsPerLane", x.resultsPerLane},
                {"rounds", x.rounds},
                {"inOrder", x.inOrder},
                {"replicas", x.replicas}};
}

static Object toJson(const ScanDecision &x) {
  return Object{
      {"source", x.source},       {"kind", x.kind},       {"dim", x.dim},
      {"inclusive", x.inclusive}, {"inOrder", x.inOrder}, {"lanes", x.lanes},
      {"subgroups", x.subgroups}};
}

static Object toJson(const AccessDecision &x) {
  return Object{{"source", x.source},
                {"space", x.space},
                {"instruction", x.instruction},
                {"wavefronts", x.wavefronts},
                {"ideal", x.ideal}};
}

static Object toJson(const CloneDecision &x) {
  return Object{{"layout", x.layout}, {"ops", x.ops}};
}

static Object toJson(const BufferDecision &x) {
  return Object{{"source", x.source}, {"bytes", x.bytes}, {"offset", x.offset}};
}

static Object toJson(const BarrierDecision &x) {
  return Object{{"source", x.source}, {"reason", x.reason}};
}

static StringRef nameOf(CodeRecord::Kind kind) {
  switch (kind) {
  case CodeRecord::Kind::Shuffle:
    return "shuffle";
  case CodeRecord::Kind::Barrier:
    return "barrier";
  case CodeRecord::Kind::Load:
    return "load";
  case CodeRecord::Kind::Store:
    return "store";
  case CodeRecord::Kind::Mma:
    return "mma";
  case CodeRecord::Kind::Other:
    return "other";
  }
  llvm_unreachable("all kinds are listed");
}

static Object toJson(const CodeRecord &x) {
  return Object{{"source", x.source},
                {"kind", nameOf(x.kind)},
                {"space", x.space},
                {"instruction", x.instruction},
                {"bytes", x.bytes},
                {"trips", x.trips.known},
                {"tripsKnown", x.trips.areAll},
                {"conditional", x.isConditional},
                {"takenBySubgroups", x.taken.subgroups},
                {"takenByLanes", x.taken.lanes},
                {"count", x.count}};
}

/// Returns the JSON array of the records for which `isMine` holds.
template <typename Record, typename Predicate>
static Array toJson(const std::vector<Record> &records, Predicate isMine) {
  Array array;
  for (const Record &record : records)
    if (isMine(record))
      array.push_back(toJson(record));
  return array;
}

void distaff::printJson(const Explanation &x, raw_ostream &stream) {
  auto bySource = [&](const auto &record) { return x.isMine(record); };
  auto byName = [&](const auto &record) {
    return record.function == x.function;
  };
  // Records refer to an op by its number, so unused numbers stay in the list.
  Array ops;
  for (const SourceOp &op : x.log.ops)
    ops.push_back(byName(op) ? llvm::json::Value(toJson(op))
                             : llvm::json::Value(nullptr));
  const KernelDecision *kernel = x.kernel();
  Object whole{{"kernel", kernel ? llvm::json::Value(toJson(*kernel))
                                 : llvm::json::Value(nullptr)},
               {"resources", toJson(x.resources)},
               {"function", x.function},
               {"programs", phasesToJson(x.phases)},
               {"lowered", x.isLowered()},
               {"ops", std::move(ops)},
               {"choices", toJson(x.log.choices, byName)},
               {"layouts", toJson(x.log.layouts, byName)},
               {"conversions", toJson(x.log.conversions, bySource)},
               {"reductions", toJson(x.log.reductions, bySource)},
               {"scans", toJson(x.log.scans, bySource)},
               {"accesses", toJson(x.log.accesses, bySource)},
               {"clones", toJson(x.log.clones, byName)},
               {"buffers", toJson(x.log.buffers, byName)},
               {"barriers", toJson(x.log.barriers, byName)},
               {"code", toJson(x.log.code, byName)}};
  stream << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(whole)));
}
