//===- PhaseWorkshop.cpp - A phase's body, distributed by itself ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseWorkshop.h"
#include "Blocks.h"
#include "distaff/Analysis/LayoutTransfer.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/Threading.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// Whether two such refs are never the same memory.
static bool isOwnMemory(Value ref) {
  if (ref.getDefiningOp<pcf::AllocOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(ref);
  return argument && isa<pcf::RefOwnerOpInterface, FunctionOpInterface>(
                         argument.getOwner()->getParentOp());
}

void PhaseWorkshop::capture(Value value, OpBuilder &builder,
                            IRMapping &mapping) {
  Operation *definition = value.getDefiningOp();
  if (definition && definition->hasTrait<OpTrait::ConstantLike>()) {
    builder.clone(*definition, mapping);
    return;
  }
  Value argument = getBlock().addArgument(value.getType(), value.getLoc());
  captured.push_back(value);
  // Memory that others may be too is the result of who knows what.
  if (isa<MemRefType>(value.getType()) ||
      (isa<pcf::SRefType>(value.getType()) && !isOwnMemory(value))) {
    auto unknown = UnrealizedConversionCastOp::create(
        builder, value.getLoc(), value.getType(), argument);
    unknownMemory.push_back(unknown);
    argument = unknown.getResult(0);
  }
  mapping.map(value, argument);
}

/// Arguments for the ids of the grid; the members count from the fastest.
void PhaseWorkshop::makeIds(const pcf::WorkerGrid &grid, Location loc,
                            OpBuilder &builder) {
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
  if (members.areLanes)
    return;
  subgroup = id;
  lane = arith::ConstantIndexOp::create(builder, loc, 0);
}

PhaseWorkshop::PhaseWorkshop(pcf::RunClusterOp op, const pcf::WorkerGrid &grid,
                             const PhaseMembers &members,
                             const PhaseLayouts &layouts,
                             VectorLayoutInterface fallback)
    : members(members), fallback(fallback), sync(op.getScope()) {
  function = op->getParentOfType<FunctionOpInterface>()->cloneWithoutRegions();
  getRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(&getBlock());
  IRMapping mapping;
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getBody(), above);
  for (Value value : above)
    capture(value, builder, mapping);
  for (BlockArgument argument : op.getPayloadArgs()) {
    payload.push_back(
        getBlock().addArgument(argument.getType(), argument.getLoc()));
    mapping.map(argument, payload.back());
  }
  makeIds(grid, op.getLoc(), builder);
  for (Operation &inner : op.getBody().front())
    builder.clone(inner, mapping);
  renameAtBoundary(layouts);
}

void PhaseWorkshop::renameAtBoundary(const PhaseLayouts &layouts) {
  OpBuilder builder = OpBuilder::atBlockBegin(&getBlock());
  for (auto [argument, layout] : llvm::zip_equal(payload, layouts.arguments)) {
    inputs.push_back(layout.ofClass);
    if (!layout.ofClass)
      continue;
    boundary.inputs.push_back({argument, layout.ofClass});
    if (!layout.isRenamed())
      continue;
    auto renamed =
        ToLayoutOp::create(builder, argument.getLoc(), argument, layout.inside);
    argument.replaceAllUsesExcept(renamed, renamed);
  }
  Operation *yield = getBlock().getTerminator();
  builder.setInsertionPoint(yield);
  for (auto [operand, layout] :
       llvm::zip_equal(yield->getOpOperands(), layouts.yields)) {
    boundary.outputs.push_back(layout.ofClass);
    if (layout.isRenamed())
      operand.set(ToLayoutOp::create(builder, yield->getLoc(), operand.get(),
                                     layout.ofClass));
  }
}

//===----------------------------------------------------------------------===//
// Layouts that nobody determines
//===----------------------------------------------------------------------===//

static bool fits(Value value, VectorLayoutInterface layout) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type && type.getShape() == ArrayRef(layout.getUndistributedShape());
}

