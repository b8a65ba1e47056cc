//===- SourceNames.h - What a text calls its values -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR forgets the names of values when it parses. The location of a value says
// where it was written, though, so who still has the text can read its name:
//
//   %la   of  `initialize {...} -> (%la: !LA)`   a block argument: its own
//   place %k1   of  `%k1 = arith.addi %k, %c1`         the op's place; the name
//   before
//
// What a pass made of an op has that op's location, and its name only if it is
// an op of that name; a copy of a value has the value's name. Names are for
// people: two values may have one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LOG_SOURCENAMES_H
#define DISTAFF_ANALYSIS_LOG_SOURCENAMES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"
#include <string>

namespace distaff {

class SourceNames {
public:
  /// No text: nothing has a name.
  SourceNames() = default;
  /// Locations call the text `file`. Both outlive this.
  SourceNames(StringRef text, StringRef file) : file(file) {
    text.split(lines, '\n');
  }

  /// The name without its sign, which numbers keep (`%2`), `r#1` for one of
  /// several results; empty where the text has none.
  std::string of(Value value) const;

private:
  SmallVector<StringRef> lines;
  StringRef file;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LOG_SOURCENAMES_H
