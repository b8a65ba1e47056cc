//===- RefOwnerText.cpp - Text of ops that own refs -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   [sync bool] scope(attr) [initialize region -> (%v: type, ...)]
//   execute [(ref, ...)] [trailing arguments] [: (types)] [-> (types)]
//   region attr-dict
//
// A ref is `%r = %init` (tied), `%r` (untied) or `%r <- %source : type`
// (readonly). The type of an untied dynamic result is followed by `{sizes}`.
//
//===----------------------------------------------------------------------===//
#include "RefOwner.h"

#include "distaff/Dialect/AttributeDictionary.h"

using namespace distaff;
using namespace distaff::pcf;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

ParseResult RefOwnerParser::parseScope() {
  loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("sync"))) {
    sync = succeeded(parser.parseOptionalKeyword("true"));
    if (!sync && parser.parseKeyword("false"))
      return failure();
  }
  return failure(parser.parseKeyword("scope") || parser.parseLParen() ||
                 parser.parseAttribute(scope) || parser.parseRParen());
}

ParseResult RefOwnerParser::parseInitializer() {
  Region *initializer = result.addRegion();
  if (failed(parser.parseOptionalKeyword("initialize")))
    return success();
  return failure(parser.parseRegion(*initializer) || parser.parseArrow() ||
                 parser.parseArgumentList(leading, AsmParser::Delimiter::Paren,
                                          /*allowType=*/true));
}

ParseResult RefOwnerParser::parseRef() {
  if (parser.parseArgument(refs.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalEqual())) {
    isReadonly.push_back(false);
    isTied.push_back(true);
    return parser.parseOperand(inits.emplace_back());
  }
  // `<-` is two tokens.
  bool readonly = succeeded(parser.parseOptionalLess());
  isReadonly.push_back(readonly);
  if (!readonly) {
    isTied.push_back(false);
    return success();
  }
  return failure(parser.parseMinus() ||
                 parser.parseOperand(sources.emplace_back()) ||
                 parser.parseColonType(sourceTypes.emplace_back()));
}

ParseResult RefOwnerParser::parseExecute() {
  if (parser.parseKeyword("execute") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen,
                                     [&] { return parseRef(); }))
    return failure();
  return parser.parseArgumentList(trailing, AsmParser::Delimiter::Square,
                                  /*allowType=*/true);
}

ParseResult RefOwnerParser::parseRefTypes() {
  SMLoc loc = parser.getCurrentLocation();
  size_t count = 0;
  if (succeeded(parser.parseOptionalColon()) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        Type type;
        if (parser.parseType(type))
          return failure();
        if (count < refs.size())
          refs[count].type = type;
        ++count;
        return success();
      }))
    return failure();
  if (count != refs.size())
    return parser.emitError(loc)
           << "expected " << refs.size() << " ref types, got " << count;
  return success();
}

ParseResult RefOwnerParser::parseResultDims(unsigned result) {
  SMLoc loc = parser.getCurrentLocation();
  size_t before = dims.size();
  bool hasDims = succeeded(parser.parseOptionalLBrace());
  if (hasDims && (parser.parseOperandList(dims) || parser.parseRBrace()))
    return failure();
  bool tied = result < isTied.size() && isTied[result];
  if (tied && hasDims)
    return parser.emitError(loc)
           << "tied result #" << result << " takes no dynamic sizes";
  auto type = dyn_cast<ShapedType>(resultTypes[result]);
  size_t needed =
      !tied && type && type.hasRank() ? type.getNumDynamicDims() : 0;
  size_t got = dims.size() - before;
  if (needed != got)
    return parser.emitError(loc) << "result #" << result << " needs " << needed
                                 << " dynamic sizes, got " << got;
  return success();
}

ParseResult RefOwnerParser::parseResultTypes() {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            if (parser.parseType(resultTypes.emplace_back()))
              return failure();
            return parseResultDims(resultTypes.size() - 1);
          }))
    return failure();
  if (resultTypes.size() != isTied.size())
    return parser.emitError(loc) << "expected " << isTied.size()
                                 << " results, got " << resultTypes.size();
  return success();
}