/// Lays out the first value of the fallback's shape that has no layout, or the
/// first use of a value that takes any. False if there is none.
static bool layOutOne(Region &region, const LayoutMap &known,
                      VectorLayoutInterface layout) {
  auto layOut = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (fits(operand.get(), layout) &&
          LayoutMap::isLayoutFree(operand.get()) && !known.getUse(operand) &&
          !isa<ToLayoutOp>(op)) {
        OpBuilder builder(op);
        operand.set(
            ToLayoutOp::create(builder, op->getLoc(), operand.get(), layout));
        return WalkResult::interrupt();
      }
    for (Value result : op->getResults())
      if (fits(result, layout) && !known.get(result) &&
          !LayoutMap::isLayoutFree(result)) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        auto laidOut =
            ToLayoutOp::create(builder, op->getLoc(), result, layout);
        result.replaceAllUsesExcept(laidOut, laidOut);
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  };
  return region.walk<WalkOrder::PreOrder>(layOut).wasInterrupted();
}

void PhaseWorkshop::layOutTheRest() {
  while (layOutOne(getRegion(), propagateWhatIsKnown(getRegion(), boundary),
                   fallback))
    ;
}

/// The lanes' turn finds layouts where classes had them, and numbers that it
/// has a rule for.
void PhaseWorkshop::layOutBlocks() {
  OpBuilder builder = OpBuilder::atBlockBegin(&getBlock());
  getRegion().walk([&](vector::FromElementsOp op) {
    if (op.getElements().size() != 1)
      return;
    builder.setInsertionPoint(op);
    op.getResult().replaceAllUsesWith(vector::BroadcastOp::create(
        builder, op.getLoc(), op.getType(), op.getElements().front()));
    op.erase();
  });
  builder.setInsertionPointToStart(&getBlock());
  for (auto [argument, layout] : llvm::zip_equal(payload, inputs)) {
    if (!layout || argument.use_empty())
      continue;
    auto laidOut = ToLayoutOp::create(builder, argument.getLoc(), argument,
                                      layoutOfBlock(layout));
    argument.replaceAllUsesExcept(laidOut, laidOut);
  }
  Operation *yield = getBlock().getTerminator();
  builder.setInsertionPoint(yield);
  for (auto [operand, layout] :
       llvm::zip_equal(yield->getOpOperands(), boundary.outputs)) {
    auto known = operand.get().getDefiningOp<ToLayoutOp>();
    if (layout && !(known && known.getLayout() == layoutOfBlock(layout)))
      operand.set(ToLayoutOp::create(builder, yield->getLoc(), operand.get(),
                                     layoutOfBlock(layout)));
  }
}

//===----------------------------------------------------------------------===//
// Distribution
//===----------------------------------------------------------------------===//

/// The first error of this thread, instead of its being shown.
namespace {
class CaughtErrors {
public:
  explicit CaughtErrors(MLIRContext *context)
      : handler(context,
                [this, thread = llvm::get_threadid()](
                    Diagnostic &diagnostic) -> LogicalResult {
                  if (llvm::get_threadid() != thread)
                    return failure();
                  if (first.empty() &&
                      diagnostic.getSeverity() == DiagnosticSeverity::Error)
                    first = diagnostic.str();
                  return success();
                }) {}

