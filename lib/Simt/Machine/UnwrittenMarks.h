//===- UnwrittenMarks.h - Values that were read too early -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that runs ahead may read a panel that nobody fills, once after the last
// iteration, and carry what it finds to the end of the loop, where nobody looks
// at it. So it is no fault to read what nobody has written, but to use it: to
// compute with it, to store it, to choose by it. A mark on a register says for
// which lanes its value is such, and where it was read.
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

  /// A lane of the read that is being done found what nobody has written;
  /// `makeFault` describes it.
  void note(int64_t lane, function_ref<Fault()> makeFault);
  /// The read is done, for some lanes of a register: it has marks where there
  /// was something to note, and no older ones.
  void settle(Reg result, uint64_t active);
  /// What the active lanes of registers have is moved to others.
  void move(ArrayRef<Reg> from, ArrayRef<Reg> to, uint64_t active);
  /// The fault of who uses the registers; null for none.
  const Fault *find(ArrayRef<Reg> used, uint64_t active) const;

private:
  struct Mark {
    uint64_t lanes = 0;
    std::shared_ptr<const Fault> fault;
  };

  void set(Reg reg, const Mark &mark, uint64_t active);

  /// The first element of a vector lies where the vector does, and has a mark
  /// of its own.
  using Place = std::pair<uint32_t, int64_t>;
  static Place placeOf(Reg reg) { return {reg.location, reg.elements}; }

  llvm::SmallDenseMap<Place, Mark, 4> marks;
  Mark read;
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_MACHINE_UNWRITTENMARKS_H
