//===- Wrap.cpp - Line breaking -------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Draw/Picture.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

namespace distaff::draw {

int64_t columnsOf(llvm::StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? static_cast<int64_t>(text.size()) : columns;
}

/// Returns the longest prefix of at most `width` columns, at least one
/// character.
static llvm::StringRef fitting(llvm::StringRef text, int64_t width) {
  size_t taken = 0;
  while (taken < text.size()) {
    size_t next =
        taken + std::min<size_t>(text.size() - taken,
                                 llvm::getNumBytesForUTF8(text[taken]));
    if (taken > 0 && columnsOf(text.take_front(next)) > width)
      break;
    taken = next;
  }
  return text.take_front(taken);
}

std::vector<std::string> wrap(llvm::StringRef text, int64_t width) {
  std::vector<std::string> lines(1);
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " \n\t");
  bool isFirst = true;
  auto room = [&] { return width - columnsOf(lines.back()) - !isFirst; };
  auto newLine = [&] {
    lines.push_back("  ");
    isFirst = true;
  };
  for (llvm::StringRef word : words) {
    if (!isFirst && columnsOf(word) > room())
      newLine();
    while (columnsOf(word) > room()) {
      llvm::StringRef part = fitting(word, room());
      lines.back() += part;
      word = word.drop_front(part.size());
      newLine();
    }
    lines.back() += (isFirst ? "" : " ") + word.str();
    isFirst = false;
  }
  // A word that was cut at its very end leaves an empty line after it.
  if (lines.size() > 1 && lines.back() == "  ")
    lines.pop_back();
  return lines;
}

} // namespace distaff::draw
