//===- Handles.cpp - Threadgroup and cluster handles ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Handles.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

ParseResult ParsedPayload::parse(AsmParser &parser, SMLoc loc, bool isPrivate) {
  bool &isThere = isPrivate ? hasPrivate : hasShared;
  if (isThere)
    return parser.emitError(loc, "duplicate payload");
  isThere = true;
  SmallVector<Type> &types = isPrivate ? privateTypes : sharedTypes;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parser.parseType(types.emplace_back());
  });
}

void pcf::printPayload(AsmPrinter &printer, ArrayRef<Type> sharedTypes,
                       ArrayRef<Type> privateTypes) {
  for (auto [name, types] :
       {std::pair(", shared: ", sharedTypes), {", private: ", privateTypes}}) {
    if (types.empty())
      continue;
    printer << name;
    printPayloadTypes(printer, types);
  }
}

void pcf::printPayloadTypes(AsmPrinter &printer, ArrayRef<Type> types) {
  printer << '{';
  llvm::interleaveComma(types, printer);
  printer << '}';
}

LogicalResult pcf::verifyPayload(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<Type> payload) {
  if (llvm::any_of(payload, isHandle))
    return emitError() << "payload of a PCF handle must not contain PCF "
                          "handles";
  return success();
}

bool pcf::isHandle(Type type) {
  return isa<ThreadgroupType, ClusterType>(type);
}

ArrayRef<Type> pcf::getPayload(Type handle) {
  return TypeSwitch<Type, ArrayRef<Type>>(handle)
      .Case<ThreadgroupType, ClusterType>(
          [](auto type) { return type.getPayload(); })
      .Default(ArrayRef<Type>());
}

/// Returns the number of shared fields of a handle.
static unsigned countShared(Type handle) {
  return TypeSwitch<Type, unsigned>(handle)
      .Case<ThreadgroupType, ClusterType>(
          [](auto type) { return type.getNumShared(); })
      .Default(0u);
}

ArrayRef<Type> pcf::getSharedPayload(Type handle) {
  return getPayload(handle).take_front(countShared(handle));
}

ArrayRef<Type> pcf::getPrivatePayload(Type handle) {
  return getPayload(handle).drop_front(countShared(handle));
}

bool pcf::hasPrivatePayload(Type handle) {
  return !getPrivatePayload(handle).empty();
}

Attribute pcf::getHandleScope(Type handle) {
  return TypeSwitch<Type, Attribute>(handle)
      .Case<ThreadgroupType, ClusterType>(
          [](auto type) { return type.getScope(); })
      .Default(Attribute());
}

Type pcf::withPayloads(Type handle, ArrayRef<Type> sharedPayload,
                       ArrayRef<Type> privatePayload) {
  if (auto cluster = dyn_cast<ClusterType>(handle))
    return ClusterType::get(cluster.getScope(), cluster.getBounds(),
                            cluster.getId(), sharedPayload, privatePayload);
  return ThreadgroupType::get(cast<ThreadgroupType>(handle).getScope(),
                              sharedPayload, privatePayload);
}

Type pcf::withPayload(Type handle, ArrayRef<Type> payload, bool isPrivate) {
  return isPrivate ? withPayloads(handle, {}, payload)
                   : withPayloads(handle, payload, {});
}

bool pcf::isSameGroup(Type a, Type b) {
  return isHandle(a) && isHandle(b) &&
         withPayload(a, {}, false) == withPayload(b, {}, false);
}

/// Returns the bounds over constants and the numbers of distinct values.
static SmallVector<AffineExpr> numberBounds(ClusterType cluster,
                                            ValueRange ranges,
                                            llvm::SetVector<Value> &values) {
  SmallVector<AffineExpr> dims;
  for (Value range : ranges.take_front(cluster.getNumRangeOperands())) {
    if (std::optional<int64_t> constant = getConstantIntValue(range)) {
      dims.push_back(getAffineConstantExpr(*constant, cluster.getContext()));
      continue;
    }
    values.insert(range);
    unsigned number = llvm::find(values, range) - values.begin();
    dims.push_back(getAffineDimExpr(number, cluster.getContext()));
  }
  return llvm::map_to_vector(
      cluster.getBounds().getResults(),
      [&](AffineExpr bound) { return bound.replaceDims(dims); });
}

bool pcf::haveEqualBounds(ClusterType a, ValueRange rangesOfA, ClusterType b,
                          ValueRange rangesOfB) {
  if (a.getScope() != b.getScope() ||
      rangesOfA.size() < a.getNumRangeOperands() ||
      rangesOfB.size() < b.getNumRangeOperands())
    return false;
  llvm::SetVector<Value> values;
  return numberBounds(a, rangesOfA, values) ==
         numberBounds(b, rangesOfB, values);
}

unsigned pcf::getNumRangeOperands(Type handle) {
  auto cluster = dyn_cast<ClusterType>(handle);
  return cluster ? cluster.getNumRangeOperands() : 0;
}
