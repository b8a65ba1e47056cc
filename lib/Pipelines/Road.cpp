//===- Road.cpp - Which stages a kernel goes through ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Road.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Pipelines/HostRoad.h"
#include "distaff/Pipelines/RunCluster.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "distaff/Target/Target.h"
#include "distaff/Transforms/PCF/Transforms.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {

using compat::TranslationInfoAttr;

/// Those of the table, then those that were registered.
static SmallVectorImpl<const Road *> &roads() {
  static SmallVector<const Road *> list = {&vectorDistribute, &runCluster,
                                           &hostRoad};
  return list;
}

const Stage *Road::lastUnasked() const {
  ArrayRef<const Stage *> unasked = stages;
  while (unasked.size() > 1 && unasked.back()->isOnRequest)
    unasked = unasked.drop_back();
  return unasked.back();
}

const Stage *Road::findStage(StringRef stage) const {
  auto found = llvm::find_if(
      stages, [&](const Stage *each) { return each->name == stage; });
  return found == stages.end() ? nullptr : *found;
}

namespace {
struct SpecializationName {
  Specialization specialization;
  StringLiteral name;
};
} // namespace

static constexpr SpecializationName specializations[] = {
    {Specialization::None, "none"},
    {Specialization::ProducerConsumer, "producer-consumer"},
    {Specialization::PingPong, "ping-pong"}};

std::optional<Specialization> lookupSpecialization(StringRef name) {
  for (const SpecializationName &row : specializations)
    if (row.name == name)
      return row.specialization;
  return std::nullopt;
}

StringRef stringOf(Specialization specialization) {
  for (const SpecializationName &row : specializations)
    if (row.specialization == specialization)
      return row.name;
  llvm_unreachable("every specialization has a row");
}

std::string listSpecializations() {
  return llvm::join(
      llvm::map_range(specializations,
                      [](const SpecializationName &row) { return row.name; }),
      ", ");
}

template <typename Rows> static std::string listNames(const Rows &rows) {
  return llvm::join(
      llvm::map_range(rows, [](const auto *row) { return row->name; }), ", ");
}

std::string Road::listStages() const { return listNames(stages); }

const Road *lookupRoad(StringRef name) {
  auto found = llvm::find_if(roads(), [&](const Road *road) {
    return road->name == name || road->pipeline == name;
  });
  return found == roads().end() ? nullptr : *found;
}

ArrayRef<const Road *> allRoads() { return roads(); }

std::string listRoads() { return listNames(roads()); }

RoadRegistration::RoadRegistration(const Road &road) : road(&road) {
  assert(!lookupRoad(road.name) && !lookupRoad(road.pipeline) &&
         "a name means one road");
  assert(!road.stages.empty() && "a road leads somewhere");
  roads().push_back(&road);
}

RoadRegistration::~RoadRegistration() { llvm::erase(roads(), road); }

/// Makes a kernel's translation_info say which road it takes.
static void setRoad(FunctionOpInterface kernel, const Road &road) {
  Attribute written = kernel->getAttr(TranslationInfoAttr::attributeName);
  auto info = dyn_cast_or_null<TranslationInfoAttr>(written);
  if (written && !info) // Refused where it is read.
    return;
  MLIRContext *context = kernel.getContext();
  context->getOrLoadDialect<compat::IREECodegenDialect>();
  auto pipeline = StringAttr::get(context, road.pipeline);
  kernel->setAttr(TranslationInfoAttr::attributeName,
                  info ? TranslationInfoAttr::get(
                             context, pipeline, info.getWorkgroupSize(),
                             info.getSubgroupSize(), info.getConfiguration())
                       : TranslationInfoAttr::get(context, pipeline,
                                                  /*workgroupSize=*/{},
                                                  /*subgroupSize=*/0,
                                                  /*configuration=*/nullptr));
}

