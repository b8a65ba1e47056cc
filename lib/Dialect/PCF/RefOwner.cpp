//===- RefOwner.cpp - Interface of ops that own refs ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefOwner.h"

#include "ScopeOf.h"

#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Corresponding operands, refs and results
//===----------------------------------------------------------------------===//

Region *RefOwnerOpInterface::getInitializerOrNull() {
  Region *region = getInitializerRegion();
  return region && !region->empty() ? region : nullptr;
}

BlockArgument RefOwnerOpInterface::getRefOfResult(unsigned result) {
  for (auto [ref, isReadonly] : llvm::zip(getRefArgs(), getIsReadonly()))
    if (!isReadonly && result-- == 0)
      return ref;
  llvm_unreachable("an op has one writable ref per result");
}

std::optional<unsigned> RefOwnerOpInterface::getResultOfRef(unsigned ref) {
  if (getIsReadonly()[ref])
    return std::nullopt;
  return llvm::count(getIsReadonly().take_front(ref), false);
}

OpOperand *RefOwnerOpInterface::getTiedInit(unsigned result) {
  if (!getIsTied()[result])
    return nullptr;
  return &getInitsMutable()[llvm::count(getIsTied().take_front(result), true)];
}

std::optional<unsigned> RefOwnerOpInterface::getTiedResult(OpOperand &operand) {
  for (unsigned result : llvm::seq<unsigned>(0, getIsTied().size()))
    if (getTiedInit(result) == &operand)
      return result;
  return std::nullopt;
}

OpOperand *RefOwnerOpInterface::getSourceOfRef(unsigned ref) {
  if (std::optional<unsigned> result = getResultOfRef(ref))
    return getTiedInit(*result);
  return &getReadonlySourcesMutable()[llvm::count(
      getIsReadonly().take_front(ref), true)];
}

/// Returns the number of dynamic sizes that a result takes.
static unsigned countDims(RefOwnerOpInterface op, unsigned result) {
  auto type = dyn_cast<ShapedType>(op->getResult(result).getType());
  return op.getIsTied()[result] || !type || !type.hasRank()
             ? 0
             : type.getNumDynamicDims();
}

ValueRange RefOwnerOpInterface::getResultDims(unsigned result) {
  unsigned start = 0;
  for (unsigned before : llvm::seq(0u, result))
    start += countDims(*this, before);
  return getDynamicSizes().slice(start, countDims(*this, result));
}

RefOwnerParts RefOwnerParts::of(RefOwnerOpInterface op) {
  RefOwnerParts parts{op.getScope(), op.getSyncOnReturn(), {}};
  for (auto [i, arg] : llvm::enumerate(op.getRefArgs())) {
    Ref &ref = parts.refs.emplace_back();
    ref.type = cast<SRefType>(arg.getType());
    OpOperand *source = op.getSourceOfRef(i);
    ref.source = source ? source->get() : Value();
    std::optional<unsigned> result = op.getResultOfRef(i);
    ref.isReadonly = !result;
    if (!result)
      continue;
    ref.result = op->getResult(*result).getType();
    llvm::append_range(ref.dims, op.getResultDims(*result));
  }
  return parts;
}

SmallVector<Type> RefOwnerParts::getRefTypes() const {
  return llvm::map_to_vector(refs,
                             [](const Ref &ref) -> Type { return ref.type; });
}

SmallVector<Type> RefOwnerParts::getResultTypes() const {
  SmallVector<Type> types;
  for (const Ref &ref : refs)
    if (!ref.isReadonly)
      types.push_back(ref.result);
  return types;
}

Block *pcf::addBody(OpBuilder &builder, OperationState &state,
                    TypeRange types) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), state.location);
  return builder.createBlock(state.addRegion(), {}, types, locs);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Verifies that the numbers of operands, refs and results match.
static LogicalResult verifyCounts(RefOwnerOpInterface op) {
  size_t numResults = op->getNumResults();
  if (op.getIsTied().size() != numResults)
    return op->emitOpError() << "'is_tied' has " << op.getIsTied().size()
                             << " entries for " << numResults << " results";
  size_t readonly = llvm::count(op.getIsReadonly(), true);
  if (op.getIsReadonly().size() - readonly != numResults)
    return op->emitOpError()
           << "'is_readonly' has " << op.getIsReadonly().size() - readonly
           << " entries that are false for " << numResults << " results";
  size_t tied = llvm::count(op.getIsTied(), true);
  if (op.getInits().size() != tied)
    return op->emitOpError() << "has " << op.getInits().size() << " inits for "
                             << tied << " tied results";
  if (op.getReadonlySources().size() != readonly)
    return op->emitOpError() << "has " << op.getReadonlySources().size()
                             << " sources for " << readonly << " readonly refs";
  return success();
}

