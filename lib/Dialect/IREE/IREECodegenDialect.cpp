//===- IREECodegenDialect.cpp - The iree_codegen dialect ------------------===//
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
#include "distaff/Dialect/IREE/IREE.h"

#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::iree;

/// Parses `(%x, 4)`.
static ParseResult
parseWorkgroupCounts(OpAsmParser &parser,
                     SmallVectorImpl<OpAsmParser::UnresolvedOperand> &sizes,
                     DenseI64ArrayAttr &staticSizes) {
  return parseDynamicIndexList(parser, sizes, staticSizes,
                               /*valueTypes=*/nullptr,
                               AsmParser::Delimiter::Paren);
}

static void printWorkgroupCounts(OpAsmPrinter &printer, Operation *op,
                                 OperandRange sizes,
                                 DenseI64ArrayAttr staticSizes) {
  printDynamicIndexList(printer, op, sizes, staticSizes, TypeRange(),
                        AsmParser::Delimiter::Paren);
}

#include "distaff/Dialect/IREE/IREECodegenDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/IREE/IREECodegenAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/IREE/IREECodegen.cpp.inc"

namespace {
/// The scope of workgroups creates ops of gpu and arith.
class CodegenScopeDialects final : public pcf::PCFConversionDialectInterface {
public:
  using PCFConversionDialectInterface::PCFConversionDialectInterface;

  void
  loadStructuralLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<arith::ArithDialect, gpu::GPUDialect>();
  }
};
} // namespace

void IREECodegenDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/IREE/IREECodegenAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/IREE/IREECodegen.cpp.inc"
      >();
  addInterfaces<CodegenScopeDialects>();
}

void iree::registerIREE(DialectRegistry &registry) {
  registry.insert<IREECodegenDialect, IREEGPUDialect>();
}

/// Tiling attributes of IREE's own pipelines, which are kept as text. Other
/// attributes are errors.
static constexpr StringLiteral foreignAttributes[] = {
    "lowering_config", "compilation_info", "export_config",
    "ukernel_descriptor", "denormal_fp_math"};

Attribute IREECodegenDialect::parseAttribute(DialectAsmParser &parser,
                                             Type type) const {
  return dispatch::parseDefinedAttribute(parser, type, foreignAttributes,
                                         generatedAttributeParser);
}

void IREECodegenDialect::printAttribute(Attribute attribute,
                                        DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

std::optional<Dialect::ParseOpHook>
IREECodegenDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(dispatch::refuseForeignOp);
}
