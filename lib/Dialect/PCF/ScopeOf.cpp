//===- ScopeOf.cpp - Scopes of types --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScopeOf.h"

#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

LogicalResult pcf::verifyScope(function_ref<InFlightDiagnostic()> emitError,
                               Attribute scope) {
  if (isa_and_nonnull<ScopeAttrInterface>(scope))
    return success();
  return emitError() << "scope " << scope
                     << " does not implement ScopeAttrInterface";
}

std::string pcf::getScopeName(Attribute scope) {
  std::string text;
  llvm::raw_string_ostream(text) << scope;
  StringRef name = StringRef(text);
  // `#dialect.name_scope<parameters>`; a character that is no letter would end
  // the alias.
  name.consume_front("#");
  name = name.substr(name.find('.') + 1);
  auto [mnemonic, parameters] = name.split('<');
  mnemonic.consume_back("_scope");
  std::string result = mnemonic.str();
  for (char c : parameters)
    if (llvm::isAlnum(c))
      result += c;
  if (!result.empty() && llvm::isDigit(result.back()))
    result += "d";
  return result;
}