/// Verifies that results are shaped, and have their init or their sizes.
static LogicalResult verifyResults(RefOwnerOpInterface op) {
  unsigned unused = op.getDynamicSizes().size();
  unsigned numInits = 0;
  std::optional<unsigned> lastUntied;
  for (auto [j, result] : llvm::enumerate(op->getResults())) {
    if (!isa<RankedTensorType, MemRefType>(result.getType()))
      return op->emitOpError()
             << "result #" << j << " must be a ranked tensor or memref, got "
             << result.getType();
    if (OpOperand *init = op.getTiedInit(j)) {
      if (init->get().getType() != result.getType())
        return op->emitOpError()
               << "init #" << numInits << " has type " << init->get().getType()
               << ", expected the result type " << result.getType();
      ++numInits;
      continue;
    }
    lastUntied = j;
    unsigned needed = countDims(op, j);
    if (unused < needed)
      return op->emitOpError() << "result #" << j << " needs " << needed
                               << " dynamic sizes, got " << unused;
    unused -= needed;
  }
  if (!unused)
    return success();
  if (!lastUntied)
    return op->emitOpError() << "tied result #0 takes no dynamic sizes";
  unsigned needed = countDims(op, *lastUntied);
  return op->emitOpError() << "result #" << *lastUntied << " needs " << needed
                           << " dynamic sizes, got " << needed + unused;
}

static bool haveSameContent(SRefType ref, Type storage) {
  auto shaped = dyn_cast<ShapedType>(storage);
  return shaped && shaped.hasRank() && shaped.getShape() == ref.getShape() &&
         shaped.getElementType() == ref.getElementType();
}

static LogicalResult verifyRef(RefOwnerOpInterface op, unsigned i) {
  Type argument = op.getRefArgs()[i].getType();
  auto type = dyn_cast<SRefType>(argument);
  if (!type)
    return op->emitOpError()
           << "ref #" << i << " must have type '!pcf.sref', got " << argument;
  if (type.getScope() != op.getScope())
    return op->emitOpError() << "ref #" << i << " has scope " << type.getScope()
                             << ", expected " << op.getScope();
  std::optional<unsigned> result = op.getResultOfRef(i);
  if (!result) {
    Type source = op.getSourceOfRef(i)->get().getType();
    if (!isa<RankedTensorType, MemRefType>(source) ||
        !haveSameContent(type, source))
      return op->emitOpError()
             << "readonly ref #" << i
             << " does not match the shape and element type of its source";
    if (type.getSyncScope())
      return op->emitOpError()
             << "readonly ref #" << i << " must not be synchronized";
    return success();
  }
  if (type.getSyncScope() && !type.isReturnOnlySync())
    return op->emitOpError()
           << "ref #" << i << " may only use '#pcf.sync_on_return'";
  if (!haveSameContent(type, op->getResult(*result).getType()))
    return op->emitOpError()
           << "ref #" << i
           << " does not match the shape and element type of result #"
           << *result;
  return success();
}

LogicalResult pcf::verifyRefOwner(RefOwnerOpInterface op, int64_t numTrailing,
                                  StringRef trailing) {
  if (failed(verifyScope([&] { return op->emitOpError(); }, op.getScope())) ||
      failed(verifyCounts(op)))
    return failure();
  if (op.getExecute().empty())
    return op->emitOpError() << "'execute' must not be empty";
  int64_t leading = op.getNumLeadingArgs();
  // Generic text may hold any number.
  if (leading < 0 || numTrailing < 0)
    return op->emitOpError()
           << "has a negative number of block arguments: " << leading
           << " leading, " << numTrailing << " " << trailing;
  uint64_t refs = op.getIsReadonly().size();
  uint64_t expected = llvm::SaturatingAdd(static_cast<uint64_t>(leading), refs,
                                          static_cast<uint64_t>(numTrailing));
  if (op.getExecute().getNumArguments() != expected)
    return op->emitOpError()
           << "execute block expects " << expected << " arguments (" << leading
           << " leading, " << refs << " refs, " << numTrailing << " "
           << trailing << "), got " << op.getExecute().getNumArguments();
  if (failed(verifyResults(op)))
    return failure();
  for (unsigned i : llvm::seq<unsigned>(0, refs))
    if (failed(verifyRef(op, i)))
      return failure();
  return success();
}

