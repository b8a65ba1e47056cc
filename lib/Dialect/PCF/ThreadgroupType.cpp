//===- ThreadgroupType.cpp - All workers of a scope -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Handles.h"
#include "ScopeOf.h"

using namespace distaff;
using namespace distaff::pcf;

Type ThreadgroupType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute scope;
  ParsedPayload payload;
  if (parser.parseLess() || parser.parseAttribute(scope))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc start = parser.getCurrentLocation();
    bool isPrivate = succeeded(parser.parseOptionalKeyword("private"));
    bool isShared =
        !isPrivate && succeeded(parser.parseOptionalKeyword("shared"));
    if (((isPrivate || isShared) && parser.parseColon()) ||
        payload.parse(parser, start, isPrivate))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ThreadgroupType>(loc, scope,
                                            ArrayRef(payload.sharedTypes),
                                            ArrayRef(payload.privateTypes));
}

void ThreadgroupType::print(AsmPrinter &printer) const {
  printer << '<' << getScope();
  ArrayRef<Type> sharedTypes = getSharedPayload(*this),
                 privateTypes = getPrivatePayload(*this);
  if (privateTypes.empty() && !sharedTypes.empty()) {
    printer << ", ";
    printPayloadTypes(printer, sharedTypes);
  } else {
    printPayload(printer, sharedTypes, privateTypes);
  }
  printer << '>';
}

LogicalResult
ThreadgroupType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Attribute scope, ArrayRef<Type> payload,
                        unsigned numShared) {
  assert(numShared <= payload.size() && "shared fields are fields");
  if (failed(verifyScope(emitError, scope)))
    return failure();
  return verifyPayload(emitError, payload);
}

OpAsmAliasResult ThreadgroupType::getAlias(raw_ostream &os) const {
  os << getScopeName(getScope()) << "_tg";
  return OpAsmAliasResult::OverridableAlias;
}
