//===- SourceNames.h - Names of SSA values in the source text ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR drops the names of values when it parses. The location of a value gives
// its position in the text, so a caller that still has the text can read its
// name:
//
//   %la   of  `initialize {...} -> (%la: !LA)`   a block argument: its place
//   %k1   of  `%k1 = arith.addi %k, %c1`         an op: the name before it
//
// An op that a pass derives from another op has that op's location, and its
// name only if it is an op of the same name; a copy of a value has the value's
// name. Names are for readers: two values may have the same one.
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
  /// Creates names without a text: no value has a name.
  SourceNames() = default;
  /// Locations refer to the text as `file`. Both must outlive this object.
  SourceNames(StringRef text, StringRef file) : file(file) {
    text.split(lines, '\n');
  }

  /// Returns the name without its `%`, which numbers keep (`%2`), `r#1` for one
  /// of several results; empty if the text has none.
  std::string of(Value value) const;

private:
  SmallVector<StringRef> lines;
  StringRef file;
};

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LOG_SOURCENAMES_H
