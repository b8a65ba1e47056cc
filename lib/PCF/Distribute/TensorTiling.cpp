//===- TensorTiling.cpp - Distributing phases by tiling -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TensorTiling.h"

#include "../Order/PhaseRaces.h"
#include "distaff/PCF/Distribute/Distribution.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns whether a class that the phase uses has no distribution yet.
static bool isOpen(RunClusterOp op, const PayloadClasses &classes,
                   const FixedClasses &fixed) {
  return llvm::any_of(op.getPayloadArgs(),
                      [&](BlockArgument argument) {
                        return !fixed.contains(classes.of(argument));
                      }) ||
         llvm::any_of(op.getYield()->getOpOperands(), [&](OpOperand &operand) {
           return !fixed.contains(classes.of(operand));
         });
}

namespace {
struct TensorTiling final
    : DistributionAttrInterface::ExternalModel<TensorTiling, TensorTilingAttr> {
  LogicalResult match(Attribute attribute, RunClusterOp op,
                      const WorkerGrid &grid, const PayloadClasses &classes,
                      const FixedClasses &fixed,
                      SmallVectorImpl<ClassProposal> &proposals,
                      Refusal &refusal) const {
    std::string &why = refusal.why;
    FailureOr<BodyTiling> tiling = BodyTiling::compute(
        op, cast<TensorTilingAttr>(attribute), grid, classes, fixed, refusal);
    if (failed(tiling))
      return failure();
    auto propose = [&](Value value, unsigned cls) -> LogicalResult {
      const TileMap *map = tiling->lookup(value);
      if (!map)
        return success();
      // A member's elements are repacked if payload has another packing.
      if (auto it = fixed.find(cls);
          it != fixed.end() && it->second.mapping &&
          TileMap::decode(it->second.mapping).placesAs(*map)) {
        proposals.push_back({cls, it->second});
        return success();
      }
      auto type = cast<RankedTensorType>(value.getType());
      // The boxes of a tensor that is padded later, or was clipped, differ in
      // size.
      if (map->getShape() != SmallVector<int64_t>(type.getShape())) {
        why = "payload needs boxes of one size, and " + map->describe() +
              " are more than its extents";
        return failure();
      }
      proposals.push_back(
          {cls,
           {RankedTensorType::get(map->getMemberShape(), type.getElementType()),
            map->encode(op.getContext())}});
      return success();
    };
    for (BlockArgument argument : op.getPayloadArgs())
      if (failed(propose(argument, classes.of(argument))))
        return failure();
    for (OpOperand &operand : op.getYield()->getOpOperands())
      if (failed(propose(operand.get(), classes.of(operand))))
        return failure();
    return isOpen(op, classes, fixed)
               ? success()
               : LogicalResult(needsOneReplica(op, *tiling, grid, refusal));
  }

  void rewrite(Attribute attribute, RunClusterOp op, RunThreadOp newOp,
               ValueRange ids, const WorkerGrid &grid,
               const PayloadClasses &classes, const FixedClasses &fixed,
               RewriterBase &rewriter) const {
    Refusal refusal;
    FailureOr<BodyTiling> tiling = BodyTiling::compute(
        op, cast<TensorTilingAttr>(attribute), grid, classes, fixed, refusal);
    assert(succeeded(tiling) && "what matches can be rewritten");
    rewriteTiled(op, newOp, ids, grid, classes, fixed, *tiling, rewriter);
  }
};
} // namespace

void pcf::registerTensorTiling(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PCFDialect *) {
    TensorTilingAttr::attachInterface<TensorTiling>(*context);
  });
}
