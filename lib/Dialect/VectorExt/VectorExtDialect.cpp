//===- VectorExtDialect.cpp - The iree_vector_ext dialect -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; includes the generated code of attributes and ops.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/VectorExt/ClassicGathers.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

#include "distaff/Dialect/VectorExt/VectorExtDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/VectorExt/VectorExtAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/VectorExt/VectorExt.cpp.inc"

void VectorExtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/VectorExt/VectorExtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/VectorExt/VectorExt.cpp.inc"
      >();
}

/// Verifies an attribute of a function's argument or result: `position` is
/// "argument" or "result".
static LogicalResult verifyLayoutAttribute(Operation *op, StringRef position,
                                           unsigned number, Type type,
                                           NamedAttribute attribute) {
  auto refuse = [&](const Twine &why) {
    return op->emitError() << position << " #" << number << " has attribute '"
                           << attribute.getName().getValue() << "', " << why;
  };
  if (attribute.getName() != layoutAttributeName)
    return refuse("which is none of this dialect's; a layout is '" +
                  layoutAttributeName + "'");
  auto layout = dyn_cast<VectorLayoutInterface>(attribute.getValue());
  if (!layout)
    return refuse("which is no layout");
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return refuse("and is no vector; lay out what is read of it by "
                  "'iree_vector_ext.to_layout'");
  return layout.isValidLayout(vector, op->getLoc());
}

LogicalResult
VectorExtDialect::verifyRegionArgAttribute(Operation *op, unsigned region,
                                           unsigned argument,
                                           NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyLayoutAttribute(op, "argument", argument,
                                          function.getArgumentTypes()[argument],
                                          attribute)
                  : success();
}

LogicalResult VectorExtDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyLayoutAttribute(op, "result", result,
                                          function.getResultTypes()[result],
                                          attribute)
                  : success();
}

Value vector_ext::layOutAs(OpBuilder &builder, Value value, Attribute layout) {
  if (!layout)
    return value;
  return ToLayoutOp::create(builder, value.getLoc(), value,
                            cast<VectorLayoutInterface>(layout));
}

void vector_ext::printClassicGathers(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, VectorExtDialect *dialect) {
    dialect->addInterfaces<ClassicGathers>();
  });
}

void vector_ext::registerVectorExt(DialectRegistry &registry) {
  registry.insert<VectorExtDialect>();
}
