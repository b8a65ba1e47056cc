//===- Run.cpp - pcf.run_cluster and pcf.run_thread -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text and verifiers of run_cluster and run_thread, which differ in the payload
// that they use and in the ids of run_thread.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "distaff/Dialect/AttributeDictionary.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the number of ids in the body of a phase on this group.
template <typename OpT> static int64_t countIds(Type group) {
  if (std::is_same_v<OpT, RunClusterOp> || !isHandle(group))
    return 0;
  return cast<ScopeAttrInterface>(getHandleScope(group))
      .getNativeNumProcessorIds();
}

/// Returns the fields of one kind of all sources.
static SmallVector<Type> concatPayloads(TypeRange sources,
                                        ArrayRef<Type> (*fieldsOf)(Type)) {
  SmallVector<Type> types;
  for (Type source : sources)
    llvm::append_range(types, fieldsOf(source));
  return types;
}

ArrayRef<Type> RunClusterOp::getOwnPayload(Type handle) {
  return getSharedPayload(handle);
}
ArrayRef<Type> RunClusterOp::getOtherPayload(Type handle) {
  return getPrivatePayload(handle);
}
ArrayRef<Type> RunThreadOp::getOwnPayload(Type handle) {
  return getPrivatePayload(handle);
}
ArrayRef<Type> RunThreadOp::getOtherPayload(Type handle) {
  return getSharedPayload(handle);
}
// Shared fields come before private ones.
unsigned RunClusterOp::getFirstOwn(Type) { return 0; }
unsigned RunClusterOp::getFirstOther(Type handle) {
  return getSharedPayload(handle).size();
}
unsigned RunThreadOp::getFirstOwn(Type handle) {
  return getSharedPayload(handle).size();
}
unsigned RunThreadOp::getFirstOther(Type) { return 0; }

//===----------------------------------------------------------------------===//
// Building and parts
//===----------------------------------------------------------------------===//

template <typename OpT>
static void buildRun(OpBuilder &builder, OperationState &state, Type result,
                     ValueRange sources, ValueRange ranges) {
  state.addOperands(sources);
  state.addOperands(ranges);
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(sources.size()),
                               static_cast<int32_t>(ranges.size())},
             state.getOrAddProperties<typename OpT::Properties>()
                 .operandSegmentSizes.begin());
  if (result)
    state.addTypes(result);
  SmallVector<Type> types =
      concatPayloads(sources.getTypes(), OpT::getOwnPayload);
  types.append(countIds<OpT>(sources.front().getType()),
               builder.getIndexType());
  SmallVector<Location> locs(types.size(), state.location);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(state.addRegion(), {}, types, locs);
}

void RunClusterOp::build(OpBuilder &builder, OperationState &state, Type result,
                         ValueRange sources, ValueRange ranges) {
  buildRun<RunClusterOp>(builder, state, result, sources, ranges);
}

void RunThreadOp::build(OpBuilder &builder, OperationState &state, Type result,
                        ValueRange sources, ValueRange ranges) {
  buildRun<RunThreadOp>(builder, state, result, sources, ranges);
}

Attribute RunClusterOp::getScope() { return getHandleScope(getGroupType()); }
Attribute RunThreadOp::getScope() { return getHandleScope(getGroupType()); }

ClusterYieldOp RunClusterOp::getYield() {
  return cast<ClusterYieldOp>(getBody().front().getTerminator());
}
ClusterYieldOp RunThreadOp::getYield() {
  return cast<ClusterYieldOp>(getBody().front().getTerminator());
}

Block::BlockArgListType RunClusterOp::getPayloadArgs() {
  return getBody().getArguments();
}
Block::BlockArgListType RunThreadOp::getPayloadArgs() {
  return getBody().getArguments().drop_back(
      countIds<RunThreadOp>(getGroupType()));
}
Block::BlockArgListType RunThreadOp::getIds() {
  return getBody().getArguments().take_back(
      countIds<RunThreadOp>(getGroupType()));
}

void RunClusterOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}

void RunThreadOp::getAsmBlockArgumentNames(Region &,
                                           OpAsmSetValueNameFn setName) {
  for (BlockArgument id : getIds())
    setName(id, "id");
}

//===----------------------------------------------------------------------===//
// Text: (sources) [ranges] (payload) [[ids]] region attr-dict
//       : (types) [-> type]
//===----------------------------------------------------------------------===//

