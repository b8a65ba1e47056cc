//===- Handles.cpp - What threadgroups and clusters have in common --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Handles.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

ParseResult pcf::parsePayloadTypes(AsmParser &parser,
                                   SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parser.parseType(types.emplace_back());
  });
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

bool pcf::hasPrivatePayload(Type handle) {
  return TypeSwitch<Type, bool>(handle)
      .Case<ThreadgroupType, ClusterType>(
          [](auto type) { return type.getIsPrivate(); })
      .Default(false);
}

Attribute pcf::getHandleScope(Type handle) {
  return TypeSwitch<Type, Attribute>(handle)
      .Case<ThreadgroupType, ClusterType>(
          [](auto type) { return type.getScope(); })
      .Default(Attribute());
}

Type pcf::withPayload(Type handle, ArrayRef<Type> payload, bool isPrivate) {
  if (auto cluster = dyn_cast<ClusterType>(handle))
    return ClusterType::get(cluster.getScope(), cluster.getBounds(),
                            cluster.getId(), payload, isPrivate);
  return ThreadgroupType::get(cast<ThreadgroupType>(handle).getScope(), payload,
                              isPrivate);
}

bool pcf::isSameGroup(Type a, Type b) {
  return isHandle(a) && isHandle(b) &&
         withPayload(a, {}, false) == withPayload(b, {}, false);
}

unsigned pcf::getNumRangeOperands(Type handle) {
  auto cluster = dyn_cast<ClusterType>(handle);
  return cluster ? cluster.getNumRangeOperands() : 0;
}
