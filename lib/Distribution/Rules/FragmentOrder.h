//===- FragmentOrder.h - The register order of an MMA -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix load fills neighbouring registers of the machine, and an MMA
// instruction reads each operand from neighbouring ones. The rule of a load
// computes here the order in which the load's product reads it (VX-250):
//
//   %a = to_layout %x {shared_memory_conversion}   loads words in this order
//   %w = arith.extf %a
//   %l = to_layout %w {mma_kind = m16n8k16}        o_k, o_m, e of each batch
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_RULES_FRAGMENTORDER_H
#define DISTAFF_LIB_DISTRIBUTION_RULES_FRAGMENTORDER_H

#include "../Distributor.h"

namespace distaff {

/// Lists all registers of a value operand by operand, batch after batch, each
/// operand in the instruction's order.
struct FragmentOrder {
  SmallVector<int64_t> registers;
  int64_t perOperand = 0;
};

/// Returns the order in which an MMA instruction takes the registers of an
/// undistributed value that it multiplies, as it is or after elementwise ops.
/// The order is empty for a value that no such instruction takes.
FragmentOrder fragmentOrderOf(Value value, Distributor &out);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_RULES_FRAGMENTORDER_H
