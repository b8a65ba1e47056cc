//===- Records.h - What distribution writes into the log --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule says what it decided right where it emits it. All of these do
// nothing where no log is kept.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RECORDS_H
#define DISTAFF_LIB_DISTRIBUTION_RECORDS_H

#include "Distributor.h"
#include "Exchange/LaneExchange.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Layout/Conversion.h"

namespace distaff {

/// Numbers the ops of a function, and says what they are laid out as; by the
/// names that values have before ids are there. Fails where layouts are not
/// determined.
LogicalResult recordKernel(FunctionOpInterface function,
                           const DistributionOptions &options);

void recordConversion(vector_ext::ToLayoutOp op, const ConversionPlan &plan,
                      const Distributor &out);

/// Notes that a read of workgroup memory goes by matrix loads; `strides` are
/// those of memory along the dims of the vector, in elements.
/// The same of one that so many issues of an instruction do.
void recordConversion(vector_ext::ToLayoutOp op, const TargetOp &row,
                      int64_t issues, const Distributor &out);
void recordMatrixRead(Operation *op, const MatrixTiles &tiles,
                      ArrayRef<int64_t> strides, const Distributor &out);

/// `kind` is combined over `reach`; a lane folds so many elements before.
/// `rounds` of exchange between lanes, none where elements go in order.
void recordReduction(Operation *op, StringRef kind, ArrayRef<int64_t> dims,
                     int64_t elementsPerLane, const Reach &reach,
                     std::optional<int64_t> rounds, const Distributor &out);

void recordScan(vector::ScanOp op, const Reach &reach, bool inOrder,
                const Distributor &out);

/// What the places of buffers and the waits between them have come to; before
/// either is emitted.
void recordExchanges(FunctionOpInterface function, const BufferPlan &plan,
                     ArrayRef<WorkgroupBuffer> buffers, DecisionLog *log);

/// Tells of each branch that the holders of a copy take how many those are;
/// and, since all memory is there, how much that is.
void recordDistributed(FunctionOpInterface function, const HardwareIds &ids,
                       const DistributionOptions &options);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RECORDS_H
