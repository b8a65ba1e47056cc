//===- RegisterForecast.h - Registers that code will take -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forecast of what an assembler makes of converted code, from its values
// alone: how many are live at once, in the best order that assemblers are known
// to find, and a quarter more for loads that they issue early, if the code has
// so many. docs/rationale/registers-are-forecast-from-the-best-order.md says
// how near it comes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_REGISTERFORECAST_H
#define DISTAFF_CONVERSION_REGISTERFORECAST_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

struct Target;

struct RegisterForecast {
  int64_t needed = 0;       ///< 32-bit registers of a lane, at least
  int64_t registers = 0;    ///< that the assembler takes
  int64_t available = 0;    ///< that a lane of such a workgroup can have
  int64_t spilledBytes = 0; ///< per lane, at least
  /// Whether ptxas may spill all the same: it issues loads early until no
  /// registers are left, and then now and then a few are missing. Of LLVM's
  /// allocators nothing is known.
  bool mayBeFull = false;
  Operation *at = nullptr; ///< where most are needed
};

/// For a converted kernel in workgroups of so many lanes; it is not changed.
RegisterForecast forecastRegisters(LLVM::LLVMFuncOp kernel,
                                   const Target &target, int64_t lanes);

} // namespace distaff

#endif // DISTAFF_CONVERSION_REGISTERFORECAST_H