ParseResult RefOwnerParser::parseTypesAndBody() {
  if (parseRefTypes() || parseResultTypes())
    return failure();
  SmallVector<OpAsmParser::Argument> arguments(leading);
  llvm::append_range(arguments, refs);
  llvm::append_range(arguments, trailing);
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parseAttributeDictionary(parser, result.attributes,
                               result.name.getStringRef(), {}))
    return failure();
  result.addTypes(resultTypes);
  return success();
}

ParseResult RefOwnerParser::resolveOperands() {
  Type index = parser.getBuilder().getIndexType();
  SmallVector<Type> initTypes;
  for (auto [type, tied] : llvm::zip(resultTypes, isTied))
    if (tied)
      initTypes.push_back(type);
  return failure(
      parser.resolveOperands(inits, initTypes, loc, result.operands) ||
      parser.resolveOperands(sources, sourceTypes, loc, result.operands) ||
      parser.resolveOperands(dims, index, result.operands));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void pcf::printScope(OpAsmPrinter &printer, RefOwnerOpInterface op) {
  printer << ' ';
  if (op.getSyncOnReturn())
    printer << "sync true ";
  printer << "scope(" << op.getScope() << ')';
}

static void printInitializer(OpAsmPrinter &printer, RefOwnerOpInterface op) {
  Region *region = op.getInitializerOrNull();
  if (!region)
    return;
  printer << " initialize ";
  // A terminator without operands is printed too: it may be the only op.
  printer.printRegion(*region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true,
                      /*printEmptyBlock=*/true);
  printer << " -> (";
  llvm::interleaveComma(op.getLeadingArgs(), printer, [&](BlockArgument arg) {
    printer << arg << ": " << arg.getType();
  });
  printer << ')';
}

static void printRefs(OpAsmPrinter &printer, RefOwnerOpInterface op) {
  if (op.getRefArgs().empty())
    return;
  printer << '(';
  llvm::interleaveComma(
      llvm::enumerate(op.getRefArgs()), printer, [&](auto numbered) {
        printer << numbered.value();
        OpOperand *source = op.getSourceOfRef(numbered.index());
        if (!source)
          return;
        bool isReadonly = op.getIsReadonly()[numbered.index()];
        printer << (isReadonly ? " <- " : " = ") << source->get();
        if (isReadonly)
          printer << " : " << source->get().getType();
      });
  printer << ')';
}

static void printTypes(OpAsmPrinter &printer, RefOwnerOpInterface op) {
  if (!op.getRefArgs().empty()) {
    printer << " : (";
    llvm::interleaveComma(op.getRefArgs(), printer,
                          [&](BlockArgument ref) { printer << ref.getType(); });
    printer << ')';
  }
  if (!op->getNumResults())
    return;
  printer << " -> (";
  llvm::interleaveComma(op->getResults(), printer, [&](OpResult result) {
    printer << result.getType();
    ValueRange dims = op.getResultDims(result.getResultNumber());
    if (!dims.empty())
      printer << '{' << dims << '}';
  });
  printer << ')';
}

void pcf::printRefOwner(OpAsmPrinter &printer, RefOwnerOpInterface op) {
  printInitializer(printer, op);
  printer << " execute";
  printRefs(printer, op);
  printer << '[';
  llvm::interleaveComma(op.getTrailingArgs(), printer, [&](BlockArgument arg) {
    printer << arg << ": " << arg.getType();
  });
  printer << ']';
  printTypes(printer, op);
  printer << ' ';
  printer.printRegion(op.getExecute(), /*printEntryBlockArgs=*/false);
  // Properties are not among these, so users may reuse their names.
  printAttributeDictionary(printer, op,
                           op->getDiscardableAttrDictionary().getValue());
}
