//===- Rules.h - One distribution rule per op family ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of chapter 6: each rule has the file of its family.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_RULES_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_RULES_H

#include "../Distributor.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace distaff {

// DistributeConstant.cpp: values without a layout of their own.
/// Builds the layout-free `value` as `placement`; null, with the reason noted,
/// if there is no rule.
Value buildLayoutFree(OpBuilder &b, Value value, const Placement &placement,
                      Distributor &out);

// DistributeElementwise.cpp
LogicalResult distributeElementwise(Operation *op, Distributor &out);

// DistributeTransfer.cpp; `mask` is the operand of an enclosing vector.mask.
LogicalResult distribute(vector::TransferReadOp op, OpOperand *mask,
                         Distributor &out);
/// What is masked off is the passthru's, if there is one, instead of padding.
LogicalResult distribute(vector::TransferReadOp op, OpOperand *mask,
                         OpOperand *passthru, Distributor &out);
LogicalResult distribute(vector::TransferWriteOp op, OpOperand *mask,
                         Distributor &out);

// DistributeLoadStore.cpp
LogicalResult distribute(vector::LoadOp op, Distributor &out);
LogicalResult distribute(vector::StoreOp op, Distributor &out);
LogicalResult distribute(vector::MaskedLoadOp op, Distributor &out);
LogicalResult distribute(vector::MaskedStoreOp op, Distributor &out);
LogicalResult distribute(vector::ExpandLoadOp op, Distributor &out);
LogicalResult distribute(vector::CompressStoreOp op, Distributor &out);
LogicalResult distribute(vector::GatherOp op, OpOperand *mask,
                         Distributor &out);
LogicalResult distribute(vector::ScatterOp op, Distributor &out);

// DistributeMemory.cpp: scalar accesses of the source.
LogicalResult distribute(memref::LoadOp op, Distributor &out);
LogicalResult distribute(memref::StoreOp op, Distributor &out);

// DistributeSlices.cpp: slices of srefs.
LogicalResult distribute(pcf::ReadSliceOp op, Distributor &out);
LogicalResult distribute(pcf::WriteSliceOp op, Distributor &out);

// DistributeShape.cpp
LogicalResult distribute(vector::BroadcastOp op, Distributor &out);
LogicalResult distribute(vector::TransposeOp op, Distributor &out);
LogicalResult distribute(vector::ShapeCastOp op, Distributor &out);

// DistributeElements.cpp
LogicalResult distribute(vector::BitCastOp op, Distributor &out);
LogicalResult distribute(vector::InterleaveOp op, Distributor &out);
LogicalResult distribute(vector::DeinterleaveOp op, Distributor &out);
LogicalResult distribute(vector::ShuffleOp op, Distributor &out);
LogicalResult distribute(vector::FromElementsOp op, Distributor &out);
LogicalResult distribute(vector::ToElementsOp op, Distributor &out);

// DistributeStridedSlice.cpp
LogicalResult distribute(vector::ExtractStridedSliceOp op, Distributor &out);
LogicalResult distribute(vector::InsertStridedSliceOp op, Distributor &out);

// DistributeOuterProduct.cpp
LogicalResult distribute(vector::OuterProductOp op, OpOperand *mask,
                         Distributor &out);

// DistributeExtract.cpp
LogicalResult distribute(vector::ExtractOp op, Distributor &out);
LogicalResult distribute(vector::InsertOp op, Distributor &out);

// DistributeReduction.cpp
LogicalResult distribute(vector::MultiDimReductionOp op, OpOperand *mask,
                         Distributor &out);
LogicalResult distribute(vector::ReductionOp op, OpOperand *mask,
                         Distributor &out);

// DistributeContract.cpp
LogicalResult distribute(vector::ContractionOp op, OpOperand *mask,
                         Distributor &out);

// DistributeSemiring.cpp
LogicalResult distribute(core::ContractOp op, Distributor &out);

// DistributeArgCompare.cpp
LogicalResult distribute(vector_ext::ArgCompareOp op, Distributor &out);

// DistributeScan.cpp
LogicalResult distribute(vector::ScanOp op, Distributor &out);

// DistributeGather.cpp
LogicalResult distribute(vector_ext::TransferGatherOp op, Distributor &out);
LogicalResult distribute(vector_ext::TransferScatterOp op, Distributor &out);

// DistributeMma.cpp
LogicalResult distributeToMma(vector::ContractionOp op,
                              iree::MmaLayoutAttr kind, Distributor &out);

// DistributeTargetOp.cpp
LogicalResult distributeTargetOp(Operation *op, core::TargetOpAttr kind,
                                 Distributor &out);

// DistributeToLayout.cpp
LogicalResult distribute(vector_ext::ToLayoutOp op, Distributor &out);

// DistributeControlFlow.cpp
/// Distributes a region whose arguments and terminator operands have these
/// placements; null for a value that is no vector, no `yields` for no operands.
void distributeBody(Region &region, ArrayRef<const Placement *> arguments,
                    ArrayRef<const Placement *> yields, Distributor &out);
LogicalResult distribute(scf::ForOp op, Distributor &out);
LogicalResult distribute(scf::IfOp op, Distributor &out);
LogicalResult distribute(scf::IndexSwitchOp op, Distributor &out);
LogicalResult distribute(scf::ExecuteRegionOp op, Distributor &out);
LogicalResult distribute(scf::WhileOp op, Distributor &out);
LogicalResult distribute(vector::MaskOp op, Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_RULES_H
