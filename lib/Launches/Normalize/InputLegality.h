//===- InputLegality.h - Input legality -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that refuse kernels before anything is ranked, and rewrites that bring
// the others to a form that can be ranked.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_INPUTLEGALITY_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_INPUTLEGALITY_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Checks that a kernel is in a form that the compiler takes for a target.
/// Phases handle partial tiles; without them, only some kernels may have
/// dynamic extents.
LogicalResult checkForm(func::FuncOp kernel, const Target &target,
                        bool isTiledByPhases = false);

/// Converts vector arguments and results, and scalar results, into memrefs.
LogicalResult passVectorsInMemory(func::FuncOp kernel);

/// Replaces other ops on tensors by linalg.generic: padding, concatenation,
/// insertion, sliding windows, and reductions that keep dimensions.
LogicalResult raiseTensorOps(func::FuncOp kernel);

/// Replaces ops that move elements of tensors by linalg.generic, in loops too;
/// shapes stay as they are, so that layouts fit them.
LogicalResult raiseMovements(func::FuncOp kernel);

/// Replaces a reduction over nothing by its init.
void dropEmptyReductions(RewriterBase &rewriter, func::FuncOp kernel);

/// Replaces a returned tensor without elements by an empty one of the sizes of
/// its destination.
void dropEmptyResults(RewriterBase &rewriter, func::FuncOp kernel);

/// Erases ops that no op reads, so that they do not affect how the rest is
/// tiled.
void eraseUnread(func::FuncOp kernel);

/// Splits an op that reduces some results and not others into two.
void splitResults(func::FuncOp kernel);

/// Rewrites products of elements minus their zero points to products of the
/// elements, minus correction terms.
void separateZeroPoints(func::FuncOp kernel);

/// Rewrites products over bits to combine words, one per lane.
void widenBits(func::FuncOp kernel);

/// Moves reshapes between ops to the kernel's border, where they are free. The
/// number of loops changes only for elementwise ops.
LogicalResult moveReshapes(func::FuncOp kernel);

/// Brings a linalg kernel to ops that the tiler supports: elementwise ops on
/// tensors and splat constants become linalg, and every result is computed.
LogicalResult normalizeTensors(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_INPUTLEGALITY_H
