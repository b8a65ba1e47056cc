//===- NsSymAttr.cpp - Ids of clusters ------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::pcf;

bool NsSymAttr::isIdentifier(StringRef text) {
  return !text.empty() &&
         (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '$';
         });
}

NsSymAttr NsSymAttr::parseFrom(function_ref<InFlightDiagnostic()> emitError,
                               MLIRContext *context, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  SmallVector<StringAttr> path;
  for (StringRef part : parts)
    path.push_back(StringAttr::get(context, part));
  return NsSymAttr::getChecked(emitError, context, ArrayRef(path));
}

Attribute NsSymAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  std::string quoted;
  if (parser.parseLess())
    return {};
  // Text that is no identifier is quoted, so that the error can name it.
  if (succeeded(parser.parseOptionalString(&quoted)))
    text = quoted;
  else if (parser.parseKeyword(&text))
    return {};
  if (parser.parseGreater())
    return {};
  return parseFrom([&] { return parser.emitError(loc); }, parser.getContext(),
                   text);
}

void NsSymAttr::print(AsmPrinter &printer) const {
  printer << '<' << str() << '>';
}

LogicalResult NsSymAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> path) {
  if (path.empty())
    return emitError() << "namespaced symbol has no identifier";
  for (StringAttr part : path)
    if (!isIdentifier(part.getValue()))
      return emitError() << "invalid identifier '" << part.getValue()
                         << "' in namespaced symbol";
  return success();
}

std::string NsSymAttr::str() const {
  return llvm::join(
      llvm::map_range(getPath(), [](StringAttr part) { return part.str(); }),
      ".");
}