/// The pipeline that a kernel's translation_info names; null where it does not.
static StringAttr pipelineOf(FunctionOpInterface kernel) {
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  return info ? info.getPipeline() : nullptr;
}

const Road *ownRoadOf(FunctionOpInterface kernel, const Target &target) {
  if (target.isHost())
    return *llvm::find_if(roads(),
                          [](const Road *road) { return road->isOfHost; });
  if (StringAttr named = pipelineOf(kernel))
    return lookupRoad(named.getValue());
  // Code of a group, or of its workers, has been through a stage of the
  // pipeline that has such.
  if (startsWorkers(kernel))
    for (const Road *road : roads())
      if (stagesAhead(*road, kernel).size() < road->stages.size())
        return road;
  return roads().front();
}

/// Fails where a kernel's road does not lead to the target.
static LogicalResult checkLeadsTo(FunctionOpInterface kernel, const Road &road,
                                  const Target &target) {
  if (road.isOfHost && !target.isHost())
    return kernel.emitOpError("cannot go the road ")
           << road.name << " to " << target.name
           << ": it leads to code for CPUs";
  if (!target.isHost())
    return success();
  if (!road.isOfHost)
    return kernel.emitOpError("cannot go the road ")
           << road.name << " to " << target.name
           << ": it shares work among the subgroups and lanes of a workgroup, "
              "of which a CPU's has one; leave out --pipeline";
  if (startsWorkers(kernel) || levelOf(kernel) == Level::Lane)
    return kernel.emitOpError("says which subgroups or lanes run what, and a "
                              "workgroup of ")
           << target.name
           << " has one of each; give it the kernel as linalg or as a "
              "workgroup's vectors";
  return success();
}

FailureOr<const Road *> chooseRoad(FunctionOpInterface kernel,
                                   const Target &target, const Road *asked) {
  const Road *own = ownRoadOf(kernel, target), *road = asked;
  if (!asked)
    road = own;
  if (road) {
    if (failed(checkLeadsTo(kernel, *road, target)))
      return failure();
    if (road != own)
      setRoad(kernel, *road);
    return road;
  }
  InFlightDiagnostic diagnostic = kernel->emitOpError("asks for the pipeline `")
                                  << pipelineOf(kernel).getValue()
                                  << "`; there is ";
  llvm::interleaveComma(roads(), diagnostic, [&](const Road *known) {
    diagnostic << known->pipeline;
  });
  return diagnostic << ", or choose with --pipeline";
}

ArrayRef<const Stage *> stagesAhead(const Road &road,
                                    FunctionOpInterface kernel) {
  ArrayRef<const Stage *> behind = road.stages;
  while (!behind.empty() &&
         !(behind.back()->isBehind && behind.back()->isBehind(kernel)))
    behind = behind.drop_back();
  return road.stages.drop_front(behind.size());
}

FailureOr<Way> findWay(FunctionOpInterface kernel, const Target &target,
                       const Road *asked) {
  FailureOr<const Road *> road = chooseRoad(kernel, target, asked);
  if (failed(road))
    return failure();
  return Way{*road, stagesAhead(**road, kernel)};
}

bool isTakenByRoad(FunctionOpInterface kernel, const Target &target,
                   const Road *asked) {
  const Road *road = asked ? asked : ownRoadOf(kernel, target);
  // A loop over workgroups is launched as tile says.
  auto source = dyn_cast<func::FuncOp>(*kernel);
  if (road && !road->isOfHost && source && pcf::isRaisable(source))
    return true;
  return road && stagesAhead(*road, kernel).size() < road->stages.size() &&
         (asked || findGridFunction(kernel));
}

LogicalResult findLastStage(Location loc, const Road &road, StringRef name,
                            const Stage *&last) {
  last = road.findStage(name);
  if (last || name.empty())
    return success();
  return emitError(loc, "there is no stage '")
         << name << "' on the road " << road.name << ", which is "
         << road.listStages();
}

} // namespace distaff
