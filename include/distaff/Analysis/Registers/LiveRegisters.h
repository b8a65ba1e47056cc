//===- LiveRegisters.h - Registers that a laid-out kernel needs -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once every vector has a layout, the registers of a lane that each one takes
// are known, and so is the register pressure. The assembler does better where
// it sinks loads to their uses or rematerializes values, and it needs some more
// registers for addresses and loop counters:
//
//   192 registers of vectors + 32 others <= 255 on sm_80: no spill predicted
//
// This checks the chosen layouts; configure predicts it before there are
// layouts.
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

/// Emits an error that the op needs so many registers of a lane for vectors,
/// more than the target's `spillableRegisters`, and fails.
LogicalResult refuseRegisters(Operation *op, int64_t registers,
                              const Target &target);

/// Fails at the first op of one lane's code with a vector that alone takes
/// more. Passes that split vectors into registers must check this first.
LogicalResult verifyLaneVectors(Operation *function, const Target &target);

/// Returns the 32-bit registers of vectors that a loop in one lane's code
/// carries between iterations, for the loop that carries most: a lower bound.
int64_t registersCarried(Region &region);

struct LiveRegisters {
  int64_t vectors = 0; // 32-bit registers per lane, at the worst place
  Operation *op = nullptr;
  llvm::DenseSet<Value> values; // live there, if requested
};

using LayoutOfValue =
    llvm::function_ref<vector_ext::VectorLayoutInterface(Value)>;

/// Returns the number of elements that one lane of the hardware holds of a
/// value in `layout`; 0 without a layout.
int64_t laneElementsOf(vector_ext::VectorLayoutInterface layout,
                       HardwareShape hardware);

/// Returns the 32-bit registers per lane of a value in `layout`, on the
/// hardware.
int64_t registersOf(Value value, vector_ext::VectorLayoutInterface layout,
                    HardwareShape hardware);

/// Returns the op of `function` at which most registers hold vectors.
LiveRegisters mostLiveRegisters(FunctionOpInterface function,
                                const LayoutMap &layouts,
                                HardwareShape hardware);
/// Returns the same for layouts that are not in the IR yet.
LiveRegisters mostLiveRegisters(FunctionOpInterface function,
                                LayoutOfValue layouts, HardwareShape hardware,
                                bool needsValues);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_REGISTERS_LIVEREGISTERS_H
