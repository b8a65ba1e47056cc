//===- SeparatedLoads.h - Loads after a barrier -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane sees its own writes without any barrier. If another lane loads the
// element instead, the load must come after a barrier:
//
//   vector.store %x, %a[%mine]        each lane its own
//   %y = vector.load %a[%mine]        so is this: no barrier, and right
//   %z = nvgpu.ldmatrix %a[%row]      others' elements: a race
//
// So another lane may execute a load only if a barrier lies on every path
// between it and every write of the same allocation, before it and after it.
// Paths are those of structured control flow; a barrier in a loop that may run
// zero iterations does not count.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_STAGING_SEPARATEDLOADS_H
#define DISTAFF_LIB_STAGING_SEPARATEDLOADS_H

#include "distaff/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace distaff {

class SeparatedLoads {
public:
  explicit SeparatedLoads(FunctionOpInterface function);

  /// Returns whether `load` is separated; loads that were created after the
  /// analysis are not.
  bool contains(Operation *load) const { return separated.contains(load); }

private:
  llvm::DenseSet<Operation *> separated;
};

} // namespace distaff

#endif // DISTAFF_LIB_STAGING_SEPARATEDLOADS_H