  std::string first;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

Value PhaseWorkshop::makeBuffer(OpBuilder &builder, Location loc,
                                int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  DistributionOptions options = members.getOptions();
  auto type = MemRefType::get(
      {int64_t(llvm::alignTo(bytes, options.workgroupAlignment))},
      builder.getI8Type(), MemRefLayoutAttrInterface(), space);
  buffer = memref::AllocOp::create(
      builder, loc, type,
      builder.getI64IntegerAttr(options.workgroupAlignment));
  return buffer->getResult(0);
}

LogicalResult PhaseWorkshop::verifyExchanges(std::string &why) {
  bool crosses = buffer || sync.wasUsed();
  getRegion().walk([&](Operation *op) {
    crosses |= isa<gpu::ShuffleOp, gpu::SubgroupReduceOp>(op);
  });
  if (!crosses || members.whyAlone.empty())
    return success();
  why = "a member needs what others hold, and " + members.whyAlone;
  return failure();
}

LogicalResult PhaseWorkshop::distribute(std::string &why) {
  CaughtErrors errors(function->getContext());
  layOutTheRest();
  DistributionOptions options = members.getOptions();
  options.sync = &sync;
  options.laneId = lane;
  options.subgroupId = subgroup;
  options.allocate = [&](OpBuilder &builder, Location loc, int64_t bytes) {
    return makeBuffer(builder, loc, bytes);
  };
  if (failed(distributeRegion(getRegion(), boundary, options))) {
    why = errors.first;
    return failure();
  }
  if (options.keepsBlocks)
    layOutBlocks();
  return verifyExchanges(why);
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// Subgroups of the workgroup that run the code at the same time.
static int64_t countSubgroups(Operation *op) {
  LaunchSizes sizes = launchSizesOf(op->getParentOfType<FunctionOpInterface>());
  if (!sizes.workgroup || !sizes.subgroup || *sizes.subgroup <= 0)
    return 1;
  auto [x, y, z] = *sizes.workgroup;
  return std::max<int64_t>(1, x * y * z / *sizes.subgroup);
}

/// The buffer becomes a part of one that is allocated at the function's entry;
/// lanes of different subgroups have different parts. In loops, it is written
/// where it was read in the turn before.
void PhaseWorkshop::shareBuffer(pcf::RunThreadOp newOp,
                                RewriterBase &rewriter) {
  if (!buffer)
    return;
  auto alloc = cast<memref::AllocOp>(buffer);
  MemRefType type = alloc.getType();
  int64_t count = members.areLanes ? countSubgroups(newOp) : 1;
  auto kernel = newOp->getParentOfType<FunctionOpInterface>();
  rewriter.setInsertionPointToStart(&kernel.getFunctionBody().front());
  Value all = memref::AllocOp::create(
      rewriter, alloc.getLoc(),
      MemRefType::Builder(type).setShape({type.getDimSize(0) * count}),
      alloc.getAlignmentAttr());
  rewriter.setInsertionPointToStart(&newOp.getBody().front());
  sync.wait(rewriter, newOp.getLoc());
  if (count > 1) {
    auto subgroups = compat::SubgroupScopeAttr::get(rewriter.getContext());
    Value id = subgroups.getWorkerIDs(rewriter, newOp.getLoc(), 1).front();
    Value size = arith::ConstantIndexOp::create(rewriter, newOp.getLoc(),
                                                type.getDimSize(0));
    Value begin = arith::MulIOp::create(rewriter, newOp.getLoc(), id, size);
    all = memref::ViewOp::create(rewriter, newOp.getLoc(), type, all, begin,
                                 /*sizes=*/ValueRange());
  }
  rewriter.replaceOp(alloc, all);
}

/// What `memory` is a view of outside of `region`; null if it is not known.
static Value findOutside(Region &region, Value memory) {
  while (memory && region.isAncestor(memory.getParentRegion())) {
    if (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
      memory = view.getViewSource();
    else if (auto view = memory.getDefiningOp<pcf::GetMemrefOp>())
      memory = view.getSource();
    else
      return {};
  }
  return memory;
}

/// Behind a barrier members see what was written before it, to whatever memory.
void PhaseWorkshop::orderMemory(pcf::RunThreadOp newOp) {
  if (!sync.wasUsed())
    return;
  llvm::SetVector<Value> written;
  newOp.getBody().walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects<MemoryEffects::Write>(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (Value memory = findOutside(newOp.getBody(), effect.getValue()))
        written.insert(memory);
  });
  sync.order(written.getArrayRef());
}

void PhaseWorkshop::moveInto(pcf::RunThreadOp newOp, ValueRange newIds,
                             RewriterBase &rewriter) {
  for (Operation *unknown : unknownMemory)
    rewriter.replaceOp(unknown, unknown->getOperands());
  SmallVector<Value> arguments(captured);
  llvm::append_range(arguments, newOp.getPayloadArgs());
  llvm::append_range(arguments, newIds);
  Block &body = newOp.getBody().front();
  rewriter.inlineBlockBefore(&getBlock(), &body, body.end(), arguments);
  shareBuffer(newOp, rewriter);
  orderMemory(newOp);
}
