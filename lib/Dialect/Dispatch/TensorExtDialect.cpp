//===- TensorExtDialect.cpp - The parts of iree_tensor_ext that are read --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/Dispatch.h"
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::dispatch;

#include "distaff/Dialect/Dispatch/TensorExtDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/Dispatch/TensorExtTypes.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Dispatch/TensorExt.cpp.inc"

void TensorExtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "distaff/Dialect/Dispatch/TensorExtTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/Dispatch/TensorExt.cpp.inc"
      >();
}

static ParseResult parseAccess(AsmParser &parser, StringRef &access) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(
          &access, {"readonly", "writeonly", "readwrite"})))
    return success();
  return parser.emitError(loc) << "expected readonly, writeonly or readwrite";
}

// dispatch-tensor ::= `<` access `:` tensor `>`
Type DispatchTensorType::parse(AsmParser &parser) {
  StringRef access;
  Type bound;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseAccess(parser, access) ||
      parser.parseColon() || parser.parseType(bound) || parser.parseGreater())
    return {};
  auto tensor = dyn_cast<RankedTensorType>(bound);
  // A single element may be written without its tensor.
  if (!tensor && bound.isIntOrIndexOrFloat())
    tensor = RankedTensorType::get({}, bound);
  if (!tensor) {
    parser.emitError(loc) << "a binding holds a ranked tensor, got " << bound;
    return {};
  }
  return get(parser.getContext(), access, tensor);
}

void DispatchTensorType::print(AsmPrinter &printer) const {
  printer << '<' << getAccess() << ':' << getBound() << '>';
}

Attribute TensorExtDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  return parseForeignAttribute(parser, type);
}

void TensorExtDialect::printAttribute(Attribute, DialectAsmPrinter &) const {}

Type TensorExtDialect::parseType(DialectAsmParser &parser) const {
  static constexpr StringLiteral defined[] = {
      DispatchTensorType::getMnemonic()};
  return parseReadType(parser, defined, generatedTypeParser);
}

void TensorExtDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

std::optional<Dialect::ParseOpHook>
TensorExtDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseForeignOp);
}

static LogicalResult verifyAccess(Operation *op, Type tensor,
                                  StringRef forbidden, StringRef does) {
  if (cast<DispatchTensorType>(tensor).getAccess() != forbidden)
    return success();
  return op->emitOpError(does)
         << " a tensor that is " << forbidden << "; say readwrite in its type";
}

LogicalResult DispatchTensorLoadOp::verify() {
  return verifyAccess(*this, getSource().getType(), "writeonly", "reads");
}

LogicalResult DispatchTensorStoreOp::verify() {
  return verifyAccess(*this, getTarget().getType(), "readonly", "writes");
}
