//===- Road.cpp - Which stages a kernel goes through ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Road.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {

using compat::TranslationInfoAttr;

/// Those of the table, then those that were registered.
static SmallVectorImpl<const Road *> &roads() {
  static SmallVector<const Road *> list = {&vectorDistribute};
  return list;
}

const Stage *Road::findStage(StringRef stage) const {
  auto found = llvm::find_if(
      stages, [&](const Stage *each) { return each->name == stage; });
  return found == stages.end() ? nullptr : *found;
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
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
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

FailureOr<const Road *> chooseRoad(FunctionOpInterface kernel,
                                   const Road *asked) {
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  StringAttr named = info ? info.getPipeline() : nullptr;
  const Road *own = named ? lookupRoad(named.getValue()) : roads().front();
  if (asked && asked != own)
    setRoad(kernel, *asked);
  if (asked || own)
    return asked ? asked : own;
  InFlightDiagnostic diagnostic = kernel->emitOpError("asks for the pipeline `")
                                  << named.getValue() << "`; there is ";
  llvm::interleaveComma(roads(), diagnostic, [&](const Road *road) {
    diagnostic << road->pipeline;
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

FailureOr<Way> findWay(FunctionOpInterface kernel, const Road *asked) {
  FailureOr<const Road *> road = chooseRoad(kernel, asked);
  if (failed(road))
    return failure();
  return Way{*road, stagesAhead(**road, kernel)};
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
