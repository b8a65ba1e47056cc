//===- TileGroup.cpp - Named clusters of a group --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of the clusters follow from the op: bounds from the source and the
// split, ids from the names around it. So the verifier recomputes them, and the
// builder uses the same functions.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "ClusterBounds.h"
#include "distaff/Dialect/AttributeDictionary.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the rank of a handle's grid.
static int64_t getGridRank(Type handle) {
  return cast<ScopeAttrInterface>(getHandleScope(handle))
      .getNativeNumProcessorIds();
}

/// Returns the points of a split without a map: one range operand per point.
static SmallVector<AffineExpr> makeOperandPoints(Type source, int64_t count) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, count), [&](int64_t i) {
    return getAffineDimExpr(getNumRangeOperands(source) + i,
                            source.getContext());
  });
}

/// Returns the bounds of every cluster, in the order of the arguments, if the
/// source is split at `points`, of which dimension i has `sizes[i]`.
static SmallVector<AffineMap> deriveBounds(Type source,
                                           ArrayRef<AffineExpr> points,
                                           ArrayRef<int64_t> sizes) {
  MLIRContext *context = source.getContext();
  int64_t rank = sizes.size();
  auto cluster = dyn_cast<ClusterType>(source);
  // The ends of all ranges of a dimension, including its own two.
  SmallVector<SmallVector<AffineExpr>> ends(rank);
  for (int64_t dim : llvm::seq(rank)) {
    ends[dim].push_back(cluster ? cluster.getLowerBound(dim)
                                : getAffineConstantExpr(0, context));
    llvm::append_range(ends[dim], points.take_front(sizes[dim]));
    points = points.drop_front(sizes[dim]);
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
    return makeBoundsMap(bounds, context);
  });
}

/// Returns the names of the named ops around `op`, outermost first, then `own`.
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

SmallVector<AffineExpr> TileGroupOp::getAllPoints() {
  if (std::optional<AffineMap> map = getPointMap())
    return llvm::to_vector(map->getResults());
  return makeOperandPoints(getSource().getType(), getPoints().size());
}

SmallVector<AffineExpr> TileGroupOp::getPointsOf(unsigned dim) {
  int64_t start = 0;
  for (int64_t before : getSplitSizes().take_front(dim))
    start += before;
  return llvm::to_vector(
      ArrayRef(getAllPoints()).slice(start, getSplitSizes()[dim]));
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
  SmallVector<AffineMap> bounds =
      deriveBounds(source.getType(),
                   makeOperandPoints(source.getType(), points.size()), sizes);
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

namespace {
/// The parsed points of a split.
struct ParsedPoints {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  /// An entry per point; null for an operand.
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> sizes;

  /// Returns the map of all points; null if each is an operand.
  AffineMapAttr getMap(MLIRContext *context, unsigned numRanges) const {
    if (llvm::all_of(exprs, [](AffineExpr expr) { return !expr; }))
      return {};
    SmallVector<AffineExpr> results(exprs);
    unsigned next = numRanges;
    for (AffineExpr &result : results)
      if (!result)
        result = getAffineDimExpr(next++, context);
    unsigned numDims = std::max(next, countRangeOperands(results));
    unsigned numSymbols = sizes.size();
    for (AffineExpr result : results)
      result.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
          numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
      });
    return AffineMapAttr::get(
        AffineMap::get(numDims, numSymbols, results, context));
  }
};
} // namespace

/// Parses `[[point, ...], ...]`; a point is an operand or an expression.
static ParseResult parseSplit(OpAsmParser &parser, ParsedPoints &points) {
  auto parsePoint = [&]() -> ParseResult {
    AffineExpr &expr = points.exprs.emplace_back();
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value())
      return parseClusterBound(parser, expr);
    points.operands.push_back(operand);
    return *isOperand;
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    size_t before = points.exprs.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parsePoint))
      return failure();
    points.sizes.push_back(points.exprs.size() - before);
    return success();
  });
}

