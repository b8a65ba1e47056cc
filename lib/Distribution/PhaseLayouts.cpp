//===- PhaseLayouts.cpp - How the vectors of a phase are laid out ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts spread in the body from its anchors, then from the arguments whose
// classes are fixed, then from the yields. What meets another layout on the way
// is kept as it was; that the two cannot be together comes out when the body is
// distributed.
//
//===----------------------------------------------------------------------===//
#include "PhaseLayouts.h"
#include "Blocks.h"
#include "distaff/Layout/Conversion.h"

using namespace distaff;
using vector_ext::VectorLayoutInterface;

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

PhaseLayouts::PhaseLayouts(pcf::RunClusterOp op, VectorLayoutInterface fallback,
                           const PhaseMembers &members,
                           const pcf::PayloadClasses &classes,
                           const pcf::FixedClasses &fixed)
    : op(op), fallback(fallback), members(members), classes(classes),
      fixed(fixed) {
  auto layoutOf = [&](unsigned cls) -> CrossingLayout {
    auto known = fixed.find(cls);
    Attribute mapping =
        known == fixed.end() ? Attribute() : known->second.mapping;
    return {dyn_cast_or_null<VectorLayoutInterface>(mapping), {}};
  };
  for (BlockArgument argument : op.getPayloadArgs())
    arguments.push_back(layoutOf(classes.of(argument)));
  for (OpOperand &operand : op.getYield()->getOpOperands())
    yields.push_back(layoutOf(classes.of(operand)));
  findDemands();
  findWishes();
  findDefaults();
}

bool PhaseLayouts::isOpen(unsigned cls, Type type) const {
  return isa<VectorType>(type) && !fixed.contains(cls);
}

bool PhaseLayouts::hasOpenClass() {
  auto isOpenClass = [&](unsigned cls) { return !fixed.contains(cls); };
  return llvm::any_of(op.getPayloadArgs(),
                      [&](BlockArgument argument) {
                        return isOpenClass(classes.of(argument));
                      }) ||
         llvm::any_of(op.getYield()->getOpOperands(), [&](OpOperand &operand) {
           return isOpenClass(classes.of(operand));
         });
}

/// Whether either becomes the other by renaming every member's registers.
static bool renamesOnly(const Layout &a, const Layout &b,
                        HardwareShape hardware) {
  return a.shape() == b.shape() && a.numRegisters() == b.numRegisters() &&
         classifyConversion(a, b, hardware) <= Tier::RegisterPermutation &&
         classifyConversion(b, a, hardware) <= Tier::RegisterPermutation;
}

bool PhaseLayouts::renames(VectorLayoutInterface a,
                           VectorLayoutInterface b) const {
  if (a == b)
    return true;
  DistributionOptions options = members.getOptions();
  FailureOr<Placement> from = placeFor(a, options, nullptr);
  FailureOr<Placement> to = placeFor(b, options, nullptr);
  HardwareShape hardware{options.numSubgroups, options.subgroupSize};
  if (failed(from) || failed(to) ||
      !renamesOnly(from->layout, to->layout, hardware))
    return false;
  if (!options.keepsBlocks)
    return true;
  // So must the lanes, of which there are as many as that takes.
  Layout blockA = layoutOfBlock(a).getLayout();
  Layout blockB = layoutOfBlock(b).getLayout();
  int64_t lanes = std::max(blockA.neededLanes(), blockB.neededLanes());
  return renamesOnly(blockA, blockB, {/*subgroups=*/1, lanes});
}

void PhaseLayouts::meet(CrossingLayout &crossing, unsigned cls,
                        VectorLayoutInterface layout) {
  bool isConflict = crossing.ofClass && !renames(crossing.ofClass, layout);
  crossing.inside = isConflict ? crossing.ofClass : layout;
  if (!crossing.ofClass || isConflict)
    demands.insert({cls, layout});
}

RegionBoundary PhaseLayouts::getBoundary(bool withYields) {
  RegionBoundary boundary;
  for (auto [argument, layout] :
       llvm::zip_equal(op.getPayloadArgs(), arguments))
    if (layout.inside)
      boundary.inputs.push_back({argument, layout.inside});
  if (withYields)
    for (const CrossingLayout &yield : yields)
      boundary.outputs.push_back(yield.inside);
  return boundary;
}

void PhaseLayouts::findDemands() {
  LayoutMap own = propagateDemands(op.getBody(), {});
  for (auto [argument, layout] :
       llvm::zip_equal(op.getPayloadArgs(), arguments)) {
    if (VectorLayoutInterface needed = own.get(argument))
      meet(layout, classes.of(argument), needed);
    else
      layout.inside = layout.ofClass;
  }
  LayoutMap forward = propagateDemands(op.getBody(), getBoundary(false));
  for (auto [operand, layout] :
       llvm::zip_equal(op.getYield()->getOpOperands(), yields)) {
    if (VectorLayoutInterface made = forward.getUse(operand))
      meet(layout, classes.of(operand), made);
    else
      layout.inside = layout.ofClass;
  }
  LayoutMap backward = propagateDemands(op.getBody(), getBoundary(true));
  for (auto [argument, layout] :
       llvm::zip_equal(op.getPayloadArgs(), arguments))
    if (VectorLayoutInterface needed = backward.get(argument);
        needed && !layout.inside)
      meet(layout, classes.of(argument), needed);
}

void PhaseLayouts::findWishes() {
  LayoutMap known = propagateWhatIsKnown(op.getBody(), getBoundary(true));
  auto wish = [&](unsigned cls, Value value, VectorLayoutInterface layout) {
    if (layout && isOpen(cls, value.getType()) && !demands.contains(cls))
      wishes.insert({cls, layout});
  };
  for (BlockArgument argument : op.getPayloadArgs())
    wish(classes.of(argument), argument, known.get(argument));
  for (OpOperand &operand : op.getYield()->getOpOperands())
    wish(classes.of(operand), operand.get(), known.getUse(operand));
}

void PhaseLayouts::findDefaults() {
  auto take = [&](unsigned cls, Value value) {
    if (isOpen(cls, value.getType()) && !demands.contains(cls) &&
        !wishes.contains(cls) &&
        cast<VectorType>(value.getType()).getShape() ==
            ArrayRef(fallback.getUndistributedShape()))
      defaults.insert({cls, fallback});
  };
  for (BlockArgument argument : op.getPayloadArgs())
    take(classes.of(argument), argument);
  for (OpOperand &operand : op.getYield()->getOpOperands())
    take(classes.of(operand), operand.get());
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
