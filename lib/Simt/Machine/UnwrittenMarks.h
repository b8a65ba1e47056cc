//===- UnwrittenMarks.h - Values that were read before a write --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetching code may read a panel that no op fills, once after the last
// iteration, and carry the values to the end of the loop, where no op uses
// them. So a read of unwritten memory is no fault, but a use of the value is:
// arithmetic, a store, a branch. A mark on a register records for which lanes
// its value is unwritten, and the place of the read.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_MACHINE_UNWRITTENMARKS_H
#define DISTAFF_LIB_SIMT_MACHINE_UNWRITTENMARKS_H

#include "Program.h"
#include "distaff/Simt/Outcome.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace distaff::simt {

class UnwrittenMarks {
public:
  bool isEmpty() const { return marks.empty() && !read.lanes; }

  /// Records that the current read found unwritten memory for a lane;
  /// `makeFault` describes it.
  void note(int64_t lane, function_ref<Fault()> makeFault);
  /// Ends the read for some lanes of a register: it gets the marks of the
  /// recorded lanes, and loses its older marks.
  void settle(Reg result, uint64_t active);
  /// Copies the marks of the active lanes of registers to other registers.
  void move(ArrayRef<Reg> from, ArrayRef<Reg> to, uint64_t active);
  /// Returns the fault of a use of the registers, or null.
  const Fault *find(ArrayRef<Reg> used, uint64_t active) const;

private:
  struct Mark {
    uint64_t lanes = 0;
    std::shared_ptr<const Fault> fault;
  };

  void set(Reg reg, const Mark &mark, uint64_t active);

  /// The first element of a vector lies at the place of the vector, and has a
  /// mark of its own.
  using Place = std::pair<uint32_t, int64_t>;
  static Place placeOf(Reg reg) { return {reg.location, reg.elements}; }

  llvm::SmallDenseMap<Place, Mark, 4> marks;
  Mark read;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_UNWRITTENMARKS_H
