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
  SmallVector<Type> payload;
  bool isPrivate = false;
  if (parser.parseLess() || parser.parseAttribute(scope))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    isPrivate = succeeded(parser.parseOptionalKeyword("private"));
    bool isShared =
        !isPrivate && succeeded(parser.parseOptionalKeyword("shared"));
    if ((isPrivate || isShared) && parser.parseColon())
      return {};
    if (parsePayloadTypes(parser, payload))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ThreadgroupType>(loc, scope, ArrayRef(payload),
                                            isPrivate);
}

void ThreadgroupType::print(AsmPrinter &printer) const {
  printer << '<' << getScope();
  if (!getPayload().empty()) {
    printer << (getIsPrivate() ? ", private: " : ", ");
    printPayloadTypes(printer, getPayload());
  }
  printer << '>';
}

LogicalResult
ThreadgroupType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Attribute scope, ArrayRef<Type> payload,
                        bool isPrivate) {
  assert((!isPrivate || !payload.empty()) &&
         "an empty payload is neither shared nor private");
  if (failed(verifyScope(emitError, scope)))
    return failure();
  return verifyPayload(emitError, payload);
}

OpAsmAliasResult ThreadgroupType::getAlias(raw_ostream &os) const {
  os << getScopeName(getScope()) << "_tg";
  return OpAsmAliasResult::OverridableAlias;
}