template <typename OpT>
static ParseResult parseRun(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> sources, ranges;
  SmallVector<OpAsmParser::Argument> arguments, ids;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(sources, AsmParser::Delimiter::Paren) ||
      parser.parseOperandList(ranges, AsmParser::Delimiter::Square) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseArgumentList(ids, AsmParser::Delimiter::OptionalSquare,
                               /*allowType=*/true))
    return failure();
  llvm::append_range(arguments, ids);
  SmallVector<Type> types;
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parseAttributeDictionary(parser, result.attributes,
                               result.name.getStringRef(), {}) ||
      parser.parseColon() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] { return parser.parseType(types.emplace_back()); }) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.resolveOperands(sources, types, loc, result.operands) ||
      parser.resolveOperands(ranges, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  // Only the text distinguishes an id from a payload of type index.
  size_t expected = types.empty() ? ids.size() : countIds<OpT>(types.front());
  if (ids.size() != expected)
    return parser.emitError(loc)
           << "expected " << expected << " thread ids of type 'index'";
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(sources.size()),
                               static_cast<int32_t>(ranges.size())},
             result.getOrAddProperties<typename OpT::Properties>()
                 .operandSegmentSizes.begin());
  return success();
}

static void printArguments(OpAsmPrinter &printer,
                           Block::BlockArgListType arguments) {
  llvm::interleaveComma(arguments, printer, [&](BlockArgument arg) {
    printer << arg << ": " << arg.getType();
  });
}

template <typename OpT> static void printRun(OpAsmPrinter &printer, OpT op) {
  printer << '(' << op.getSources() << ")[" << op.getRanges() << "] (";
  printArguments(printer, op.getPayloadArgs());
  printer << ')';
  Block::BlockArgListType ids =
      op.getBody().getArguments().drop_front(op.getPayloadArgs().size());
  if (!ids.empty()) {
    printer << " [";
    printArguments(printer, ids);
    printer << ']';
  }
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
  printAttributeDictionary(printer, op,
                           op->getDiscardableAttrDictionary().getValue());
  printer << " : (" << op.getSources().getTypes() << ')';
  if (op.getResult())
    printer << " -> " << op.getResult().getType();
}

ParseResult RunClusterOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseRun<RunClusterOp>(parser, result);
}
ParseResult RunThreadOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseRun<RunThreadOp>(parser, result);
}
void RunClusterOp::print(OpAsmPrinter &printer) { printRun(printer, *this); }
void RunThreadOp::print(OpAsmPrinter &printer) { printRun(printer, *this); }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Returns how the groups of two handles differ; null if they do not.
static const char *findGroupDifference(Type a, Type b) {
  if (getHandleScope(a) != getHandleScope(b))
    return "another scope";
  auto left = dyn_cast<ClusterType>(a), right = dyn_cast<ClusterType>(b);
  if (!left && !right)
    return nullptr;
  if (!left || !right || left.getBounds() != right.getBounds())
    return "other bounds";
  return left.getId() == right.getId() ? nullptr : "another cluster id";
}

/// Returns whether clusters of two groups provably have the same workers
/// (PCF-114). Clusters of one group are disjoint.
static bool areOneCluster(Operation *op, Type a, Type b, ValueRange ranges) {
  auto left = dyn_cast<ClusterType>(a), right = dyn_cast<ClusterType>(b);
  if (!left || !right || !haveEqualBounds(left, ranges, right, ranges))
    return false;
  BlockArgument first = lookupCluster(op, left.getId()),
                second = lookupCluster(op, right.getId());
  return !first || !second || first.getOwner() != second.getOwner();
}

/// Returns whether the result carries the payload that bypasses the phase.
template <typename OpT> static bool passesBy(OpT op) {
  return op.getResult() &&
         !OpT::getOtherPayload(op.getResult().getType()).empty();
}

