//===- InputLegality.h - Which kernels are accepted -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is refused before anything is ranked, and the rewrites that bring the
// rest to a form that can be.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONFIGURE_INPUTLEGALITY_H
#define DISTAFF_LIB_CONFIGURE_INPUTLEGALITY_H

#include "distaff/Analysis/Linalg/FusedGroup.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

/// Refuses what a user's `lowering_config` asks for in vain; `workgroupSize` is
/// the user's, or 0.
LogicalResult checkUserConfigs(const FusedGroup &group, const Target &machine,
                               int64_t workgroupSize);

/// Gives `root` what the `lowering_config` of its function says, over what its
/// own says, and takes it from the function.
LogicalResult moveConfigToRoot(func::FuncOp kernel, Operation *root);

/// Refuses attributes of a kernel and its ops that nothing would read, or that
/// are not of the type that is read.
LogicalResult checkAttributes(func::FuncOp kernel, const Target &machine);

/// Refuses workgroups and subgroups that the target does not have.
LogicalResult checkLaunchShape(func::FuncOp kernel, const Target &target);

/// The op by whose tiles a prepared kernel is tiled; null if it has none.
Operation *findRoot(func::FuncOp kernel);

/// Checks that a kernel is in a form that the compiler takes for a target.
/// Phases cut any tile; without them, only some kernels may have dynamic
/// extents.
LogicalResult checkForm(func::FuncOp kernel, const Target &target,
                        bool isTiledByPhases = false);

/// As prepareKernel, for a kernel whose tiles become phases of clusters.
LogicalResult prepareForClusters(func::FuncOp kernel, const Target &target);

/// Turns vector arguments and results, and scalar results, into memrefs.
LogicalResult passVectorsInMemory(func::FuncOp kernel);

/// Makes linalg.generic of other ops on tensors: what pads, joins, inserts,
/// slides windows, or keeps reduced dimensions.
LogicalResult raiseTensorOps(func::FuncOp kernel);

/// Makes linalg.generic of what moves elements of tensors, in loops too; shapes
/// stay as they are, so that layouts fit them.
LogicalResult raiseMovements(func::FuncOp kernel);

/// A reduction over nothing is what it starts from.
void dropEmptyReductions(RewriterBase &rewriter, func::FuncOp kernel);

/// A returned tensor without elements need not be computed: it is an empty one
/// of the sizes that it was to be written to.
void dropEmptyResults(RewriterBase &rewriter, func::FuncOp kernel);

/// Erases what nobody reads; it shall not decide how the rest is tiled.
void eraseUnread(func::FuncOp kernel);

/// Makes two ops of one that reduces some results and not others.
void splitResults(func::FuncOp kernel);

/// Products of elements less their zero points become products of the elements,
/// less what is too much in them.
void separateZeroPoints(func::FuncOp kernel);

/// Products over bits are combined in words, one per lane.
void widenBits(func::FuncOp kernel);

/// Reshapes between ops move to the kernel's border, where they are free; no
/// op is computed on another number of loops unless it is elementwise.
LogicalResult moveReshapes(func::FuncOp kernel);

/// Brings a linalg kernel to ops that the tiler knows: elementwise ops on
/// tensors and splat constants become linalg, and every result is computed.
LogicalResult normalizeTensors(func::FuncOp kernel);

} // namespace distaff

#endif // DISTAFF_LIB_CONFIGURE_INPUTLEGALITY_H
