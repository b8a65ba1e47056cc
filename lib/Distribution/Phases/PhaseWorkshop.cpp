//===- PhaseWorkshop.cpp - Distribution of a phase's body -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseWorkshop.h"
#include "../Exchange/Blocks.h"
#include "../Exchange/RenamedRegisters.h"
#include "PhaseSeeds.h"
#include "distaff/Analysis/Phases/ExchangeMemory.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "llvm/Support/Threading.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

PhaseWorkshop::PhaseWorkshop(PhaseBody body, const PhaseMembers &members,
                             const PhaseLayouts &layouts,
                             VectorLayoutInterface fallback, Attribute scope)
    : body(std::move(body)), members(members), fallback(fallback), sync(scope) {
  renameAtBoundary(layouts);
}

void PhaseWorkshop::renameAtBoundary(const PhaseLayouts &layouts) {
  OpBuilder builder = OpBuilder::atBlockBegin(&body.getBlock());
  for (auto [argument, layout] :
       llvm::zip_equal(body.getPayload(), layouts.arguments)) {
    inputs.push_back(layout.ofClass);
    if (!layout.ofClass)
      continue;
    boundary.inputs.push_back({argument, layout.ofClass});
    if (!layout.isRenamed())
      continue;
    auto renamed =
        ToLayoutOp::create(builder, argument.getLoc(), argument, layout.inside);
    Value(argument).replaceAllUsesExcept(renamed, renamed);
  }
  Operation *yield = body.getYield();
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
// Layouts that no op determines
//===----------------------------------------------------------------------===//

namespace {
/// Lays out vectors one by one; other layouts may follow from each. `layoutOf`
/// returns null for types that stay as they are.
struct LayoutFiller {
  const LayoutMap known;
  llvm::function_ref<VectorLayoutInterface(VectorType)> layoutOf;

  VectorLayoutInterface layoutFor(Value value) const {
    auto type = dyn_cast<VectorType>(value.getType());
    return type && type.getRank() > 0 ? layoutOf(type)
                                      : VectorLayoutInterface();
  }
  bool layOutOperand(Operation *op) const;
  bool layOutResult(Operation *op) const;
};
} // namespace

/// Lays out an op's first use of a value that takes any layout.
bool LayoutFiller::layOutOperand(Operation *op) const {
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<ToLayoutOp>(op) || !LayoutMap::isLayoutFree(operand.get()) ||
        known.getUse(operand))
      continue;
    VectorLayoutInterface layout = layoutFor(operand.get());
    if (!layout)
      continue;
    OpBuilder builder(op);
    operand.set(
        ToLayoutOp::create(builder, op->getLoc(), operand.get(), layout));
    return true;
  }
  return false;
}

/// Lays out an op's first result that has no layout.
bool LayoutFiller::layOutResult(Operation *op) const {
  for (Value result : op->getResults()) {
    if (LayoutMap::isLayoutFree(result) || known.get(result))
      continue;
    VectorLayoutInterface layout = layoutFor(result);
    if (!layout)
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto laidOut = ToLayoutOp::create(builder, op->getLoc(), result, layout);
    result.replaceAllUsesExcept(laidOut, laidOut);
    return true;
  }
  return false;
}

