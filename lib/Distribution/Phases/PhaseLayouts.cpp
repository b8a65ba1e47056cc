//===- PhaseLayouts.cpp - Layouts of the vectors of a phase ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts propagate in the body from its anchors, then from the arguments whose
// classes are fixed, then from the yields. A value that already has another
// layout keeps it; the distribution of the body reports the conflict.
//
//===----------------------------------------------------------------------===//
#include "PhaseLayouts.h"
#include "../Exchange/Blocks.h"
#include "../Exchange/RenamedRegisters.h"

using namespace distaff;
using vector_ext::VectorLayoutInterface;

PhaseLayouts::PhaseLayouts(pcf::RunClusterOp op, const PhaseBody &body,
                           VectorLayoutInterface fallback,
                           const PhaseMembers &members,
                           const pcf::PayloadClasses &classes,
                           const pcf::FixedClasses &fixed)
    : body(body), fallback(fallback), members(members), classes(classes),
      fixed(fixed) {
  auto crossing = [&](unsigned cls) -> CrossingLayout {
    auto known = fixed.find(cls);
    Attribute mapping =
        known == fixed.end() ? Attribute() : known->second.mapping;
    return {cls, dyn_cast_or_null<VectorLayoutInterface>(mapping), {}};
  };
  for (BlockArgument argument : op.getPayloadArgs())
    arguments.push_back(crossing(classes.of(argument)));
  for (OpOperand &operand : op.getYield()->getOpOperands())
    yields.push_back(crossing(classes.of(operand)));
  findDemands();
  findWishes();
  findDefaults();
}

bool PhaseLayouts::isOpen(unsigned cls, Value value) const {
  return isa<VectorType>(value.getType()) && !fixed.contains(cls);
}

bool PhaseLayouts::hasOpenClass() const {
  auto isOpenClass = [&](const CrossingLayout &crossing) {
    return !fixed.contains(crossing.cls);
  };
  return llvm::any_of(arguments, isOpenClass) ||
         llvm::any_of(yields, isOpenClass);
}

void PhaseLayouts::meet(CrossingLayout &crossing,
                        VectorLayoutInterface layout) {
  bool isConflict = crossing.ofClass && !areRenamings(crossing.ofClass, layout,
                                                      members.getOptions());
  crossing.inside = isConflict ? crossing.ofClass : layout;
  if (!crossing.ofClass || isConflict)
    demands.insert({crossing.cls, layout});
}

RegionBoundary PhaseLayouts::getBoundary(bool withYields) const {
  RegionBoundary boundary;
  for (auto [argument, layout] : llvm::zip_equal(body.getPayload(), arguments))
    if (layout.inside)
      boundary.inputs.push_back({argument, layout.inside});
  if (withYields)
    for (const CrossingLayout &yield : yields)
      boundary.outputs.push_back(yield.inside);
  return boundary;
}

void PhaseLayouts::findDemands() {
  LayoutMap own = propagateDemands(body.getRegion(), {});
  for (auto [argument, layout] :
       llvm::zip_equal(body.getPayload(), arguments)) {
    if (VectorLayoutInterface needed = own.get(argument))
      meet(layout, needed);
    else
      layout.inside = layout.ofClass;
  }
  LayoutMap forward = propagateDemands(body.getRegion(), getBoundary(false));
  for (auto [operand, layout] :
       llvm::zip_equal(body.getYield()->getOpOperands(), yields)) {
    if (VectorLayoutInterface made = forward.getUse(operand))
      meet(layout, made);
    else
      layout.inside = layout.ofClass;
  }
  LayoutMap backward = propagateDemands(body.getRegion(), getBoundary(true));
  for (auto [argument, layout] : llvm::zip_equal(body.getPayload(), arguments))
    if (VectorLayoutInterface needed = backward.get(argument);
        needed && !layout.inside)
      meet(layout, needed);
}

void PhaseLayouts::findWishes() {
  LayoutMap known = propagateWhatIsKnown(body.getRegion(), getBoundary(true));
  auto wish = [&](unsigned cls, Value value, VectorLayoutInterface layout) {
    if (layout && isOpen(cls, value) && !demands.contains(cls))
      wishes.insert({cls, layout});
  };
  for (auto [argument, layout] : llvm::zip_equal(body.getPayload(), arguments))
    wish(layout.cls, argument, known.get(argument));
  for (auto [operand, layout] :
       llvm::zip_equal(body.getYield()->getOpOperands(), yields))
    wish(layout.cls, operand.get(), known.getUse(operand));
}

void PhaseLayouts::findDefaults() {
  auto take = [&](unsigned cls, Value value) {
    if (isOpen(cls, value) && !demands.contains(cls) && !wishes.contains(cls) &&
        cast<VectorType>(value.getType()).getShape() ==
            ArrayRef(fallback.getUndistributedShape()))
      defaults.insert({cls, fallback});
  };
  for (auto [argument, layout] : llvm::zip_equal(body.getPayload(), arguments))
    take(layout.cls, argument);
  for (auto [operand, layout] :
       llvm::zip_equal(body.getYield()->getOpOperands(), yields))
    take(layout.cls, operand.get());
}

LogicalResult
PhaseLayouts::propose(SmallVectorImpl<pcf::ClassProposal> &proposals,
                      std::string &why) {
  DistributionOptions options = members.getOptions();
  for (auto [found, kind] : {std::pair(&demands, pcf::ProposalKind::Demand),
                             std::pair(&wishes, pcf::ProposalKind::Wish),
                             std::pair(&defaults, pcf::ProposalKind::Default)})
    for (auto [cls, layout] : *found) {
      FailureOr<Placement> placement = placeFor(layout, options, &why);
      if (failed(placement))
        return failure();
      Type element = getElementTypeOrSelf(classes.sharedType(cls));
      proposals.push_back({cls, {placement->type(element), layout}, kind});
    }
  return success();
}
