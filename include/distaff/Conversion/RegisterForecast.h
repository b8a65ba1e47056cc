//===- RegisterForecast.h - Forecast of register allocation -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forecasts the registers that an assembler allocates for converted code from
// its values alone: how many are live at once, in the best order that
// assemblers are known to find, and a quarter more for loads that they issue
// early, if the code has so many.
// docs/rationale/register-pressure-assumes-the-best-schedule.md gives the
// accuracy.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_CONVERSION_REGISTERFORECAST_H
#define DISTAFF_CONVERSION_REGISTERFORECAST_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace distaff {

struct Target;

struct RegisterForecast {
  int64_t needed = 0;       ///< 32-bit registers that a lane needs at least
  int64_t registers = 0;    ///< registers that the assembler allocates
  int64_t available = 0;    ///< registers that a lane can have
  int64_t spilledBytes = 0; ///< bytes that a lane spills at least
  /// Whether ptxas may spill even so: it issues loads early until no registers
  /// are left, and then now and then a few are missing. For LLVM's allocators
  /// no such effect is known.
  bool mayBeFull = false;
  Operation *at = nullptr; ///< the op at which the register pressure is highest
};

/// Returns the forecast for a converted kernel in workgroups of `lanes` lanes;
/// the kernel is not changed.
RegisterForecast forecastRegisters(LLVM::LLVMFuncOp kernel,
                                   const Target &target, int64_t lanes);

} // namespace distaff

#endif // DISTAFF_CONVERSION_REGISTERFORECAST_H
