//===- LiveRegisters.h - Registers that a laid-out kernel needs -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once every vector has a layout, it is known how many registers of a lane each
// one takes, and so how many are live at once. The assembler does better where
// it sinks loads to their uses or computes values again, and it needs some
// more for addresses and loop counters:
//
//   192 registers of vectors + 32 others <= 255 on sm_80: no spill predicted
//
// This judges what was chosen; configure predicts it before there are layouts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_REGISTERS_LIVEREGISTERS_H
#define DISTAFF_ANALYSIS_REGISTERS_LIVEREGISTERS_H

#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/DenseSet.h"

namespace distaff {

/// Says that so many registers of a lane hold vectors at the op, more than the
/// target's `spillableRegisters`, and fails.
LogicalResult refuseRegisters(Operation *op, int64_t registers,
                              const Target &target);

/// Fails at the first op of one lane's code with a vector that takes more by
/// itself. Who makes a value of each register asks first.
LogicalResult verifyLaneVectors(Operation *function, const Target &target);

/// 32-bit registers of vectors that a loop in one lane's code carries from turn
/// to turn, of the loop that carries most: so many there are at least.
int64_t registersCarried(Region &region);

struct LiveRegisters {
  int64_t vectors = 0; // 32-bit registers per lane, at the worst place
  Operation *op = nullptr;
  llvm::DenseSet<Value> values; // that are live there, if asked for
};

using LayoutOfValue =
    llvm::function_ref<vector_ext::VectorLayoutInterface(Value)>;

/// Elements that one lane of the hardware holds of a value in `layout`; 0
/// without one.
int64_t laneElementsOf(vector_ext::VectorLayoutInterface layout,
                       HardwareShape hardware);

/// 32-bit registers per lane of a value in `layout`, on the hardware.
int64_t registersOf(Value value, vector_ext::VectorLayoutInterface layout,
                    HardwareShape hardware);

/// The op of `function` at which most registers hold vectors.
LiveRegisters mostLiveRegisters(FunctionOpInterface function,
                                const LayoutMap &layouts,
                                HardwareShape hardware);
/// The same for layouts that are not in the IR yet.
LiveRegisters mostLiveRegisters(FunctionOpInterface function,
                                LayoutOfValue layouts, HardwareShape hardware,
                                bool needsValues);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_REGISTERS_LIVEREGISTERS_H
