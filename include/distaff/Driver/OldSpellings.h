//===- OldSpellings.h - Notes on syntax of older MLIR versions --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Published kernels keep the syntax of their year, which today's parser rejects
// as unknown. If an error is about such text, a note gives the spelling of this
// version (VX-180):
//
//   error: custom op 'arith.maxf' is unknown
//   note: earlier versions wrote `arith.maxf`; today that is `arith.maximumf`
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_OLDSPELLINGS_H
#define DISTAFF_DRIVER_OLDSPELLINGS_H

#include "distaff/LLVM.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace distaff {

/// Describes an old spelling: its position, counted from 1, and what to write
/// today.
struct OldSpellingNote {
  int64_t line, column;
  std::string text;
};

/// Finds the old spelling, if there is one, that an error of the parser is
/// about; each line of the text is noted once.
class OldSpellingFinder {
public:
  /// `text` is the text to parse, and must outlive this object.
  explicit OldSpellingFinder(StringRef text) { text.split(lines, '\n'); }

  std::optional<OldSpellingNote> find(const Diagnostic &diagnostic);

private:
  SmallVector<StringRef> lines;
  llvm::DenseSet<int64_t> noted; // lines that have their note
};

/// Adds a note to each error of the parser that is near an old spelling, as
/// long as the object lives.
class OldSpellingNotes {
public:
  /// `text` is the text to parse, and must outlive this object.
  OldSpellingNotes(MLIRContext *context, StringRef text);

private:
  OldSpellingFinder finder;
  ScopedDiagnosticHandler handler;
};

} // namespace distaff

#endif // DISTAFF_DRIVER_OLDSPELLINGS_H