ParseResult TileGroupOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> ranges;
  ParsedPoints points;
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
  if (parser.parseKeyword("split") || parseSplit(parser, points))
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
      parser.resolveOperands(points.operands, index, result.operands))
    return failure();
  properties.split_sizes =
      parser.getBuilder().getDenseI64ArrayAttr(points.sizes);
  properties.point_map = points.getMap(parser.getContext(), ranges.size());
  llvm::copy(ArrayRef<int32_t>{1, static_cast<int32_t>(ranges.size()),
                               static_cast<int32_t>(points.operands.size())},
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
  // The n-th operand is the point that equals its range value.
  unsigned numRanges = getRanges().size(), next = 0;
  auto printPoint = [&](AffineExpr point) {
    auto dim = dyn_cast<AffineDimExpr>(point);
    if (dim && dim.getPosition() == numRanges + next)
      printer << getPoints()[next++];
    else
      printer << point;
  };
  llvm::interleaveComma(
      llvm::seq<size_t>(0, getSplitSizes().size()), printer, [&](size_t dim) {
        printer << '[';
        llvm::interleaveComma(getPointsOf(dim), printer, printPoint);
        printer << ']';
      });
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

/// Returns the bounds in the syntax of a cluster type.
static std::string describe(AffineMap bounds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0; i + 1 < bounds.getNumResults(); i += 2)
    os << (i ? " x (" : "(") << bounds.getResult(i) << " -> "
       << bounds.getResult(i + 1) << ')';
  return text;
}

/// Verifies that argument `i` has the type of the cluster that the split
/// defines.
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

/// Returns whether the lengths of lists add up to `count` entries; generic text
/// may hold any numbers.
static bool isPartition(ArrayRef<int64_t> lengths, int64_t count) {
  for (int64_t length : lengths) {
    if (length < 0 || length > count)
      return false;
    count -= length;
  }
  return count == 0;
}

static std::string describe(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

/// Verifies that the map of points, if any, computes each point from the range
/// values before it.
static LogicalResult verifyPoints(TileGroupOp op, Type source, int64_t rank) {
  std::optional<AffineMap> map = op.getPointMap();
  unsigned numRanges = getNumRangeOperands(source), next = numRanges;
  size_t numPoints = map ? map->getNumResults() : op.getPoints().size();
  if (!isPartition(op.getSplitSizes(), numPoints))
    return op.emitOpError()
           << "'split_sizes' must count the " << numPoints << " points";
  if (!map)
    return success();
  for (int64_t dim : llvm::seq(rank))
    for (AffineExpr point : op.getPointsOf(dim)) {
      auto operand = dyn_cast<AffineDimExpr>(point);
      if (operand && operand.getPosition() == next) {
        ++next;
        continue;
      }
      if (failed(
              verifyClusterBound([&] { return op.emitOpError(); }, point, dim)))
        return failure();
      if (countRangeOperands(point) > next)
        return op.emitOpError() << "split point '" << describe(point)
                                << "' names a range value that is not before "
                                   "it; there are "
                                << next;
    }
  if (next != numRanges + op.getPoints().size() || map->getNumDims() != next ||
      map->getNumSymbols() != rank)
    return op.emitOpError()
           << "'point_map' must have a dimension for each of the "
           << numRanges + op.getPoints().size() << " range values and " << rank
           << " symbols, and each operand as a point, in order";
  return success();
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
  if (getRanges().size() != getNumRangeOperands(source))
    return emitOpError() << "expected " << getNumRangeOperands(source)
                         << " range values for the source, got "
                         << getRanges().size();
  if (failed(verifyPoints(*this, source, rank)))
    return failure();
  if (!getBody().hasOneBlock())
    return emitOpError() << "body must be a single block";
  SmallVector<AffineMap> bounds =
      deriveBounds(source, getAllPoints(), getSplitSizes());
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

/// Returns whether an op's range values are those that define a handle's
/// workers.
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
  // Handles never leave the region, so all users are in it.
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
