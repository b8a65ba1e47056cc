//===- LinalgExtDialect.cpp - The parts of iree_linalg_ext that are read --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "distaff/Dialect/Dispatch/LinalgExt.h"
#include "mlir/IR/Builders.h"

using namespace distaff;
using namespace distaff::dispatch;

#include "distaff/Dialect/Dispatch/LinalgExtDialect.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/LinalgExt.cpp.inc"

void LinalgExtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/Dispatch/LinalgExt.cpp.inc"
      >();
}

Attribute LinalgExtDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  return parseForeignAttribute(parser, type);
}

void LinalgExtDialect::printAttribute(Attribute, DialectAsmPrinter &) const {}

Type LinalgExtDialect::parseType(DialectAsmParser &parser) const {
  return parseForeignType(parser);
}

void LinalgExtDialect::printType(Type, DialectAsmPrinter &) const {}

/// Rejects ops that no pass of IREE decomposes before it creates loops.
static ParseResult refuseUndecomposed(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getNameLoc())
         << "is an op of IREE that is not read, in no dump; take its "
            "executable out of the file, and write what it computes as a "
            "kernel";
}

std::optional<Dialect::ParseOpHook>
LinalgExtDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseUndecomposed);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `<key = value, ...>`, if there is one.
static ParseResult parseKeyedProperties(OpAsmParser &parser,
                                        NamedAttrList &attributes) {
  if (failed(parser.parseOptionalLess()))
    return success();
  auto parseEntry = [&]() -> ParseResult {
    StringRef key;
    Attribute value;
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parser.parseAttribute(value))
      return failure();
    attributes.set(key, value);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseEntry) ||
                 parser.parseGreater());
}

/// Parses `dimension(1)`, `dimension_map = [0]`, `is_sorted`, up to `ins` or
/// `outs`, which is consumed.
static ParseResult parseKeys(OpAsmParser &parser, NamedAttrList &attributes,
                             StringRef &last) {
  while (true) {
    StringRef key;
    Attribute value;
    if (parser.parseKeyword(&key))
      return failure();
    last = key;
    if (key == "ins" || key == "outs")
      return success();
    bool isInParens = succeeded(parser.parseOptionalLParen());
    if (!isInParens && failed(parser.parseOptionalEqual())) {
      attributes.set(key, parser.getBuilder().getUnitAttr());
      continue;
    }
    if (parser.parseAttribute(value) || (isInParens && parser.parseRParen()))
      return failure();
    attributes.set(key, value);
  }
}

/// Parses `(%a, %b : types)`.
static ParseResult parseTypedOperands(OpAsmParser &parser,
                                      SmallVectorImpl<Value> &values) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  return failure(parser.parseLParen() || parser.parseOperandList(operands) ||
                 parser.parseColonTypeList(types) || parser.parseRParen() ||
                 parser.resolveOperands(operands, types, loc, values));
}

// tensor-op ::= attributes properties attributes keys (`ins` typed-operands)?
//               `outs` typed-operands region? (`->` types)?
static ParseResult parseTensorOp(OpAsmParser &parser, OperationState &result) {
  SmallVector<Value> inputs, outputs;
  StringRef last;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseKeyedProperties(parser, result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parseKeys(parser, result.attributes, last))
    return failure();
  if (last == "ins" &&
      (parseTypedOperands(parser, inputs) || parser.parseKeyword("outs")))
    return failure();
  if (parseTypedOperands(parser, outputs))
    return failure();
  result.addOperands(inputs);
  result.addOperands(outputs);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {int32_t(inputs.size()), int32_t(outputs.size())}));
  OptionalParseResult region = parser.parseOptionalRegion(*result.addRegion());
  if (region.has_value() && failed(*region))
    return failure();
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseTypeList(result.types);
}

static void printTensorOp(OpAsmPrinter &printer, Operation *op,
                          ValueRange inputs, ValueRange outputs) {
  printer.printOptionalAttrDict(op->getAttrs(), {"operandSegmentSizes"});
  if (!inputs.empty())
    printer << " ins(" << inputs << " : " << inputs.getTypes() << ')';
  printer << " outs(" << outputs << " : " << outputs.getTypes() << ')';
  if (!op->getRegion(0).empty()) {
    printer << ' ';
    printer.printRegion(op->getRegion(0));
  }
  if (op->getNumResults() != 0)
    printer << " -> " << op->getResultTypes();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult OnlineAttentionOp::parse(OpAsmParser &parser,
                                     OperationState &result) {
  return parseTensorOp(parser, result);
}

void OnlineAttentionOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult ArgCompareOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void ArgCompareOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void GatherOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void ScanOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult SortOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void SortOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult TopkOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void TopkOp::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}

ParseResult TopkV2Op::parse(OpAsmParser &parser, OperationState &result) {
  return parseTensorOp(parser, result);
}

void TopkV2Op::print(OpAsmPrinter &printer) {
  printTensorOp(printer, *this, getInputs(), getOutputs());
}
