//===- CostFile.h - The costs of a target as a file -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `distaff targets NAME --costs` writes such a file, and `--costs FILE` reads
// it (VX-154):
//
//   {
//     "schema": "distaff-costs",
//     "version": 1,
//     "target": "sm_80",
//     "moves": { "shuffle": 4, ... },
//     "mma": { "NV_MMA_SYNC_F32_16x8x16_F16": 8, ... }
//   }
//
// What a file leaves out costs what the target's table says. Numbers are whole
// and on the table's scale; "infinite" is an instruction that is never chosen.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_COSTFILE_H
#define DISTAFF_DRIVER_COSTFILE_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

struct Target;
class PricedTarget;

/// Writes the costs of a target.
std::string writeCosts(const Target &target);

/// Reads costs into a target. Returns what is wrong with the text, by line and
/// name, or nothing.
std::string readCosts(StringRef text, StringRef targetName,
                      PricedTarget &target);

} // namespace distaff

#endif // DISTAFF_DRIVER_COSTFILE_H
