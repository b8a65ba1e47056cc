//===- DumpText.cpp - IREE's dumps as they are parsed ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/DumpText.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

static constexpr StringLiteral hostOps[] = {"util.func", "util.global",
                                            "util.initializer"};

static bool beginsHostOp(StringRef line) {
  line = line.ltrim(" ");
  return llvm::any_of(hostOps, [&](StringRef name) {
    return line.consume_front(name) && (line.empty() || line[0] == ' ' ||
                                        line[0] == '\n' || line[0] == '{');
  });
}

/// The length of a string or a comment that text begins with, else 1.
static size_t lengthOfToken(StringRef text) {
  if (text.starts_with("//"))
    return std::min(text.find('\n'), text.size());
  if (text[0] != '"')
    return 1;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// The length of an op that text begins with: up to the end of the line on
/// which all of its brackets are closed.
static size_t lengthOfOp(StringRef text) {
  int64_t open = 0;
  size_t at = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '\n' && open <= 0)
      break;
    open += StringRef("({[").contains(c);
    open -= StringRef(")}]").contains(c);
    at += lengthOfToken(text.drop_front(at));
  }
  return std::min(at, text.size());
}

/// Where the fence of a barrier that begins a line is in it; empty for none.
static StringRef fenceOf(StringRef line) {
  StringRef rest = line.ltrim(" ");
  if (!rest.consume_front("gpu.barrier memfence ["))
    return "";
  size_t end = rest.find(']');
  if (end == StringRef::npos)
    return "";
  size_t begin = line.find("memfence");
  return line.slice(begin, rest.data() + end + 1 - line.data());
}

/// `x offsets = [...], strides = [...] : type` of a later MLIR is
/// `x {offsets = [...], strides = [...]} : type` here: where the braces go.
static std::optional<std::pair<size_t, size_t>> bracesOf(StringRef line) {
  if (!line.contains("vector.insert_strided_slice ") &&
      !line.contains("vector.extract_strided_slice "))
    return std::nullopt;
  size_t open = line.find(" offsets = ["), close = line.find("] : ", open);
  if (open == StringRef::npos || close == StringRef::npos)
    return std::nullopt;
  return std::pair(open, close + 1);
}

std::string distaff::adaptDump(StringRef text) {
  std::string result = text.str();
  auto blank = [&](size_t from, size_t length) {
    auto begin = result.begin() + from;
    std::replace_if(
        begin, begin + length, [](char c) { return c != '\n'; }, ' ');
  };
  for (size_t at = 0; at < text.size();) {
    StringRef rest = text.drop_front(at);
    size_t length = std::min(rest.find('\n'), rest.size());
    StringRef fence = fenceOf(rest.take_front(length));
    if (beginsHostOp(rest)) {
      length = lengthOfOp(rest);
      blank(at, length);
    } else if (!fence.empty()) {
      blank(fence.data() - text.data(), fence.size());
    } else if (auto braces = bracesOf(rest.take_front(length))) {
      result[at + braces->first] = '{';
      result[at + braces->second] = '}';
    }
    at += length + 1;
  }
  return result;
}
