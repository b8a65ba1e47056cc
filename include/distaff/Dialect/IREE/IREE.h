//===- IREE.h - Inherited attributes and ops --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few attributes and ops of iree_codegen and iree_gpu that kernels mention,
// in their inherited spelling:
//
//   #iree_codegen.translation_info  how a function is launched
//   #iree_gpu.lowering_config       how a linalg op is tiled
//   #iree_gpu.mma_layout            an MMA instruction
//   #iree_gpu.derived_thread_config, .use_global_load_dma
//                                   how an operand gets to shared memory
//   iree_codegen.load_from_buffer, .store_to_buffer, .dispatch_config
//                                   ops of IREE's dumps of a dispatch
//   iree_codegen.inner_tiled        such an instruction, until Conversion
//
// and the scopes of a GPU, with their barriers and fences until Conversion:
//
//   #iree_codegen.workgroup_scope, #iree_gpu.subgroup_scope, .lane_scope
//   iree_gpu.global_subgroup_barrier, .lane_barrier, .fence
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_IREE_IREE_H
#define DISTAFF_DIALECT_IREE_IREE_H

#include "distaff/Dialect/PCF/Scopes.h"
#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h"
#include "distaff/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
// Complete in distaff/Target, which this header does not include, so that code
// without access to the instruction tables (Simt) cannot read a row by mistake.
struct MmaRow;
} // namespace distaff

namespace distaff::iree {

/// Registers the dialects iree_codegen and iree_gpu.
void registerIREE(DialectRegistry &registry);

} // namespace distaff::iree

#include "distaff/Dialect/IREE/FenceLevel.h.inc"
#include "distaff/Dialect/IREE/IREECodegenDialect.h.inc"
#include "distaff/Dialect/IREE/IREEGPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/IREE/IREEGPUAttrs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/IREE/IREECodegenAttrs.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/IREE/IREECodegen.h.inc"
#define GET_OP_CLASSES
#include "distaff/Dialect/IREE/IREEGPU.h.inc"

#endif // DISTAFF_DIALECT_IREE_IREE_H
