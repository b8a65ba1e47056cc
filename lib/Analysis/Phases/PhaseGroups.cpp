//===- PhaseGroups.cpp - Groups and memories of a program -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseReader.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::pcf;

affine::AffineDelinearizeIndexOp distaff::digitsOf(Value id) {
  for (Operation *user : id.getUsers())
    if (auto digits = dyn_cast<affine::AffineDelinearizeIndexOp>(user))
      return digits;
  return {};
}

std::string distaff::workersOf(Attribute scope) {
  if (isa<iree::WorkgroupScopeAttr>(scope))
    return "workgroups";
  if (isa<iree::SubgroupScopeAttr>(scope))
    return "subgroups";
  if (isa<iree::LaneScopeAttr>(scope))
    return "lanes";
  return isa<SequentialAttr>(scope) ? "one worker" : "workers";
}

std::optional<int64_t> distaff::bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  if ((shaped && (!shaped.hasRank() || !shaped.hasStaticShape())))
    return std::nullopt;
  int64_t bits = 64; // of an index
  if (!isa<IndexType>(element)) {
    if (!element.isIntOrFloat())
      return std::nullopt;
    bits = element.getIntOrFloatBitWidth();
  }
  for (int64_t extent : shaped ? shaped.getShape() : ArrayRef<int64_t>())
    if (llvm::MulOverflow(bits, extent, bits))
      return std::nullopt;
  return llvm::divideCeil(bits, 8);
}

/// Returns the workers of a scope in a launch; nullopt if unspecified.
static std::optional<int64_t> countOf(Operation *op, Attribute scope) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto info = function ? function->getAttrOfType<iree::TranslationInfoAttr>(
                             iree::TranslationInfoAttr::attributeName)
                       : nullptr;
  if (!info || info.getSubgroupSize() == 0)
    return std::nullopt;
  int64_t lanes = info.getSubgroupSize(), threads = info.getNumThreads();
  if (isa<iree::LaneScopeAttr>(scope))
    return lanes;
  if (isa<iree::SubgroupScopeAttr>(scope) && threads > 0)
    return threads / lanes;
  return std::nullopt;
}

/// Returns `3 lanes`, `1 lane`.
static std::string countedWorkers(int64_t count, StringRef workers) {
  if (count == 1)
    workers.consume_back("s");
  return (Twine(count) + " " + workers).str();
}

void PhaseReader::addMembers(RefOwnerOpInterface owner) {
  Attribute scope = owner.getScope();
  bool isOne = isa<SharedExecutorOp>(owner.getOperation());
  PhaseGroup group{.name = (isOne ? "all " : "each of the ") + workersOf(scope),
                   .members = "",
                   .line = lineOf(owner.getLoc())};
  if (isa<SequentialAttr>(scope))
    group.name = "one worker";
  if ((group.count = countOf(owner, scope)))
    group.members = countedWorkers(*group.count, workersOf(scope));
  members[owner] = program.groups.size();
  // Arguments: ids, then as many counts for a generic.
  bool hasCounts = isa<GenericOp>(owner.getOperation());
  auto indices = owner.getTrailingArgs();
  size_t ids = isOne ? 0 : indices.size() / (hasCounts ? 2 : 1);
  for (auto [i, index] : llvm::enumerate(indices.take_front(2 * ids))) {
    text.call(index, ((i < ids ? "id" : "count") + Twine(i % ids)).str());
    if (affine::AffineDelinearizeIndexOp digits = digitsOf(index))
      for (auto [k, digit] :
           llvm::enumerate(llvm::reverse(digits.getResults())))
        text.call(digit, ("tile" + Twine(k)).str());
  }
  program.groups.push_back(std::move(group));
}

void PhaseReader::addMemories(RefOwnerOpInterface owner) {
  auto add = [&](Value ref, PhaseMemory::Kind kind, StringRef fallback) {
    auto type = dyn_cast<SRefType>(ref.getType());
    if (!type)
      return;
    auto alike = [&](const PhaseMemory &known) { return known.kind == kind; };
    size_t number = llvm::count_if(program.memories, alike);
    text.call(ref, (fallback + Twine(number)).str());
    PhaseMemory memory{.name = text.nameOf(ref),
                       .type = "",
                       .kind = kind,
                       .bytes = bytesOf(type),
                       .line = lineOf(ref.getLoc())};
    llvm::raw_string_ostream stream(memory.type);
    for (int64_t extent : type.getShape())
      stream << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent))
             << "x";
    stream << type.getElementType();
    memories[ref] = program.memories.size();
    program.memories.push_back(std::move(memory));
  };
  for (BlockArgument panel : owner.getLeadingArgs())
    add(panel, PhaseMemory::Kind::Panel, "panel");
  for (auto [ref, isReadonly] :
       llvm::zip(owner.getRefArgs(), owner.getIsReadonly()))
    add(ref,
        isReadonly ? PhaseMemory::Kind::Readonly : PhaseMemory::Kind::Result,
        isReadonly ? "source" : "result");
}

