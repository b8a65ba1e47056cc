//===- TileGroup.cpp - Names for the parts of a group ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of the clusters follow from the op: bounds from the source and the
// split, ids from the names around it. So the verifier computes them anew, and
// the builder uses what it computes.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "distaff/Dialect/AttributeDictionary.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

/// Rank of a handle's grid.
static int64_t getGridRank(Type handle) {
  return cast<ScopeAttrInterface>(getHandleScope(handle))
      .getNativeNumProcessorIds();
}

/// Bounds of every cluster, in the order of the arguments, if the source is
/// split at `points[i]` points along dimension i.
static SmallVector<AffineMap> deriveBounds(Type source,
                                           ArrayRef<int64_t> points) {
  MLIRContext *context = source.getContext();
  int64_t rank = points.size();
  auto cluster = dyn_cast<ClusterType>(source);
  unsigned next = getNumRangeOperands(source);
  // The ends of all ranges of a dimension, its own two included.
  SmallVector<SmallVector<AffineExpr>> ends(rank);
  for (int64_t dim : llvm::seq(rank)) {
    ends[dim].push_back(cluster ? cluster.getLowerBound(dim)
                                : getAffineConstantExpr(0, context));
    for ([[maybe_unused]] int64_t point : llvm::seq(points[dim]))
      ends[dim].push_back(getAffineDimExpr(next++, context));
    ends[dim].push_back(cluster ? cluster.getUpperBound(dim)
                                : getAffineSymbolExpr(dim, context));
  }
  // Row-major, dimension 0 slowest.
  SmallVector<SmallVector<AffineExpr>> boxes(1);
  for (int64_t dim : llvm::seq(rank)) {
    SmallVector<SmallVector<AffineExpr>> longer;
    for (const SmallVector<AffineExpr> &box : boxes)
      for (size_t i : llvm::seq(ends[dim].size() - 1)) {
        longer.push_back(box);
        longer.back().append({ends[dim][i], ends[dim][i + 1]});
      }
    boxes = std::move(longer);
  }
  return llvm::map_to_vector(boxes, [&](ArrayRef<AffineExpr> bounds) {
    unsigned dims = 0;
    for (AffineExpr bound : bounds)
      if (auto dim = dyn_cast<AffineDimExpr>(bound))
        dims = std::max(dims, dim.getPosition() + 1);
    return AffineMap::get(dims, rank, bounds, context);
  });
}

/// Names of the named ops around `op`, outermost first, then `own`.
static SmallVector<StringAttr> getPath(Operation *parent, StringAttr own) {
  SmallVector<StringAttr> path;
  if (own)
    path.push_back(own);
  for (; parent; parent = parent->getParentOp())
    if (auto space = dyn_cast<NamespaceOpInterface>(parent))
      if (std::optional<StringAttr> name = space.getNamespaceName())
        path.insert(path.begin(), *name);
  return path;
}

Attribute TileGroupOp::getScope() {
  return getHandleScope(getSource().getType());
}

ValueRange TileGroupOp::getPointsOf(unsigned dim) {
  int64_t start = 0;
  for (int64_t before : getSplitSizes().take_front(dim))
    start += before;
  return getPoints().slice(start, getSplitSizes()[dim]);
}

SmallVector<Value> TileGroupOp::getAllRangeValues() {
  SmallVector<Value> values(getRanges());
  llvm::append_range(values, getPoints());
  return values;
}

std::optional<StringAttr> TileGroupOp::getNamespaceName() {
  return getNsAttr() ? std::optional(getNsAttr()) : std::nullopt;
}

Region &TileGroupOp::getSymbolRegion() { return getBody(); }

SmallVector<std::pair<NsSymAttr, BlockArgument>>
TileGroupOp::getDefinedSymbols() {
  SmallVector<std::pair<NsSymAttr, BlockArgument>> symbols;
  for (BlockArgument cluster : getClusters())
    if (auto type = dyn_cast<ClusterType>(cluster.getType()))
      symbols.emplace_back(type.getId(), cluster);
  return symbols;
}

void TileGroupOp::getAsmBlockArgumentNames(Region &,
                                           OpAsmSetValueNameFn setName) {
  for (auto [id, cluster] : getDefinedSymbols())
    setName(cluster, id.getLeaf().getValue());
}

BlockArgument pcf::lookupCluster(Operation *from, NsSymAttr id) {
  for (Operation *parent = from->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto space = dyn_cast<NamespaceOpInterface>(parent))
      for (auto [defined, handle] : space.getDefinedSymbols())
        if (defined == id)
          return handle;
  return {};
}

