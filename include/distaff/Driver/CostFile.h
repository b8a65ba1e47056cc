//===- CostFile.h - Reading and writing target costs as JSON ----*- C++ -*-===//
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
// A cost that the file leaves out is that of the target's table. Costs are
// integers on the table's scale; "infinite" marks an instruction that is never
// chosen.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_COSTFILE_H
#define DISTAFF_DRIVER_COSTFILE_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

struct Target;
class PricedTarget;

/// Returns the costs of a target as a file.
std::string writeCosts(const Target &target);

/// Reads costs into a target. Returns the error in the text, by line and name,
/// or nothing.
std::string readCosts(StringRef text, StringRef targetName,
                      PricedTarget &target);

} // namespace distaff

#endif // DISTAFF_DRIVER_COSTFILE_H
