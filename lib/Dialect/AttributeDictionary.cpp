//===- AttributeDictionary.cpp - Inherent attributes in text --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/AttributeDictionary.h"

using namespace distaff;

namespace {
/// Parses the text `[<{...}>] [{...}]`, or `[<key = value, ...>] [{...}]`, of
/// one op, and checks each part.
class DictionaryParser {
public:
  DictionaryParser(OpAsmParser &parser, StringRef name,
                   ArrayRef<StringRef> inherent)
      : parser(parser), loc(parser.getCurrentLocation()),
        op(name, parser.getContext()), inherent(inherent) {}

  ParseResult parseProperties();
  ParseResult parseDictionary(bool hasKeyword);

  /// Moves the parsed attributes to `attributes`.
  ParseResult finish(NamedAttrList &attributes);

private:
  bool isSpelled(StringRef attribute) const {
    return llvm::is_contained(op.getAttributeNames(), attribute) &&
           !llvm::is_contained(inherent, attribute);
  }
  ParseResult checkSpelled(const NamedAttrList &attributes);
  ParseResult parseEntries(StringRef key);

  OpAsmParser &parser;
  SMLoc loc; ///< the start of the text
  OperationName op;
  ArrayRef<StringRef> inherent;
  NamedAttrList properties, dictionary;
};
} // namespace

/// Rejects attributes that the op's syntax has elsewhere.
ParseResult DictionaryParser::checkSpelled(const NamedAttrList &attributes) {
  for (NamedAttribute attribute : attributes)
    if (isSpelled(attribute.getName()))
      return parser.emitError(loc)
             << "has attribute '" << attribute.getName().getValue()
             << "' in its syntax; remove it here";
  return success();
}

/// Parses `= value, key = value`, after the first key.
ParseResult DictionaryParser::parseEntries(StringRef key) {
  while (true) {
    Attribute value;
    if (parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    properties.set(key, value);
    if (failed(parser.parseOptionalComma()))
      return success();
    if (parser.parseKeyword(&key))
      return failure();
  }
}

ParseResult DictionaryParser::parseProperties() {
  if (failed(parser.parseOptionalLess()))
    return success();
  StringRef key;
  if (succeeded(parser.parseOptionalKeyword(&key))) {
    if (parseEntries(key) || parser.parseGreater())
      return failure();
  } else {
    // Without a key, the properties are a dictionary in braces.
    DictionaryAttr given;
    if (parser.parseAttribute(given) || parser.parseGreater())
      return failure();
    properties = NamedAttrList(given);
  }
  if (checkSpelled(properties))
    return failure();
  for (NamedAttribute property : properties) {
    if (llvm::is_contained(inherent, property.getName()))
      continue;
    InFlightDiagnostic error = parser.emitError(loc)
                               << "has no property '"
                               << property.getName().getValue() << "'";
    if (!inherent.empty()) {
      error << ", only ";
      llvm::interleaveComma(inherent, error, [&](StringRef name) {
        error << "'" << name << "'";
      });
    }
    return error << "; write discardable attributes as {...}";
  }
  return success();
}

ParseResult DictionaryParser::parseDictionary(bool hasKeyword) {
  if (hasKeyword ? parser.parseOptionalAttrDictWithKeyword(dictionary)
                 : parser.parseOptionalAttrDict(dictionary))
    return failure();
  if (checkSpelled(dictionary))
    return failure();
  for (NamedAttribute property : properties)
    if (dictionary.get(property.getName()))
      return parser.emitError(loc)
             << "has attribute '" << property.getName().getValue()
             << "' in <{...}> and in {...}; remove one";
  return success();
}

ParseResult DictionaryParser::finish(NamedAttrList &attributes) {
  attributes.append(properties);
  attributes.append(dictionary);
  // The text is the same as in the code that mlir-tblgen generates.
  return op.verifyInherentAttrs(attributes, [&] {
    return parser.emitError(loc) << "'" << op.getStringRef() << "' op ";
  });
}

ParseResult distaff::parseAttributeDictionary(OpAsmParser &parser,
                                              NamedAttrList &attributes,
                                              StringRef name,
                                              ArrayRef<StringRef> inherent,
                                              bool hasKeyword) {
  DictionaryParser text(parser, name, inherent);
  return failure(text.parseProperties() || text.parseDictionary(hasKeyword) ||
                 text.finish(attributes));
}

void distaff::printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                                       ArrayRef<NamedAttribute> attributes,
                                       bool hasKeyword) {
  SmallVector<NamedAttribute> dictionary(attributes);
  Dialect *dialect = op->getDialect();
  if (dialect &&
      dialect->getRegisteredInterface<InherentAttributesAsProperties>()) {
    auto isInherent = [&](NamedAttribute attribute) {
      return llvm::is_contained(op->getName().getAttributeNames(),
                                attribute.getName());
    };
    auto properties =
        llvm::to_vector(llvm::make_filter_range(attributes, isInherent));
    llvm::erase_if(dictionary, isInherent);
    if (!properties.empty())
      printer << " <" << DictionaryAttr::get(op->getContext(), properties)
              << '>';
  }
  if (hasKeyword)
    printer.printOptionalAttrDictWithKeyword(dictionary);
  else
    printer.printOptionalAttrDict(dictionary);
}

void distaff::printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                                       DictionaryAttr attributes,
                                       StringRef name,
                                       ArrayRef<StringRef> inherent,
                                       bool hasKeyword) {
  auto printed = llvm::to_vector(
      llvm::make_filter_range(attributes, [&](NamedAttribute attribute) {
        return llvm::is_contained(inherent, attribute.getName()) ||
               !llvm::is_contained(op->getName().getAttributeNames(),
                                   attribute.getName());
      }));
  printAttributeDictionary(printer, op, printed, hasKeyword);
}