void TileGroupOp::build(OpBuilder &builder, OperationState &state, Value source,
                        ValueRange ranges, ArrayRef<SmallVector<Value>> split,
                        StringRef ns, ArrayRef<StringRef> leaves) {
  SmallVector<Value> points;
  SmallVector<int64_t> sizes;
  for (ArrayRef<Value> list : split) {
    llvm::append_range(points, list);
    sizes.push_back(list.size());
  }
  StringAttr name = ns.empty() ? StringAttr() : builder.getStringAttr(ns);
  SmallVector<StringAttr> path =
      ::getPath(builder.getInsertionBlock()->getParentOp(), name);
  SmallVector<AffineMap> bounds = deriveBounds(source.getType(), sizes);
  assert(bounds.size() == leaves.size() && "every cluster has a name");
  SmallVector<Type> types;
  for (auto [map, leaf] : llvm::zip(bounds, leaves)) {
    path.push_back(builder.getStringAttr(leaf));
    types.push_back(
        ClusterType::get(getHandleScope(source.getType()), map,
                         NsSymAttr::get(builder.getContext(), path)));
    path.pop_back();
  }
  state.addOperands(source);
  state.addOperands(ranges);
  state.addOperands(points);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.split_sizes = builder.getDenseI64ArrayAttr(sizes);
  properties.ns = name;
  llvm::copy(ArrayRef<int32_t>{1, static_cast<int32_t>(ranges.size()),
                               static_cast<int32_t>(points.size())},
             properties.operandSegmentSizes.begin());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), state.location);
  builder.createBlock(state.addRegion(), {}, types, locs);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult TileGroupOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> ranges, points;
  SmallVector<int64_t> sizes;
  SmallVector<OpAsmParser::Argument> clusters;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseOperand(source) ||
      parser.parseOperandList(ranges, AsmParser::Delimiter::OptionalSquare))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("ns"))) {
    StringRef name;
    if (parser.parseLParen() || parser.parseKeyword(&name) ||
        parser.parseRParen())
      return failure();
    properties.ns = parser.getBuilder().getStringAttr(name);
  }
  if (parser.parseKeyword("split") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        size_t before = points.size();
        if (parser.parseOperandList(points, AsmParser::Delimiter::Square))
          return failure();
        sizes.push_back(points.size() - before);
        return success();
      }))
    return failure();
  Type type, index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(clusters, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), clusters) ||
      parseAttributeDictionary(parser, result.attributes,
                               result.name.getStringRef(), {}) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(source, type, result.operands) ||
      parser.resolveOperands(ranges, index, result.operands) ||
      parser.resolveOperands(points, index, result.operands))
    return failure();
  properties.split_sizes = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  llvm::copy(ArrayRef<int32_t>{1, static_cast<int32_t>(ranges.size()),
                               static_cast<int32_t>(points.size())},
             properties.operandSegmentSizes.begin());
  return success();
}

void TileGroupOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  if (!getRanges().empty())
    printer << '[' << getRanges() << ']';
  if (getNs())
    printer << " ns(" << *getNs() << ')';
  printer << " split [";
  llvm::interleaveComma(
      llvm::seq<size_t>(0, getSplitSizes().size()), printer,
      [&](size_t dim) { printer << '[' << getPointsOf(dim) << ']'; });
  printer << "] (";
  llvm::interleaveComma(getClusters(), printer, [&](BlockArgument cluster) {
    printer << cluster << ": " << cluster.getType();
  });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printAttributeDictionary(printer, *this,
                           (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : " << getSource().getType();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Bounds as a cluster type prints them.
static std::string describe(AffineMap bounds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0; i + 1 < bounds.getNumResults(); i += 2)
    os << (i ? " x (" : "(") << bounds.getResult(i) << " -> "
       << bounds.getResult(i + 1) << ')';
  return text;
}

/// Argument `i` names the cluster that the split makes there.
static LogicalResult verifyCluster(TileGroupOp op, unsigned i, AffineMap bounds,
                                   ArrayRef<StringAttr> path) {
  Type argument = op.getClusters()[i].getType();
  auto cluster = dyn_cast<ClusterType>(argument);
  if (!cluster)
    return op.emitOpError()
           << "argument #" << i << " must be '!pcf.cluster', got " << argument;
  if (cluster.getScope() != op.getScope())
    return op.emitOpError()
           << "cluster #" << i << " has scope " << cluster.getScope()
           << ", expected " << op.getScope();
  if (!cluster.getPayload().empty())
    return op.emitOpError() << "cluster #" << i << " must not carry a payload";
  if (cluster.getBounds() != bounds)
    return op.emitOpError() << "cluster #" << i << " has bounds "
                            << describe(cluster.getBounds()) << ", expected "
                            << describe(bounds);
  std::string id = cluster.getId().str();
  if (cluster.getId().getNamespacePath() != path) {
    std::string expected;
    for (StringAttr name : path)
      expected += name.str() + ".";
    return op.emitOpError()
           << "cluster id " << id << " must be " << expected << "<leaf>";
  }
  for (BlockArgument before : op.getClusters().take_front(i))
    if (cast<ClusterType>(before.getType()).getId() == cluster.getId())
      return op.emitOpError() << "cluster id " << id << " is already defined";
  if (lookupCluster(op, cluster.getId()))
    return op.emitOpError() << "cluster id " << id << " is already defined";
  return success();
}

/// Whether the lengths of lists are those of `count` entries; generic text may
/// hold any numbers.
static bool isPartition(ArrayRef<int64_t> lengths, int64_t count) {
  for (int64_t length : lengths) {
    if (length < 0 || length > count)
      return false;
    count -= length;
  }
  return count == 0;
}

LogicalResult TileGroupOp::verify() {
  Type source = getSource().getType();
  if (!isHandle(source))
    return emitOpError() << "source must be a threadgroup or cluster, got "
                         << source;
  if (!getPayload(source).empty())
    return emitOpError() << "source must not carry a payload";
  int64_t rank = getGridRank(source);
  if (static_cast<int64_t>(getSplitSizes().size()) != rank)
    return emitOpError() << "expected " << rank << " split lists, got "
                         << getSplitSizes().size();
  if (!isPartition(getSplitSizes(), getPoints().size()))
    return emitOpError() << "'split_sizes' must count the "
                         << getPoints().size() << " points";
  if (getRanges().size() != getNumRangeOperands(source))
    return emitOpError() << "expected " << getNumRangeOperands(source)
                         << " range values for the source, got "
                         << getRanges().size();
  if (!getBody().hasOneBlock())
    return emitOpError() << "body must be a single block";
  SmallVector<AffineMap> bounds = deriveBounds(source, getSplitSizes());
  if (getClusters().size() != bounds.size())
    return emitOpError() << "expected " << bounds.size()
                         << " cluster arguments, got " << getClusters().size();
  if (getNs() && !NsSymAttr::isIdentifier(*getNs()))
    return emitOpError() << "invalid identifier '" << *getNs()
                         << "' in namespaced symbol";
  SmallVector<StringAttr> path =
      ::getPath(getOperation()->getParentOp(), getNsAttr());
  for (auto [i, map] : llvm::enumerate(bounds))
    if (failed(verifyCluster(*this, i, map, path)))
      return failure();
  return success();
}

/// Whether an op names the workers of a handle by the values that define it.
static bool hasLeadingValues(ValueRange ranges, ArrayRef<Value> defining) {
  if (ranges.size() > defining.size())
    return false;
  return llvm::all_of(llvm::zip_first(ranges, defining), [](auto pair) {
    auto [used, defined] = pair;
    std::optional<int64_t> constant = getConstantIntValue(used);
    return used == defined ||
           (constant && constant == getConstantIntValue(defined));
  });
}

LogicalResult TileGroupOp::verifyRegions() {
  if (Operation *end = getBody().front().getTerminator(); !isa<ReturnOp>(end))
    return emitOpError() << "body must end in 'pcf.return', got '"
                         << end->getName() << "'";
  // Handles never leave the region, so every user of one is in it.
  llvm::SmallDenseMap<NsSymAttr, BlockArgument> own;
  for (auto [id, cluster] : getDefinedSymbols())
    own.try_emplace(id, cluster);
  SmallVector<Value> values = getAllRangeValues();
  WalkResult result = getBody().walk([&](Operation *inner) {
    ValueRange ranges;
    if (auto run = dyn_cast<RunClusterOp>(inner))
      ranges = run.getRanges();
    else if (auto run = dyn_cast<RunThreadOp>(inner))
      ranges = run.getRanges();
    else if (auto group = dyn_cast<TileGroupOp>(inner))
      ranges = group.getRanges();
    else if (auto barrier = dyn_cast<BarrierOp>(inner))
      ranges = barrier.getRanges();
    else
      return WalkResult::advance();
    for (Type type : inner->getOperandTypes()) {
      auto cluster = dyn_cast<ClusterType>(type);
      if (!cluster || !own.contains(cluster.getId()))
        continue;
      ValueRange used = ranges.take_front(cluster.getNumRangeOperands());
      if (hasLeadingValues(used, values))
        continue;
      inner->emitOpError() << "range values of " << cluster.getId().str()
                           << " must be the leading split values of its "
                              "tile_group";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
