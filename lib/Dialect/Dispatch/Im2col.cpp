//===- Im2col.cpp - Text of iree_linalg_ext.im2col ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of an im2col has lists of numbers, some of which are values:
//
//   iree_linalg_ext.im2col strides = [1, 1] ... offsets = [0, %i, %k]
//     output_sizes = [[2], [7, 9], [3, 3, 5]] ... ins(...) outs(...) -> ...
//
// A list is an attribute, in which kDynamic stands for a value; the values are
// operands, in the order of the text.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/LinalgExt.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace distaff;
using namespace distaff::dispatch;

ArrayRef<StringLiteral> Im2colOp::getKeys() {
  static constexpr StringLiteral keys[] = {
      "strides",        "dilations",      "kernel_size",   "offsets",
      "output_sizes",   "batch_pos",      "m_pos",         "k_pos",
      "input_k_perm",   "output_perm",    "input_pad_low", "input_pad_high",
      "output_pad_low", "output_pad_high"};
  return keys;
}

static constexpr StringLiteral groupsName = "output_groups";

/// Parses numbers and values in brackets; for nested lists, also their lengths.
static ParseResult parseNumbers(OpAsmParser &parser,
                                SmallVectorImpl<int64_t> &numbers,
                                SmallVectorImpl<int64_t> *groups,
                                SmallVectorImpl<Value> &values) {
  auto parseNumber = [&]() -> ParseResult {
    if (groups) {
      size_t before = numbers.size();
      if (parseNumbers(parser, numbers, nullptr, values))
        return failure();
      groups->push_back(numbers.size() - before);
      return success();
    }
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isValue = parser.parseOptionalOperand(operand);
    if (!isValue.has_value())
      return parser.parseInteger(numbers.emplace_back());
    numbers.push_back(ShapedType::kDynamic);
    return failure(failed(*isValue) ||
                   parser.resolveOperand(
                       operand, parser.getBuilder().getIndexType(), values));
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        parseNumber);
}

/// Parses `(%a : type)`.
static ParseResult parseTyped(OpAsmParser &parser,
                              SmallVectorImpl<Value> &values) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  return failure(parser.parseLParen() || parser.parseOperand(operand) ||
                 parser.parseColonType(type) || parser.parseRParen() ||
                 parser.resolveOperand(operand, type, values));
}

// im2col ::= attributes (key `=` list)* (`pad_value` typed)? `ins` typed
//            `outs` typed `->` type
ParseResult Im2colOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<Value> numbers, operands;
  StringRef key;
  int32_t pads = 0;
  ArrayRef<StringLiteral> keys = getKeys();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
    if (key == "ins")
      break;
    if (key == "pad_value") {
      if (parseTyped(parser, operands))
        return failure();
      pads = 1;
      continue;
    }
    const StringLiteral *known = llvm::find(keys, key);
    if (known == keys.end())
      return parser.emitError(loc)
             << "'" << key
             << "' is no list of im2col, or stands behind one that follows it; "
                "the order is that of IREE's dumps";
    keys = ArrayRef(std::next(known), keys.end());
    SmallVector<int64_t> list, groups;
    bool isOfLists = key == "output_sizes";
    if (parser.parseEqual() ||
        parseNumbers(parser, list, isOfLists ? &groups : nullptr, numbers))
      return failure();
    result.addAttribute(key, b.getDenseI64ArrayAttr(list));
    if (isOfLists)
      result.addAttribute(groupsName, b.getDenseI64ArrayAttr(groups));
  }
  SmallVector<Value> arrays;
  Type type;
  if (parseTyped(parser, arrays) || parser.parseKeyword("outs") ||
      parseTyped(parser, arrays) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseArrow() ||
      parser.parseType(type))
    return failure();
  result.addOperands(arrays);
  result.addOperands(operands);
  result.addOperands(numbers);
  result.addTypes(type);
  result.addAttribute("operandSegmentSizes",
                      b.getDenseI32ArrayAttr(
                          {1, 1, pads, static_cast<int32_t>(numbers.size())}));
  return success();
}

SmallVector<int64_t> Im2colOp::getGroups() {
  auto groups = (*this)->getAttrOfType<DenseI64ArrayAttr>(groupsName);
  return groups ? llvm::to_vector(groups.asArrayRef()) : SmallVector<int64_t>();
}

SmallVector<OpFoldResult> Im2colOp::getList(StringRef key) {
  // Operands are in the order of the keys.
  OperandRange rest = getNumbers();
  SmallVector<OpFoldResult> list;
  for (StringRef each : getKeys()) {
    auto numbers = (*this)->getAttrOfType<DenseI64ArrayAttr>(each);
    for (int64_t number :
         numbers ? numbers.asArrayRef() : ArrayRef<int64_t>()) {
      bool isValue = ShapedType::isDynamic(number);
      if (each == key)
        list.push_back(isValue ? OpFoldResult(rest.front())
                               : OpFoldResult(IntegerAttr::get(
                                     IndexType::get(getContext()), number)));
      if (isValue)
        rest = rest.drop_front();
    }
  }
  return list;
}

static void printNumber(OpAsmPrinter &printer, OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    printer << value;
  else
    printer << *getConstantIntValue(number);
}

void Im2colOp::print(OpAsmPrinter &printer) {
  SmallVector<StringRef> written{"operandSegmentSizes", groupsName};
  llvm::append_range(written, getKeys());
  printer.printOptionalAttrDict((*this)->getAttrs(), written);
  for (StringRef key : getKeys()) {
    if (!(*this)->hasAttr(key))
      continue;
    SmallVector<OpFoldResult> list = getList(key);
    auto print = [&](OpFoldResult number) { printNumber(printer, number); };
    printer << ' ' << key << " = [";
    if (key != "output_sizes") {
      llvm::interleaveComma(list, printer, print);
    } else {
      ArrayRef<OpFoldResult> rest = list;
      llvm::interleaveComma(getGroups(), printer, [&](int64_t length) {
        printer << '[';
        llvm::interleaveComma(rest.take_front(length), printer, print);
        printer << ']';
        rest = rest.drop_front(length);
      });
    }
    printer << ']';
  }
  if (Value pad = getPadValue())
    printer << " pad_value(" << pad << " : " << pad.getType() << ')';
  printer << " ins(" << getInput() << " : " << getInput().getType() << ") outs("
          << getOutput() << " : " << getOutput().getType() << ") -> "
          << getResult().getType();
}
