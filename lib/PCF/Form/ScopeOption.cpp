//===- ScopeOption.cpp - Parsing scopes in pass options -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScopeOption.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace distaff;
using namespace distaff::pcf;

FailureOr<ScopeAttrInterface> pcf::parseScope(StringRef text,
                                              MLIRContext *context) {
  Attribute attribute = parseAttribute(text, context);
  if (!attribute)
    return failure();
  auto scope = dyn_cast<ScopeAttrInterface>(attribute);
  if (!scope)
    return emitError(UnknownLoc::get(context))
           << "scope " << attribute << " does not implement ScopeAttrInterface";
  return scope;
}

FailureOr<Attribute> pcf::parseOptionalScope(StringRef text,
                                             MLIRContext *context) {
  if (text.empty())
    return Attribute();
  FailureOr<ScopeAttrInterface> scope = parseScope(text, context);
  if (failed(scope))
    return failure();
  return Attribute(*scope);
}
