//===- IREEGPUDialect.cpp - The iree_gpu dialect --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; includes the generated code of attributes and ops. It
// is separate from iree_codegen's, as both define static parsers of the same
// names.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"

#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::iree;

#include "distaff/Dialect/IREE/FenceLevel.cpp.inc"
#include "distaff/Dialect/IREE/IREEGPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/IREE/IREEGPUAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/IREE/IREEGPU.cpp.inc"

namespace {
/// Scopes of a GPU create ops of gpu and arith, in memory spaces of gpu.
class GPUScopeDialects final : public pcf::PCFConversionDialectInterface {
public:
  using PCFConversionDialectInterface::PCFConversionDialectInterface;

  void loadSRefLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<gpu::GPUDialect>();
  }
  void
  loadStructuralLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<arith::ArithDialect, gpu::GPUDialect>();
  }
};
} // namespace

void IREEGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/IREE/IREEGPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/IREE/IREEGPU.cpp.inc"
      >();
  addInterfaces<GPUScopeDialects>();
}

/// Attributes of IREE's dumps that kernels do not need, kept as text. Others
/// are errors.
static constexpr StringLiteral foreignAttributes[] = {"target",
                                                      "pipeline",
                                                      "pipeline_options",
                                                      "lane_constant",
                                                      "lane_increment",
                                                      "gpu_encoding_resolver",
                                                      "mma_semantics",
                                                      "virtual_mma_layout",
                                                      "scaled_mma_layout",
                                                      "data_tiled_mma_layout"};

Attribute IREEGPUDialect::parseAttribute(DialectAsmParser &parser,
                                         Type type) const {
  return dispatch::parseDefinedAttribute(parser, type, foreignAttributes,
                                         generatedAttributeParser);
}

void IREEGPUDialect::printAttribute(Attribute attribute,
                                    DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

std::optional<Dialect::ParseOpHook>
IREEGPUDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(dispatch::refuseForeignOp);
}

//===----------------------------------------------------------------------===//
// lane_id
//===----------------------------------------------------------------------===//

int64_t LaneIdAttr::getMappingId() const { return getDim(); }

bool LaneIdAttr::isLinearMapping() const { return false; }

int64_t LaneIdAttr::getRelativeIndex() const { return getDim(); }

//===----------------------------------------------------------------------===//
// barrier_region
//===----------------------------------------------------------------------===//

LogicalResult BarrierRegionOp::verify() {
  TypeRange inputs = getInputs().getTypes();
  Operation *end = getBody().front().getTerminator();
  if (getBody().front().getArgumentTypes() == inputs &&
      getResultTypes() == inputs && end->getOperandTypes() == inputs)
    return success();
  return emitOpError("has inputs of types ")
         << inputs
         << ", needed as those of its block's arguments, of what it "
            "yields and of its results";
}
