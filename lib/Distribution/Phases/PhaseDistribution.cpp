//===- PhaseDistribution.cpp - Distribution of phases by layouts ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementation B of the distribution of phases: propagation in a phase's body
// finds its proposals (PhaseLayouts.h); when all of its classes are fixed,
// a copy of the body is distributed (PhaseWorkshop.h).
//
//===----------------------------------------------------------------------===//
#include "PhaseWorkshop.h"
#include "distaff/Dialect/PCF/Distribution.h"
#include "distaff/Distribution/Phases/Phases.h"

using namespace distaff;
using vector_ext::NestedLayoutAttr;

namespace {
struct LayoutBased final
    : pcf::DistributionAttrInterface::ExternalModel<LayoutBased,
                                                    NestedLayoutAttr> {
  LogicalResult match(Attribute attribute, pcf::RunClusterOp op,
                      const pcf::WorkerGrid &grid,
                      const pcf::PayloadClasses &classes,
                      const pcf::FixedClasses &fixed,
                      SmallVectorImpl<pcf::ClassProposal> &proposals,
                      pcf::Refusal &refusal) const {
    std::string &why = refusal.why;
    auto fallback = cast<NestedLayoutAttr>(attribute);
    FailureOr<PhaseMembers> members = PhaseMembers::of(op, grid, why);
    if (failed(members))
      return failure();
    FailureOr<PhaseBody> body = PhaseBody::copy(op, grid, *members, why);
    if (failed(body))
      return failure();
    PhaseLayouts layouts(op, *body, fallback, *members, classes, fixed);
    if (failed(layouts.propose(proposals, why)))
      return failure();
    if (!proposals.empty() || layouts.hasOpenClass())
      return success();
    return PhaseWorkshop(std::move(*body), *members, layouts, fallback,
                         op.getScope())
        .distribute(why);
  }

  void rewrite(Attribute attribute, pcf::RunClusterOp op,
               pcf::RunThreadOp newOp, ValueRange ids,
               const pcf::WorkerGrid &grid, const pcf::PayloadClasses &classes,
               const pcf::FixedClasses &fixed, RewriterBase &rewriter) const {
    auto fallback = cast<NestedLayoutAttr>(attribute);
    std::string why;
    FailureOr<PhaseMembers> members = PhaseMembers::of(op, grid, why);
    assert(succeeded(members) && "what matches has members");
    FailureOr<PhaseBody> body = PhaseBody::copy(op, grid, *members, why);
    assert(succeeded(body) && "what matches has vectors");
    PhaseLayouts layouts(op, *body, fallback, *members, classes, fixed);
    PhaseWorkshop workshop(std::move(*body), *members, layouts, fallback,
                           op.getScope());
    LogicalResult distributed = workshop.distribute(why);
    (void)distributed;
    assert(succeeded(distributed) && "what matches can be distributed");
    workshop.moveInto(newOp, ids, rewriter);
  }

  Value relay(Attribute, pcf::RunClusterOp op, const pcf::WorkerGrid &grid,
              Value value, const pcf::ClassDistribution &to,
              OpBuilder &builder) const {
    std::string why;
    FailureOr<PhaseMembers> members = PhaseMembers::of(op, grid, why);
    if (failed(members) || !members->whyAlone.empty())
      return {};
    return vector_ext::ToLayoutOp::create(
        builder, value.getLoc(), value,
        cast<vector_ext::VectorLayoutInterface>(to.mapping));
  }
};
} // namespace

void distaff::registerPhaseDistribution(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, vector_ext::VectorExtDialect *) {
        NestedLayoutAttr::attachInterface<LayoutBased>(*context);
      });
}
