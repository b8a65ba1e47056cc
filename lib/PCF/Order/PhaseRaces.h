//===- PhaseRaces.h - Races between the members of a phase ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group runs the accesses of a phase one after the other; its members do not
// wait for each other between them. So of two accesses to an element, one of
// which writes, both must be the same member's, and no other's. Members that
// hold replicas all read what one of them writes; if that is a race, and the
// phase yields nothing, only the writing member runs the phase.
//
//   read  %r[0] [64]     64 members, one element each
//   write %r[0] [64]     each member writes what it read: in order
//   read  %r[1] [63]     reads what its neighbor writes: a race
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_ORDER_PHASERACES_H
#define DISTAFF_LIB_PCF_ORDER_PHASERACES_H

#include "../Distribute/TensorTiling.h"

namespace distaff::pcf {

/// Fails if members of `op`, each with its boxes of every tensor, may race;
/// `refusal` names the accesses and a remedy. Returns true if there is no race
/// only when one of the members with equal boxes runs the phase, and false if
/// there is none when all of them do.
/// \pre the tiling is complete
FailureOr<bool> needsOneReplica(RunClusterOp op, const BodyTiling &tiling,
                                const WorkerGrid &grid, Refusal &refusal);

/// Returns whether two accesses in phases of one executor share no element,
/// whatever the values around them are.
bool areAccessesApart(OffsetSizeAndStrideOpInterface a, Value refA,
                      OffsetSizeAndStrideOpInterface b, Value refB);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_ORDER_PHASERACES_H
