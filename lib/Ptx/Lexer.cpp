//===- Lexer.cpp - Lexer of PTX text --------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lexer.h"

#include <algorithm>
#include <cassert>

namespace distaff::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$';
}
bool isWordPart(char c) { return isLetter(c) || isDigit(c); }

class Lexer {
public:
  Lexer(std::string_view text, ParseError &error) : text(text), error(error) {}

  std::optional<std::vector<Token>> run() {
    while (true) {
      if (!skipSpace())
        return std::nullopt;
      if (at == text.size())
        break;
      size_t begin = at;
      std::optional<Token::Kind> kind = lexOne();
      if (!kind)
        return std::nullopt;
      assert(at > begin && at <= text.size() && "a token has characters");
      tokens.push_back({*kind, text.substr(begin, at - begin), line, begin});
    }
    tokens.push_back({Token::Kind::End, "", line, text.size()});
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }

  bool fail(std::string what) {
    error = {line, std::move(what)};
    return false;
  }

  /// Skips space and comments of both kinds.
  bool skipSpace() {
    while (at < text.size()) {
      if (peek() == '\n')
        ++line;
      if (peek() == '/' && peek(1) == '/') {
        at = std::min(text.find('\n', at), text.size());
      } else if (peek() == '/' && peek(1) == '*') {
        size_t end = text.find("*/", at + 2);
        if (end == text.npos)
          return fail("a comment has no end");
        line += std::count(text.begin() + at, text.begin() + end, '\n');
        at = end + 2;
      } else if (std::string_view(" \t\r\n\f\v").find(peek()) != text.npos) {
        ++at;
      } else {
        break;
      }
    }
    return true;
  }

  std::optional<Token::Kind> lexOne() {
    char c = peek();
    if (isDigit(c)) {
      skipNumber();
      return Token::Kind::Number;
    }
    if (isLetter(c) || (c == '%' && isWordPart(peek(1)))) {
      skipName();
      return Token::Kind::Name;
    }
    if (c == '.' && isLetter(peek(1))) {
      ++at;
      skipWord();
      return Token::Kind::Directive;
    }
    if (c == '"')
      return skipString() ? std::optional(Token::Kind::String) : std::nullopt;
    if ((c == '<' || c == '>') && peek(1) == c) {
      at += 2;
      return Token::Kind::Symbol;
    }
    if (std::string_view("{}[]()<>,;:@!|+-=~*/&^?%").find(c) == text.npos) {
      fail(c >= ' ' && c <= '~' ? std::string("nothing begins with '") + c + "'"
                                : "a character that no PTX has");
      return std::nullopt;
    }
    ++at;
    return Token::Kind::Symbol;
  }

  void skipWord() {
    while (isWordPart(peek()))
      ++at;
  }

  /// Skips a name; opcodes and special registers have parts after dots:
  /// cp.async.L2::128B.
  void skipName() {
    ++at;
    skipWord();
    while (true) {
      if (peek() == '.' && isWordPart(peek(1)))
        ++at;
      else if (peek() == ':' && peek(1) == ':' && isWordPart(peek(2)))
        at += 2;
      else
        return;
      skipWord();
    }
  }

  void skipNumber() {
    bool isHex = peek() == '0' && (peek(1) | 32) == 'x';
    skipWord();
    if (peek() == '.' && !isHex) {
      ++at;
      skipWord();
    }
    bool hasExponent = !isHex && (text[at - 1] | 32) == 'e' &&
                       (peek() == '-' || peek() == '+') && isDigit(peek(1));
    if (hasExponent) {
      ++at;
      skipWord();
    }
  }

  bool skipString() {
    size_t end = text.find_first_of("\"\n", at + 1);
    if (end == text.npos || text[end] == '\n')
      return fail("a string has no end");
    at = end + 1;
    return true;
  }

  std::string_view text;
  ParseError &error;
  std::vector<Token> tokens;
  size_t at = 0;
  unsigned line = 1;
};

} // namespace

std::optional<std::vector<Token>> tokenize(std::string_view text,
                                           ParseError &error) {
  // Text that was stored as a C string may end in null bytes.
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  return Lexer(text, error).run();
}

std::optional<uint64_t> parseInteger(std::string_view text) {
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u'))
    text.remove_suffix(1);
  unsigned base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'x')
    base = 16;
  else if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'b')
    base = 2;
  else if (text.size() > 1 && text[0] == '0')
    base = 8;
  text.remove_prefix(base == 8 ? 1 : base == 10 ? 0 : 2);
  if (text.empty())
    return std::nullopt;
  uint64_t value = 0;
  for (char c : text) {
    unsigned digit = isDigit(c)                           ? c - '0'
                     : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                          : 16;
    if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value))
      return std::nullopt;
  }
  return value;
}

} // namespace distaff::ptx