template <typename OpT>
static LogicalResult verifySources(OpT op, StringRef name, bool wantsPrivate) {
  if (op.getSources().empty())
    return op.emitOpError() << "expected at least one source";
  Type group = op.getSources().front().getType();
  for (auto [i, type] : llvm::enumerate(op.getSources().getTypes())) {
    if (!isHandle(type))
      return op.emitOpError()
             << "source #" << i << " must be a threadgroup or cluster, got "
             << type;
    const char *difference = findGroupDifference(type, group);
    if (difference && !areOneCluster(op, type, group, op.getRanges()))
      return op.emitOpError()
             << "source #" << i << " has " << difference << " than source #0";
    // Such a source would be unused.
    if (OpT::getOwnPayload(type).empty() &&
        !OpT::getOtherPayload(type).empty() && !passesBy(op))
      return op.emitOpError()
             << name << " source #" << i << " carries "
             << (wantsPrivate ? "shared" : "private") << " payload";
  }
  unsigned ranges = 0;
  for (Type type : op.getSources().getTypes())
    ranges = std::max(ranges, getNumRangeOperands(type));
  if (op.getRanges().size() != ranges)
    return op.emitOpError() << "expected " << ranges << " range values, got "
                            << op.getRanges().size();
  return success();
}

template <typename OpT>
static LogicalResult verifyResult(OpT op, StringRef name, bool wantsPrivate) {
  if (!op.getResult())
    return success();
  Type result = op.getResult().getType();
  Type group = op.getSources().front().getType();
  if (!isHandle(result))
    return op.emitOpError()
           << "result must be a threadgroup or cluster, got " << result;
  if (const char *difference = findGroupDifference(result, group))
    return op.emitOpError()
           << "result has " << difference << " than the source";
  if (!passesBy(op))
    return success();
  SmallVector<Type> other =
      concatPayloads(op.getSources().getTypes(), OpT::getOtherPayload);
  StringRef kind = wantsPrivate ? "shared" : "private";
  if (other.empty())
    return op.emitOpError() << name << " result carries " << kind << " payload";
  if (OpT::getOtherPayload(result) != ArrayRef(other))
    return op.emitOpError()
           << name << " result carries " << kind << " payload ("
           << TypeRange(OpT::getOtherPayload(result))
           << "), expected that of the sources (" << TypeRange(other) << ')';
  return success();
}

template <typename OpT> static LogicalResult verifyArguments(OpT op) {
  if (!op.getBody().hasOneBlock())
    return op.emitOpError() << "body must be a single block";
  SmallVector<Type> types(op.getBody().getArgumentTypes());
  size_t ids = countIds<OpT>(op.getSources().front().getType());
  if (types.size() < ids ||
      !llvm::all_of(ArrayRef(types).take_back(ids),
                    [](Type type) { return type.isIndex(); }))
    return op.emitOpError()
           << "expected " << ids << " thread ids of type 'index'";
  types.truncate(types.size() - ids);
  SmallVector<Type> payload =
      concatPayloads(op.getSources().getTypes(), OpT::getOwnPayload);
  if (types == payload)
    return success();
  return op.emitOpError() << "body arguments (" << TypeRange(types)
                          << ") do not match the payload ("
                          << TypeRange(payload) << ')';
}

template <typename OpT>
static LogicalResult verifyRun(OpT op, StringRef name, bool wantsPrivate) {
  return success(succeeded(verifySources(op, name, wantsPrivate)) &&
                 succeeded(verifyResult(op, name, wantsPrivate)) &&
                 succeeded(verifyArguments(op)));
}

template <typename OpT> static LogicalResult verifyYield(OpT op) {
  auto yield = dyn_cast<ClusterYieldOp>(op.getBody().front().back());
  if (!yield)
    return op.emitOpError() << "body must end in 'pcf.cluster_yield'";
  if (!op.getResult()) {
    if (!yield.getValues().empty())
      return yield.emitOpError() << "cluster_yield must have no operands when "
                                    "the op has no result";
    return success();
  }
  ArrayRef<Type> payload = OpT::getOwnPayload(op.getResult().getType());
  if (yield.getValues().getTypes() != TypeRange(payload))
    return op.emitOpError()
           << "yields (" << yield.getValues().getTypes()
           << "), expected the result payload (" << TypeRange(payload) << ')';
  // This is legal, but unused values are probably a mistake.
  if (op.getResult().use_empty() && !payload.empty())
    emitWarning(op.getLoc()) << "payload of the result is never consumed";
  return success();
}

LogicalResult RunClusterOp::verify() {
  return verifyRun(*this, "run_cluster", /*wantsPrivate=*/false);
}
LogicalResult RunThreadOp::verify() {
  return verifyRun(*this, "run_thread", /*wantsPrivate=*/true);
}
LogicalResult RunClusterOp::verifyRegions() { return verifyYield(*this); }
LogicalResult RunThreadOp::verifyRegions() { return verifyYield(*this); }
