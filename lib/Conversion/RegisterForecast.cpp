//===- RegisterForecast.cpp - Forecast of register allocation -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/RegisterForecast.h"
#include "ConvertToLLVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace distaff;

/// Returns whether loads that are issued early may fill a lane's registers.
static bool mayBeFull(const LaneRegisters &lane, const Target &target,
                      int64_t allowed) {
  int64_t early = withEarlyLoads(std::max(lane.early, lane.inOrder));
  return early + target.overheadRegisters > allowed &&
         fillsMost(lane.scheduled, allowed);
}

bool distaff::maySqueeze(int64_t taken, const Target &target, int64_t lanes) {
  constexpr int64_t mostResident = 8;
  for (int64_t resident = 2; resident <= mostResident; ++resident) {
    int64_t room = target.registersFor(resident * lanes);
    if (room < taken && taken <= room + room / 4)
      return true;
  }
  return false;
}

RegisterForecast distaff::forecastOf(const LaneRegisters &lane,
                                     const Target &target, int64_t lanes,
                                     std::optional<int64_t> resident) {
  assert(lanes > 0 && resident.value_or(1) > 0 && "there are lanes");
  RegisterForecast forecast;
  forecast.at = lane.at;
  forecast.needed = lane.scheduled;
  forecast.available = target.registersFor(lanes);
  // A few registers are reserved for moves.
  constexpr int64_t reserved = 4;
  // A count of few spills may be wrong: ptxas finds orders that are not tried.
  constexpr int64_t few = 20;
  int64_t spilled = forecast.needed + reserved - forecast.available;
  forecast.spilledBytes = spilled > few ? 4 * spilled : 0;
  int64_t whole = llvm::alignTo(lanes, target.subgroupSize);
  int64_t allowed = target.registersFor(resident.value_or(1) * whole);
  forecast.registers = lane.taken();
  forecast.mayBeFull =
      ::mayBeFull(lane, target, allowed) ||
      (!resident && maySqueeze(forecast.registers, target, whole));
  return forecast;
}

RegisterForecast distaff::forecastRegisters(LLVM::LLVMFuncOp kernel,
                                            const Target &target,
                                            int64_t lanes) {
  // Everything fits this limit, so no op moves.
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  auto resident = kernel->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  return forecastOf(orderForRegisters(kernel, any), target, lanes,
                    resident ? std::optional(resident.getInt()) : std::nullopt);
}

void distaff::warnOfSpills(LLVM::LLVMFuncOp kernel,
                           const RegisterForecast &forecast,
                           const Target &target, int64_t lanes) {
  int64_t spilled = forecast.spilledBytes / 4;
  if (spilled == 0)
    return;
  emitWarning(forecast.at ? forecast.at->getLoc() : kernel.getLoc())
      << "about " << forecast.needed
      << " registers per lane hold vectors here, " << target.name << " has "
      << forecast.available << " for everything in a workgroup of " << lanes
      << " lanes: "
      << (2 * spilled > forecast.needed ? "most, about " : "some, about ")
      << spilled
      << " of them, will be spilled to memory; smaller tiles or more lanes "
         "take fewer";
}