size_t PhaseReader::memoryOf(Value ref) {
  Value root = getViewedRef(ref);
  if (auto it = memories.find(root); it != memories.end())
    return it->second;
  auto type = dyn_cast<SRefType>(root.getType());
  bool isPanel = root.getDefiningOp<AllocOp>() != nullptr;
  text.call(root, (isPanel ? "panel" : "memory") +
                      std::to_string(program.memories.size()));
  PhaseMemory memory{.name = text.nameOf(root),
                     .type = "",
                     .kind = isPanel ? PhaseMemory::Kind::Panel
                                     : PhaseMemory::Kind::Captured,
                     .bytes = type ? bytesOf(type) : std::nullopt,
                     .line = lineOf(root.getLoc())};
  llvm::raw_string_ostream(memory.type) << root.getType();
  memories[root] = program.memories.size();
  program.memories.push_back(std::move(memory));
  return memories[root];
}

std::string PhaseReader::boundOf(AffineExpr bound, ArrayRef<Value> ranges,
                                 ArrayRef<std::string> counts) const {
  MLIRContext *context = bound.getContext();
  // Fold operands that are numbers.
  auto numberOr = [&](const std::string &operand, AffineExpr name) {
    int64_t number;
    return llvm::to_integer(operand, number)
               ? getAffineConstantExpr(number, context)
               : name;
  };
  SmallVector<std::string> dims, symbols;
  SmallVector<AffineExpr> dimExprs, symbolExprs;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    dims.push_back(text.of(range));
    dimExprs.push_back(numberOr(dims.back(), getAffineDimExpr(i, context)));
  }
  for (auto [i, count] : llvm::enumerate(counts))
    symbolExprs.push_back(numberOr(count, getAffineSymbolExpr(i, context)));
  AffineExpr known = bound.replaceDimsAndSymbols(dimExprs, symbolExprs);
  if (!isa<AffineDimExpr>(known)) // which is an operand
    for (std::string &dim : dims)
      dim = inParentheses(dim);
  return text.of(known, dims, counts);
}

/// Sets `[0, p): p subgroups`; `n` is the number of all workers if unknown.
void PhaseReader::describe(PhaseGroup &group, ClusterType type,
                           ArrayRef<Value> ranges) {
  bool isOnlyDim = type.getRank() == 1;
  SmallVector<std::string> counts;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    counts.push_back(isOnlyDim ? "n" : "n" + std::to_string(dim));
  // The extent of a grid of one dimension is the number of all workers.
  size_t all = *group.parent;
  while (program.groups[all].parent)
    all = *program.groups[all].parent;
  if (isOnlyDim && program.groups[all].count)
    counts.front() = std::to_string(*program.groups[all].count);
  int64_t known = 1;
  bool isKnown = true;
  std::string difference;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::string low = boundOf(type.getLowerBound(dim), ranges, counts);
    std::string high = boundOf(type.getUpperBound(dim), ranges, counts);
    group.members += (dim ? " x [" : "[") + low + ", " + high + ")";
    int64_t from = 0, to = 0;
    if (llvm::to_integer(low, from) && llvm::to_integer(high, to))
      known *= std::max<int64_t>(to - from, 0);
    else
      isKnown = false;
    difference = low == "0" ? high : high + "-" + inParentheses(low);
  }
  std::string workers = workersOf(type.getScope());
  if (isKnown)
    group.count = known;
  if (group.count)
    group.members += ": " + countedWorkers(*group.count, workers);
  else if (isOnlyDim)
    group.members += ": " + difference + " " + workers;
}

void PhaseReader::addClusters(TileGroupOp split) {
  size_t parent = groupOf(split, split.getSource().getType());
  // The number of subgroups is constant if the launch specifies it.
  split->getParentOfType<FunctionOpInterface>()->walk(
      [&](gpu::NumSubgroupsOp all) {
        auto scope = iree::SubgroupScopeAttr::get(all.getContext());
        if (std::optional<int64_t> count = countOf(all, scope))
          text.call(all.getResult(), std::to_string(*count));
      });
  SmallVector<Value> ranges = split.getAllRangeValues();
  for (auto [id, cluster] : split.getDefinedSymbols()) {
    auto type = cast<ClusterType>(cluster.getType());
    PhaseGroup group{.name = "",
                     .members = "",
                     .parent = parent,
                     .isCluster = true,
                     .line = lineOf(cluster.getLoc())};
    llvm::raw_string_ostream stream(group.name);
    llvm::interleave(
        id.getPath(), stream,
        [&](StringAttr part) { stream << part.getValue(); }, ".");
    describe(group, type, ranges);
    clusters[cluster] = program.groups.size();
    program.groups.push_back(std::move(group));
  }
}

size_t PhaseReader::groupOf(Operation *from, Type handle) {
  if (auto cluster = dyn_cast<ClusterType>(handle))
    if (auto it = clusters.find(lookupCluster(from, cluster.getId()));
        it != clusters.end())
      return it->second;
  // A threadgroup has all workers of the op that opens its scope.
  for (Operation *up = from->getParentOp(); up; up = up->getParentOp())
    if (auto owner = dyn_cast<RefOwnerOpInterface>(up))
      if (owner.getScope() == getHandleScope(handle))
        return members.lookup(owner);
  return 0;
}
