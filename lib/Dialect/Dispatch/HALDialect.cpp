//===- HALDialect.cpp - The parts of the hal dialect that are read --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; parses and prints its attributes and ops.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/Dispatch.h"
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::dispatch;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Parses flags: a keyword, or a string if there are several.
static ParseResult parseBindingFlags(AsmParser &parser, StringAttr &flags) {
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  flags = StringAttr::get(parser.getContext(), text);
  return success();
}

static void printBindingFlags(AsmPrinter &printer, Operation *,
                              StringAttr flags) {
  printer.printKeywordOrString(flags.getValue());
}

Attribute DescriptorTypeAttr::parse(AsmParser &parser, Type) {
  StringRef kind;
  if (parser.parseLess() || parser.parseKeyword(&kind) || parser.parseGreater())
    return {};
  return get(parser.getContext(), kind);
}

void DescriptorTypeAttr::print(AsmPrinter &printer) const {
  printer << '<' << getKind() << '>';
}

Attribute PipelineBindingAttr::parse(AsmParser &parser, Type) {
  StringRef kind;
  StringAttr flags;
  if (parser.parseLess() || parser.parseKeyword(&kind) ||
      (succeeded(parser.parseOptionalComma()) &&
       parseBindingFlags(parser, flags)) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), kind, flags);
}

void PipelineBindingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getKind();
  if (getFlags()) {
    printer << ", ";
    printBindingFlags(printer, nullptr, getFlags());
  }
  printer << '>';
}

// pipeline-layout ::= `<` (`constants` `=` int `,`)?
//                         `bindings` `=` `[` bindings `]`
//                         (`,` `flags` `=` flags)? `>`
Attribute PipelineLayoutAttr::parse(AsmParser &parser, Type) {
  int64_t constants = 0;
  SmallVector<PipelineBindingAttr> bindings;
  StringAttr flags;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("constants")) &&
      (parser.parseEqual() || parser.parseInteger(constants) ||
       parser.parseComma()))
    return {};
  if (parser.parseKeyword("bindings") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseAttribute(bindings.emplace_back());
      }))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("flags") || parser.parseEqual() ||
       parseBindingFlags(parser, flags)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), constants, bindings, flags);
}

void PipelineLayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getConstants())
    printer << "constants = " << getConstants() << ", ";
  printer << "bindings = [";
  llvm::interleaveComma(getBindings(), printer);
  printer << ']';
  if (getFlags()) {
    printer << ", flags = ";
    printBindingFlags(printer, nullptr, getFlags());
  }
  printer << '>';
}

#include "distaff/Dialect/Dispatch/HALDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/Dispatch/HALAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/Dispatch/HALTypes.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/HAL.cpp.inc"

void HALDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/Dispatch/HALAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "distaff/Dialect/Dispatch/HALTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/Dispatch/HAL.cpp.inc"
      >();
}

Attribute HALDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  static constexpr StringLiteral defined[] = {
      DescriptorTypeAttr::getMnemonic(), PipelineBindingAttr::getMnemonic(),
      PipelineLayoutAttr::getMnemonic(), ExecutableTargetAttr::getMnemonic()};
  return parseReadAttribute(parser, type, defined, generatedAttributeParser);
}

void HALDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Type HALDialect::parseType(DialectAsmParser &parser) const {
  static constexpr StringLiteral defined[] = {DeviceType::getMnemonic()};
  return parseReadType(parser, defined, generatedTypeParser);
}

void HALDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

std::optional<Dialect::ParseOpHook>
HALDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseForeignOp);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Parses `public @name`.
static ParseResult parseSymbol(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  return parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                                result.attributes);
}

static void printSymbol(OpAsmPrinter &printer, Operation *op) {
  printer << ' ';
  if (auto visibility =
          op->getAttrOfType<StringAttr>(SymbolTable::getVisibilityAttrName()))
    printer << visibility.getValue() << ' ';
  printer.printSymbolName(SymbolTable::getSymbolName(op).getValue());
}

/// Parses a region without arguments, which may be empty in text.
static ParseResult parseContainerBody(OpAsmParser &parser,
                                      OperationState &result) {
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, /*arguments=*/{}))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

static void printContainerBody(OpAsmPrinter &printer, Operation *op,
                               ArrayRef<StringRef> spelled) {
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), spelled);
  printer << ' ';
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

ParseResult ExecutableOp::parse(OpAsmParser &parser, OperationState &result) {
  return failure(parseSymbol(parser, result) ||
                 parseContainerBody(parser, result));
}

