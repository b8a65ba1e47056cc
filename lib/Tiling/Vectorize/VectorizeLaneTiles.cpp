//===- VectorizeLaneTiles.cpp - Layouts from a lowering_config ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is that of the iteration space. A read of an input with all loops
// becomes
//
//   %x = vector.transfer_read ...
//   %l = iree_vector_ext.to_layout %x to layout(...)
//
// and propagation derives the layouts of reduced vectors, results and other
// inputs.
//
//===----------------------------------------------------------------------===//
#include "VectorizeLaneTiles.h"
#include "distaff/Analysis/Layout/LaneTiles.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using iree::LoweringConfigAttr;

FailureOr<LaneTiles> LaneTiles::get(linalg::LinalgOp op) {
  LaneTiles tiles;
  auto config =
      op->getAttrOfType<LoweringConfigAttr>(LoweringConfigAttr::attributeName);
  if (!config || !config.laysOutLanes())
    return tiles;
  auto function = op->getParentOfType<FunctionOpInterface>();
  LaunchSizes sizes = launchSizesOf(function);
  if (!sizes.subgroup)
    return op->emitOpError("says how lanes share its tile, and its function "
                           "has no subgroup_size");
  std::string why;
  std::optional<NestedLayout> layout =
      layOutTile(config, op.getStaticLoopRanges(), *sizes.subgroup, why);
  if (!layout)
    return op->emitOpError("has a `lowering_config` that does not fit: ")
           << why;
  layout->normalize();
  tiles.layout = vector_ext::NestedLayoutAttr::get(op->getContext(), *layout);
  tiles.shape = op.getStaticLoopRanges();
  for (Value input : op.getDpsInputs())
    tiles.inputs.push_back(input);
  for (Value input : tiles.inputs)
    for (Operation *user : input.getUsers())
      tiles.before.insert(user);
  return tiles;
}

void LaneTiles::anchor(RewriterBase &rewriter) const {
  if (!layout)
    return;
  for (Value input : inputs)
    for (Operation *user : llvm::make_early_inc_range(input.getUsers())) {
      auto read = dyn_cast<vector::TransferReadOp>(user);
      if (!read || before.contains(read) ||
          read.getVectorType().getShape() != ArrayRef(shape))
        continue;
      rewriter.setInsertionPointAfter(read);
      auto anchor = vector_ext::ToLayoutOp::create(rewriter, read.getLoc(),
                                                   read.getResult(), layout);
      rewriter.replaceAllUsesExcept(read.getResult(), anchor.getOutput(),
                                    anchor);
    }
}