/// Lays out the first value of a type, or use of one that takes any layout.
/// Returns false if there is no such value.
static bool layOutFirst(Region &region, const LayoutFiller &filler) {
  return region
      .walk<WalkOrder::PreOrder>([&](Operation *op) {
        return filler.layOutOperand(op) || filler.layOutResult(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Lays out the last vector that is read from memory: layouts of indices follow
/// from the values that they address, also where they are read themselves.
static bool layOutLastRead(Region &region, const LayoutFiller &filler) {
  return region
      .walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
        bool isRead = op->getNumRegions() == 0 && !isMemoryEffectFree(op);
        return isRead && filler.layOutResult(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Lays out vectors of the fallback's shape first, then reads.
void PhaseWorkshop::layOutTheRest() {
  Region &region = body.getRegion();
  auto ofItsShape = [&](VectorType type) {
    return type.getShape() == ArrayRef(fallback.getUndistributedShape())
               ? fallback
               : VectorLayoutInterface();
  };
  auto spread = [&](VectorType type) { return spreadOut(type, members); };
  auto known = [&] { return propagateWhatIsKnown(region, boundary); };
  while (layOutFirst(region, {known(), ofItsShape}) ||
         layOutLastRead(region, {known(), spread}) ||
         layOutFirst(region, {known(), spread}))
    ;
}

/// Prepares blocks for the distribution over lanes: adds the layouts of
/// classes, and replaces single elements by broadcasts, for which there is a
/// rule.
void PhaseWorkshop::layOutBlocks() {
  OpBuilder builder = OpBuilder::atBlockBegin(&body.getBlock());
  body.getRegion().walk([&](vector::FromElementsOp op) {
    if (op.getElements().size() != 1)
      return;
    builder.setInsertionPoint(op);
    op.getResult().replaceAllUsesWith(vector::BroadcastOp::create(
        builder, op.getLoc(), op.getType(), op.getElements().front()));
    op.erase();
  });
  builder.setInsertionPointToStart(&body.getBlock());
  for (auto [argument, layout] : llvm::zip_equal(body.getPayload(), inputs)) {
    if (!layout || argument.use_empty())
      continue;
    auto laidOut = ToLayoutOp::create(builder, argument.getLoc(), argument,
                                      layoutOfBlock(layout));
    Value(argument).replaceAllUsesExcept(laidOut, laidOut);
  }
  Operation *yield = body.getYield();
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

/// Catches errors and keeps the first one of this thread.
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
  body.getRegion().walk([&](Operation *op) {
    crosses |= isa<gpu::ShuffleOp, gpu::SubgroupReduceOp>(op);
  });
  if (!crosses || members.whyAlone.empty())
    return success();
  why = "a member needs what others hold, and " + members.whyAlone;
  return failure();
}

LogicalResult PhaseWorkshop::distribute(std::string &why) {
  CaughtErrors errors(fallback.getContext());
  layOutTheRest();
  DistributionOptions options = members.getOptions();
  renameRegisters(body.getRegion(), boundary, options);
  options.sync = &sync;
  options.laneId = body.getLane();
  options.subgroupId = body.getSubgroup();
  options.allocate = [&](OpBuilder &builder, Location loc, int64_t bytes) {
    return makeBuffer(builder, loc, bytes);
  };
  if (failed(distributeRegion(body.getRegion(), boundary, options))) {
    why = errors.first.empty() ? "its vectors cannot be distributed"
                               : errors.first;
    return failure();
  }
  if (options.keepsBlocks)
    layOutBlocks();
  return verifyExchanges(why);
}

//===----------------------------------------------------------------------===//
// Result of the distribution
//===----------------------------------------------------------------------===//

/// Makes the buffer a part of one that phases share, after a barrier: in loops,
/// the previous iteration read it.
void PhaseWorkshop::shareBuffer(pcf::RunThreadOp newOp,
                                RewriterBase &rewriter) {
  if (!buffer)
    return;
  auto alloc = cast<memref::AllocOp>(buffer);
  rewriter.setInsertionPointToStart(&newOp.getBody().front());
  sync.wait(rewriter, newOp.getLoc());
  rewriter.replaceOp(alloc, members.exchange->getBuffer(
                                rewriter, newOp, alloc.getType(),
                                *alloc.getAlignment(), members.areLanes));
}

/// Returns the memory outside of `region` that `memory` is a view of; null if
/// it is not known.
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

/// Adds to the barriers all memory that is written before them.
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

void PhaseWorkshop::moveInto(pcf::RunThreadOp newOp, ValueRange ids,
                             RewriterBase &rewriter) {
  body.moveInto(newOp, ids, rewriter);
  shareBuffer(newOp, rewriter);
  orderMemory(newOp);
}