void ExecutableOp::print(OpAsmPrinter &printer) {
  printSymbol(printer, *this);
  printContainerBody(printer, *this,
                     {getSymNameAttrName(), getSymVisibilityAttrName()});
}

ParseResult ExecutableVariantOp::parse(OpAsmParser &parser,
                                       OperationState &result) {
  ExecutableTargetAttr target;
  if (parseSymbol(parser, result) || parser.parseKeyword("target") ||
      parser.parseLParen() ||
      parser.parseCustomAttributeWithFallback(
          target, Type(), getTargetAttrName(result.name), result.attributes) ||
      parser.parseRParen())
    return failure();
  return parseContainerBody(parser, result);
}

void ExecutableVariantOp::print(OpAsmPrinter &printer) {
  printSymbol(printer, *this);
  printer << " target(";
  printer.printStrippedAttrOrType(getTarget());
  printer << ')';
  printContainerBody(
      printer, *this,
      {getSymNameAttrName(), getSymVisibilityAttrName(), getTargetAttrName()});
}

/// Parses `count(...) -> (index, index, index) {...}`, if there is one.
static ParseResult parseWorkgroupCount(OpAsmParser &parser, Region *region) {
  if (failed(parser.parseOptionalKeyword("count")))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  return failure(parser.parseArgumentList(arguments,
                                          AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseArrowTypeList(results) ||
                 parser.parseRegion(*region, arguments));
}

/// Parses `<key = value, ...>`, the form of properties after a region.
static ParseResult parseTrailingProperties(OpAsmParser &parser,
                                           NamedAttrList &attributes) {
  if (failed(parser.parseOptionalLess()))
    return success();
  auto parseEntry = [&]() -> ParseResult {
    StringRef key;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parser.parseAttribute(value))
      return failure();
    if (key != "workgroup_size" && key != "subgroup_size" &&
        key != "workgroup_local_memory")
      return parser.emitError(loc)
             << "'" << key << "' is no property of an export that is read";
    // A number without a type is an i64.
    if (auto number = dyn_cast<IntegerAttr>(value))
      value = parser.getBuilder().getIndexAttr(number.getInt());
    attributes.set(key, value);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseEntry) ||
                 parser.parseGreater());
}

ParseResult ExecutableExportOp::parse(OpAsmParser &parser,
                                      OperationState &result) {
  if (parseSymbol(parser, result))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("ordinal"))) {
    int64_t ordinal = 0;
    if (parser.parseLParen() || parser.parseInteger(ordinal) ||
        parser.parseRParen())
      return failure();
    result.addAttribute(getOrdinalAttrName(result.name),
                        parser.getBuilder().getIndexAttr(ordinal));
  }
  PipelineLayoutAttr layout;
  if (parser.parseKeyword("layout") || parser.parseLParen() ||
      parser.parseCustomAttributeWithFallback(
          layout, Type(), getLayoutAttrName(result.name), result.attributes) ||
      parser.parseRParen())
    return failure();
  return failure(parseWorkgroupCount(parser, result.addRegion()) ||
                 parseTrailingProperties(parser, result.attributes) ||
                 parser.parseOptionalAttrDictWithKeyword(result.attributes));
}

void ExecutableExportOp::print(OpAsmPrinter &printer) {
  printSymbol(printer, *this);
  if (std::optional<APInt> ordinal = getOrdinal())
    printer << " ordinal(" << ordinal->getSExtValue() << ')';
  printer << " layout(" << getLayout() << ')';
  Region &count = getWorkgroupCount();
  if (!count.empty()) {
    printer << " count(";
    llvm::interleaveComma(
        count.getArguments(), printer,
        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") -> (index, index, index) ";
    printer.printRegion(count, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getSymVisibilityAttrName(),
                            getOrdinalAttrName(), getLayoutAttrName()});
}

bool InterfaceBindingSubspanOp::isReadOnly() {
  std::optional<StringRef> flags = getFlags();
  return flags && flags->contains("ReadOnly");
}

LogicalResult InterfaceBindingSubspanOp::verify() {
  int64_t number = getBinding().getSExtValue();
  int64_t known = getLayout().getBindings().size();
  if (number >= 0 && number < known)
    return success();
  return emitOpError("is of binding ") << number << ", and its layout has "
                                       << known << "; correct one of them";
}

LogicalResult InterfaceConstantLoadOp::verify() {
  int64_t number = getOrdinal().getSExtValue();
  int64_t known = getLayout().getConstants();
  if (number >= 0 && number < known)
    return success();
  return emitOpError("is of constant ") << number << ", and its layout passes "
                                        << known << "; correct one of them";
}
