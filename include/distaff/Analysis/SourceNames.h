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
// A value that a pass made has the location of what it was made of, and so, if
// it has a name at all, that one's. Names are for people: two values may have
// one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_SOURCENAMES_H
#define DISTAFF_ANALYSIS_SOURCENAMES_H

#include "distaff/LLVM.h"
#include "mlir/IR/Value.h"
#include <string>

namespace distaff {

class SourceNames {
public:
  /// No text: nothing has a name.
  SourceNames() = default;
  /// `text` outlives this.
  explicit SourceNames(StringRef text) { text.split(lines, '\n'); }

  /// The name without its sign, `r#1` for one of several results; empty where
  /// the text has none.
  std::string of(Value value) const;

private:
  SmallVector<StringRef> lines;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_SOURCENAMES_H
