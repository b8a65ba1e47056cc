//===- Escape.cpp - Escaping of text in markup ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Escape.h"
#include "llvm/Support/ConvertUTF.h"

namespace distaff::draw {

static constexpr llvm::StringLiteral replacement = "\xEF\xBF\xBD";

/// Returns the bytes of the character that the text begins with; 0 where none
/// does.
static size_t lengthOfFirst(llvm::StringRef text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t length = llvm::getNumBytesForUTF8(*begin);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(begin, begin + length))
    return 0;
  return length;
}

static llvm::StringRef escaped(char c) {
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return {};
  }
}

std::string escape(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t length = lengthOfFirst(text);
    char first = text.front();
    bool isControl = static_cast<unsigned char>(first) < 0x20 || first == 0x7f;
    if (llvm::StringRef known = escaped(first); !known.empty())
      result += known;
    else if (length == 0 || isControl)
      result += replacement;
    else
      result += text.take_front(length);
    text = text.drop_front(std::max<size_t>(length, 1));
  }
  return result;
}

} // namespace distaff::draw
