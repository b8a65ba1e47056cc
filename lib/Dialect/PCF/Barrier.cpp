//===- Barrier.cpp - Barriers of a scope ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScopeOf.h"

#include "distaff/Dialect/AttributeDictionary.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Text: (scope) [among (clusters) [ranges]] [id(N)] [fence (refs)] attr-dict
//       [: types]
//===----------------------------------------------------------------------===//

ParseResult BarrierOp::parse(OpAsmParser &parser, OperationState &result) {
  using Operand = OpAsmParser::UnresolvedOperand;
  SmallVector<Operand> clusters, ranges, refs;
  Attribute scope;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseAttribute(scope) ||
      parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("among"))) {
    if (parser.parseOperandList(clusters, AsmParser::Delimiter::Paren) ||
        parser.parseOperandList(ranges, AsmParser::Delimiter::Square))
      return failure();
    // An empty list would mean all workers.
    if (clusters.empty())
      return parser.emitError(loc, "'among' expects at least one cluster");
  }
  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("id"))) {
    int64_t id;
    if (parser.parseLParen() || parser.parseInteger(id) || parser.parseRParen())
      return failure();
    properties.id = parser.getBuilder().getI64IntegerAttr(id);
  }
  if (succeeded(parser.parseOptionalKeyword("fence")) &&
      parser.parseOperandList(refs, AsmParser::Delimiter::Paren))
    return failure();
  SmallVector<Type> types;
  if (parseAttributeDictionary(parser, result.attributes,
                               result.name.getStringRef(), {}) ||
      parser.parseOptionalColonTypeList(types))
    return failure();
  if (types.size() != clusters.size() + refs.size())
    return parser.emitError(loc) << "expected " << clusters.size() + refs.size()
                                 << " types, got " << types.size();
  properties.scope = scope;
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(clusters.size()),
                               static_cast<int32_t>(ranges.size()),
                               static_cast<int32_t>(refs.size())},
             properties.operandSegmentSizes.begin());
  ArrayRef<Type> all = types;
  return failure(
      parser.resolveOperands(clusters, all.take_front(clusters.size()), loc,
                             result.operands) ||
      parser.resolveOperands(ranges, parser.getBuilder().getIndexType(),
                             result.operands) ||
      parser.resolveOperands(refs, all.drop_front(clusters.size()), loc,
                             result.operands));
}

void BarrierOp::print(OpAsmPrinter &printer) {
  printer << '(' << getScope() << ')';
  if (!getClusters().empty())
    printer << " among(" << getClusters() << ")[" << getRanges() << ']';
  if (getId())
    printer << " id(" << *getId() << ')';
  if (!getRefs().empty())
    printer << " fence(" << getRefs() << ')';
  printAttributeDictionary(printer, *this,
                           (*this)->getDiscardableAttrDictionary().getValue());
  SmallVector<Type> types(getClusters().getTypes());
  llvm::append_range(types, getRefs().getTypes());
  if (!types.empty())
    printer << " : " << TypeRange(types);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Returns whether the op opens the scope for its body.
static bool opensScope(Operation *op, Attribute scope) {
  auto owner = dyn_cast<RefOwnerOpInterface>(op);
  return owner && owner.getScope() == scope;
}

/// Verifies that all participants reach a barrier of all workers: the code of
/// only one cluster, or of a finer group, must not contain one.
static LogicalResult verifyAllWorkers(BarrierOp op) {
  bool isOfOneCluster = false;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (opensScope(parent, op.getScope()))
      break;
    isOfOneCluster |= isa<RunClusterOp, RunThreadOp>(parent) &&
                      parent->getNumOperands() &&
                      isa<ClusterType>(parent->getOperand(0).getType());
    auto group = dyn_cast<TileGroupOp>(parent);
    if (!group)
      continue;
    if (group.getScope() != op.getScope())
      return op.emitOpError()
             << "barrier of scope " << op.getScope()
             << " is nested in a tile_group of scope " << group.getScope();
    isOfOneCluster |= isa<ClusterType>(group.getSource().getType());
  }
  if (isOfOneCluster)
    return op.emitOpError()
           << "all-worker barrier in a region that only a cluster executes";
  return success();
}

/// Verifies the clusters of a barrier, which is in the group's code or, once
/// the barrier has an id, in each cluster's copy of that code.
static LogicalResult verifyAmong(BarrierOp op) {
  unsigned ranges = 0;
  for (auto [i, type] : llvm::enumerate(op.getClusters().getTypes())) {
    auto cluster = dyn_cast<ClusterType>(type);
    if (!cluster)
      return op.emitOpError()
             << "participant #" << i << " must be '!pcf.cluster', got " << type;
    if (cluster.getScope() != op.getScope())
      return op.emitOpError()
             << "participant #" << i << " has scope " << cluster.getScope()
             << ", expected " << op.getScope();
    ranges = std::max(ranges, cluster.getNumRangeOperands());
  }
  if (op.getRanges().size() != ranges)
    return op.emitOpError() << "expected " << ranges << " range values, got "
                            << op.getRanges().size();
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<TileGroupOp>(parent) || (op.getId() && isa<GenericOp>(parent)))
      return success();
    if (isa<RunClusterOp, RunThreadOp, RefOwnerOpInterface>(parent))
      break;
  }
  return op.emitOpError()
         << "'among' barrier must be inside a tile_group and outside phases";
}

LogicalResult BarrierOp::verify() {
  if (failed(verifyScope([&] { return emitOpError(); }, getScope())))
    return failure();
  if (std::optional<int64_t> id = getId()) {
    if (getClusters().empty())
      return emitOpError() << "'id' is of a barrier 'among' clusters only";
    if (*id < 1 || *id > mostIds)
      return emitOpError() << "'id' must be from 1 to " << mostIds << ", got "
                           << *id;
  }
  if (!getClusters().empty())
    return verifyAmong(*this);
  if (!getRanges().empty())
    return emitOpError() << "expected 0 range values, got "
                         << getRanges().size();
  return verifyAllWorkers(*this);
}
