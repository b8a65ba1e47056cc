//===- Lexer.h - Lexer of PTX text ------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_LEXER_H
#define DISTAFF_LIB_PTX_LEXER_H

#include "distaff/Ptx/Ptx.h"

namespace distaff::ptx {

struct Token {
  enum class Kind {
    Name,      ///< mov.b32, %r1, $L__BB0_1, %tid.x
    Directive, ///< .reg
    Number,    ///< 12, 0x1F, 0f3F800000, 1.5
    String,
    Symbol, ///< one character, or << and >>
    End
  };
  Kind kind = Kind::End;
  std::string_view text;
  unsigned line = 0;
  size_t offset = 0; ///< in the text

  bool is(std::string_view what) const {
    return kind != Kind::String && text == what;
  }
};

/// Splits text into tokens, without comments. The last one is End. Returns none
/// and an error for a character that begins no token. NUL bytes at the end are
/// skipped.
std::optional<std::vector<Token>> tokenize(std::string_view text,
                                           ParseError &error);

/// Parses an integer in PTX syntax: 12, 0x1Fu, 017, 0b101. Returns none for any
/// other word, and for an integer of more than 64 bits.
std::optional<uint64_t> parseInteger(std::string_view text);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_LEXER_H
