//===- PhaseBody.cpp - A phase's body in a function of its own ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseBody.h"
#include "PhaseSeeds.h"
#include "PhaseVectors.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace distaff;

/// Returns whether an owner of refs is the only user of a memref, so that the
/// memref has no alias in a phase.
static bool isOnlyOf(Value memref, Operation *owner) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    return user == owner || isa<memref::DimOp>(user);
  });
}

/// Returns whether two such refs or memrefs never alias.
static bool isOwnMemory(Value ref) {
  if (isa_and_nonnull<pcf::AllocOp, memref::AllocOp>(ref.getDefiningOp()))
    return true;
  auto argument = dyn_cast<BlockArgument>(ref);
  if (!argument)
    return false;
  auto owner =
      dyn_cast<pcf::RefOwnerOpInterface>(argument.getOwner()->getParentOp());
  if (!owner)
    return isFunctionArgument(ref);
  if (!llvm::is_contained(owner.getRefArgs(), argument))
    return true;
  // Two refs of one memref alias.
  unsigned number = argument.getArgNumber() - owner.getNumLeadingArgs();
  OpOperand *source = owner.getSourceOfRef(number);
  return !source || !isa<BaseMemRefType>(source->get().getType()) ||
         (llvm::count(owner->getOperands(), source->get()) == 1 &&
          isOnlyOf(source->get(), owner));
}

/// Returns whether a value is a view of a memref. A phase makes the view
/// itself, so that the root memory is visible there.
static bool isView(Value value) {
  Operation *definition = value.getDefiningOp();
  return isa<MemRefType>(value.getType()) &&
         isa_and_nonnull<ViewLikeOpInterface>(definition) &&
         isPure(definition) && definition->getNumRegions() == 0;
}

void PhaseBody::capture(Value value, OpBuilder &builder, IRMapping &mapping) {
  Operation *definition = value.getDefiningOp();
  if (definition && definition->hasTrait<OpTrait::ConstantLike>()) {
    builder.clone(*definition, mapping);
    return;
  }
  if (mapping.contains(value))
    return;
  if (isView(value)) {
    for (Value operand : definition->getOperands())
      capture(operand, builder, mapping);
    builder.clone(*definition, mapping);
    return;
  }
  Value argument = getBlock().addArgument(value.getType(), value.getLoc());
  captured.push_back(value);
  mapping.map(value, argument);
}

/// Replaces memory that may alias other memory by the result of an unknown op.
/// Patterns would fold that op, so it is inserted after all of them.
void PhaseBody::markUnknownMemory(OpBuilder &builder) {
  for (auto [value, argument] :
       llvm::zip(captured, getBlock().getArguments())) {
    if (!isa<MemRefType, pcf::SRefType>(value.getType()) || isOwnMemory(value))
      continue;
    auto unknown = UnrealizedConversionCastOp::create(
        builder, value.getLoc(), value.getType(), argument);
    unknownMemory.push_back(unknown);
    argument.replaceAllUsesExcept(unknown.getResult(0), unknown);
  }
}

/// Adds arguments for the ids of the grid; the members count from the fastest.
void PhaseBody::makeIds(const pcf::WorkerGrid &grid, bool areLanes,
                        Location loc, OpBuilder &builder) {
  SmallVector<Value> ids;
  SmallVector<int64_t> counts;
  for (OpFoldResult count : grid.counts) {
    ids.push_back(getBlock().addArgument(builder.getIndexType(), loc));
    counts.push_back(std::max<int64_t>(1, *getConstantIntValue(count)));
  }
  std::reverse(ids.begin(), ids.end());
  std::reverse(counts.begin(), counts.end());
  Value id = ids.front();
  if (ids.size() > 1)
    id = affine::AffineLinearizeIndexOp::create(builder, loc, ids, counts,
                                                /*disjoint=*/true);
  lane = id;
  if (areLanes)
    return;
  subgroup = id;
  lane = arith::ConstantIndexOp::create(builder, loc, 0);
}

/// Erases ops that compute unused values: no layout follows for those, and
/// default layouts for them could conflict.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

FailureOr<PhaseBody> PhaseBody::copy(pcf::RunClusterOp op,
                                     const pcf::WorkerGrid &grid,
                                     const PhaseMembers &members,
                                     std::string &why) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  if (!kernel) {
    why = "it is in no function";
    return failure();
  }
  PhaseBody body;
  body.function = kernel->cloneWithoutRegions();
  body.getRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(&body.getBlock());
  IRMapping mapping;
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getBody(), above);
  for (Value value : above)
    body.capture(value, builder, mapping);
  for (BlockArgument argument : op.getPayloadArgs()) {
    body.payload.push_back(
        body.getBlock().addArgument(argument.getType(), argument.getLoc()));
    mapping.map(argument, body.payload.back());
  }
  for (Operation &inner : op.getBody().front())
    builder.clone(inner, mapping);
  if (failed(vectorizeTensors(body.function.get(), body.payload, why)))
    return failure();
  eraseDeadOps(body.getBlock());
  anchorContractions(body.getRegion(), members);
  // This comes last: values without uses were dead to the vectorizer.
  builder.setInsertionPointToStart(&body.getBlock());
  body.markUnknownMemory(builder);
  body.makeIds(grid, members.areLanes, op.getLoc(), builder);
  return body;
}

void PhaseBody::moveInto(pcf::RunThreadOp newOp, ValueRange ids,
                         RewriterBase &rewriter) {
  for (Operation *unknown : unknownMemory)
    rewriter.replaceOp(unknown, unknown->getOperands());
  SmallVector<Value> arguments(captured);
  llvm::append_range(arguments, newOp.getPayloadArgs());
  llvm::append_range(arguments, ids);
  Block &body = newOp.getBody().front();
  rewriter.inlineBlockBefore(&getBlock(), &body, body.end(), arguments);
}