LogicalResult pcf::verifySingleBlock(Operation *op, Region &body) {
  if (!body.hasOneBlock())
    return op->emitOpError() << "body must be a single block";
  return success();
}

LogicalResult pcf::verifyReturn(Operation *op, Region &body) {
  Operation *terminator = body.front().getTerminator();
  if (isa<ReturnOp>(terminator))
    return success();
  return op->emitOpError() << "body must end in 'pcf.return', got '"
                           << terminator->getName() << "'";
}

LogicalResult pcf::verifyInitializer(RefOwnerOpInterface op) {
  Region *region = op.getInitializerOrNull();
  SmallVector<Type> yielded;
  if (region) {
    if (!region->hasOneBlock() || region->getNumArguments())
      return op->emitOpError()
             << "'initialize' must be a single block without arguments";
    auto yield = region->front().empty()
                     ? YieldOp()
                     : dyn_cast<YieldOp>(region->front().back());
    if (!yield)
      return op->emitOpError() << "'initialize' must end in 'pcf.yield'";
    llvm::append_range(yielded, yield.getValues().getTypes());
  }
  SmallVector<Type> leading(llvm::map_range(
      op.getLeadingArgs(), [](BlockArgument arg) { return arg.getType(); }));
  if (yielded == leading)
    return success();
  return op->emitOpError() << "initializer yields (" << TypeRange(yielded)
                           << "), expected the leading arguments ("
                           << TypeRange(leading) << ")";
}

LogicalResult pcf::verifyInitializerIsPure(RefOwnerOpInterface op) {
  if (Region *region = op.getInitializerOrNull())
    for (Operation &inner : region->front())
      if (!isa<AllocOp>(inner) && !isPure(&inner))
        return op->emitOpError()
               << "'initialize' may only contain pure ops and 'pcf.alloc'";
  return success();
}

//===----------------------------------------------------------------------===//
// Effects and control flow
//===----------------------------------------------------------------------===//

void pcf::getRefOwnerEffects(
    RefOwnerOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &init : op.getInitsMutable())
    if (isa<BaseMemRefType>(init.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &init);
      effects.emplace_back(MemoryEffects::Write::get(), &init);
    }
  for (OpOperand &source : op.getReadonlySourcesMutable())
    if (isa<BaseMemRefType>(source.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &source);
  // Ops allocate different memrefs, even if the ops are equal.
  for (OpResult result : op->getResults())
    if (isa<BaseMemRefType>(result.getType()) &&
        !op.getIsTied()[result.getResultNumber()])
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
  // The barrier of all workers prevents code motion across it.
  if (op.getSyncOnReturn()) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

void pcf::getRefOwnerSuccessors(RefOwnerOpInterface op, RegionBranchPoint point,
                                SmallVectorImpl<RegionSuccessor> &successors) {
  Region *initializer = op.getInitializerOrNull();
  bool isEntry = point.isParent();
  bool isInitialized =
      !isEntry &&
      point.getTerminatorPredecessorOrNull()->getParentRegion() == initializer;
  if (isEntry && initializer)
    successors.emplace_back(initializer);
  else if (isEntry || isInitialized)
    successors.emplace_back(&op.getExecute(), op.getLeadingArgs());
  else
    successors.emplace_back(op, op->getResults().take_front(0));
}

void pcf::getRefOwnerInvocations(RefOwnerOpInterface op,
                                 SmallVectorImpl<InvocationBounds> &bounds) {
  for (Region &region : op->getRegions())
    if (&region == op.getInitializerRegion())
      bounds.push_back(region.empty() ? InvocationBounds(0, 0)
                                      : InvocationBounds(1, 1));
    else
      bounds.push_back(InvocationBounds::getUnknown());
}

void pcf::nameRefs(RefOwnerOpInterface op, OpAsmSetValueNameFn setName) {
  for (BlockArgument ref : op.getRefArgs())
    setName(ref, "ref");
}

Value pcf::getViewedRef(Value ref) {
  while (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    ref = view.getViewSource();
  return ref;
}

bool pcf::isReadonlyRef(Value ref) {
  auto arg = dyn_cast<BlockArgument>(getViewedRef(ref));
  if (!arg)
    return false;
  auto owner =
      dyn_cast_or_null<RefOwnerOpInterface>(arg.getOwner()->getParentOp());
  if (!owner || arg.getOwner() != &owner.getExecute().front())
    return false;
  int64_t number = arg.getArgNumber() - owner.getNumLeadingArgs();
  return number >= 0 &&
         number < static_cast<int64_t>(owner.getIsReadonly().size()) &&
         owner.getIsReadonly()[number];
}
