//===- SeparatedLoads.h - Loads that any lane may do ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane sees what it wrote itself without any barrier. What another lane loads
// in its place is there only behind one:
//
//   vector.store %x, %a[%mine]        each lane its own
//   %y = vector.load %a[%mine]        so is this: no barrier, and right
//   %z = nvgpu.ldmatrix %a[%row]      others' elements: a race
//
// So a load may become one of another lane's only if a barrier lies on every
// path between it and every write of the same allocation, before it and after
// it. Paths are those of structured control flow, and what a loop may skip is
// not counted on.
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

  /// Of loads in the function as it was; what was made since is none.
  bool contains(Operation *load) const { return separated.contains(load); }

private:
  llvm::DenseSet<Operation *> separated;
};

} // namespace distaff

#endif // DISTAFF_LIB_STAGING_SEPARATEDLOADS_H
