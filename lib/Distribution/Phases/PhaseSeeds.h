//===- PhaseSeeds.h - Anchors of the layouts of a phase ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a body has no to_layout ops, its ops determine the anchors:
//
//   contraction with a lowering_config   the fragments of its mma_kind, split
//                                        over subgroups by `subgroup`
//   values without another layout        wide accesses of rows, lane by lane
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_PHASES_PHASESEEDS_H
#define DISTAFF_LIB_DISTRIBUTION_PHASES_PHASESEEDS_H

#include "PhaseMembers.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"

namespace distaff {

/// Lays out the operands of every contraction that names an instruction, and
/// that no to_layout lays out.
void anchorContractions(Region &region, const PhaseMembers &members);

/// Returns a layout for coalesced copies: neighbouring lanes have 16 bytes each
/// of a row, then of the next; subgroups have whole rows. The rest is repeated,
/// or replicated.
vector_ext::VectorLayoutInterface spreadOut(VectorType type,
                                            const PhaseMembers &members);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_PHASES_PHASESEEDS_H
