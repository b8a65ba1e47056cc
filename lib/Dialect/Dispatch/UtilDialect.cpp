//===- UtilDialect.cpp - The parts of the util dialect that are read ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/Dispatch.h"
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "mlir/IR/Builders.h"

using namespace distaff;
using namespace distaff::dispatch;

#include "distaff/Dialect/Dispatch/UtilDialect.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/Util.cpp.inc"

void UtilDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/Dispatch/Util.cpp.inc"
      >();
}

Attribute UtilDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  return parseForeignAttribute(parser, type);
}

void UtilDialect::printAttribute(Attribute, DialectAsmPrinter &) const {}

Type UtilDialect::parseType(DialectAsmParser &parser) const {
  return parseForeignType(parser);
}

void UtilDialect::printType(Type, DialectAsmPrinter &) const {}

std::optional<Dialect::ParseOpHook>
UtilDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseForeignOp);
}

//===----------------------------------------------------------------------===//
// assume.int
//===----------------------------------------------------------------------===//

/// Parses `<umin = 0, umax = 63>`.
static ParseResult parseRange(OpAsmParser &parser,
                              SmallVectorImpl<Attribute> &ranges) {
  NamedAttrList entries;
  auto parseEntry = [&]() -> ParseResult {
    StringRef key;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&key, {"umin", "umax", "udiv"})))
      return parser.emitError(loc) << "expected umin, umax or udiv";
    if (parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    entries.set(key, value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry))
    return failure();
  ranges.push_back(entries.getDictionary(parser.getContext()));
  return success();
}

// assume-int ::= (value (range | `[` ranges `]`)) (`,` ...)* `:` types
ParseResult AssumeIntOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Attribute> assumptions;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    SmallVector<Attribute> ranges;
    if (parser.parseOperand(operands.emplace_back()))
      return failure();
    auto parseNext = [&] { return parseRange(parser, ranges); };
    ParseResult parsed =
        succeeded(parser.parseOptionalLSquare())
            ? ParseResult(failure(parser.parseCommaSeparatedList(parseNext) ||
                                  parser.parseRSquare()))
            : parseNext();
    assumptions.push_back(parser.getBuilder().getArrayAttr(ranges));
    return parsed;
  };
  if (parser.parseCommaSeparatedList(parseOne) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addTypes(types);
  result.addAttribute(getAssumptionsAttrName(result.name),
                      parser.getBuilder().getArrayAttr(assumptions));
  return success();
}

static void printRange(OpAsmPrinter &printer, Attribute range) {
  printer << '<';
  llvm::interleaveComma(
      cast<DictionaryAttr>(range), printer, [&](NamedAttribute entry) {
        printer << entry.getName().getValue() << " = "
                << cast<IntegerAttr>(entry.getValue()).getValue();
      });
  printer << '>';
}

void AssumeIntOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  llvm::interleaveComma(llvm::zip_equal(getOperands(), getAssumptions()),
                        printer, [&](std::tuple<Value, Attribute> each) {
                          auto [operand, ranges] = each;
                          auto array = cast<ArrayAttr>(ranges);
                          printer << operand;
                          if (array.size() != 1)
                            printer << '[';
                          llvm::interleaveComma(array, printer,
                                                [&](Attribute range) {
                                                  printRange(printer, range);
                                                });
                          if (array.size() != 1)
                            printer << ']';
                        });
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getAssumptionsAttrName()});
  printer << " : ";
  llvm::interleaveComma(getResultTypes(), printer);
}
