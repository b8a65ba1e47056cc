//===- DumpText.cpp - Adapting IREE's dumps for the parser ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/DumpText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

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

/// Returns the length of a string or a comment that text begins with, else 1.
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

/// Returns the length of an op that text begins with: up to the end of the line
/// on which all of its brackets are closed.
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

namespace {
/// A spelling that the MLIR of IREE's later versions writes differently from
/// this one, by extended regular expressions.
struct LaterSpelling {
  StringLiteral op;      // occurs in a line with the spelling
  StringLiteral written; // is matched once
  StringLiteral here;    // replaces it; \\1 is the first group of `written`
};
} // namespace

/// A replacement is as long as the text that it replaces, or follows all text
/// that an error can be about.
static constexpr LaterSpelling laterSpellings[] = {
    // A barrier orders all memory here.
    {"gpu.barrier memfence [", "^( *gpu\\.barrier )memfence \\[[^]]*\\]",
     "\\1"},
    {"vector.insert_strided_slice ", " (offsets = \\[.*\\]) : ", "{\\1}: "},
    {"vector.extract_strided_slice ", " (offsets = \\[.*\\]) : ", "{\\1}: "},
    {"nvgpu.mma.sync", " (mmaShape = \\[[^]]*\\]) : ", "{\\1}: "},
    {"amdgpu.sched_barrier ", " allow = ([a-z_|]+)", " allow = <\\1>"},
    {"amdgpu.mfma ", "^([^:{]*%[^ :{]+) : ", "\\1 blgp = none : "},
    // Products of dimensions are not affine; of symbols they are semi-affine.
    {"affine.apply affine_map<(d0, d1) -> (d0 * d1)>",
     "affine_map<\\(d0, d1\\) -> \\(d0 \\* d1\\)>\\(([^()]*)\\)",
     "affine_map<()[s0, s1] -> (s0 * s1)>()[\\1]"},
    {"bufferization.alloc_tensor", "\\) <(\\{.*\\})> : ", ") \\1 : "},
};

static std::string asWrittenHere(StringRef line) {
  std::string result = line.str();
  for (const LaterSpelling &spelling : laterSpellings)
    if (line.contains(spelling.op))
      result = llvm::Regex(spelling.written).sub(spelling.here, result);
  return result;
}

std::string distaff::adaptDump(StringRef text) {
  std::string result;
  while (!text.empty()) {
    bool isOfHost = beginsHostOp(text);
    size_t length =
        isOfHost ? lengthOfOp(text) : std::min(text.find('\n'), text.size());
    StringRef part = text.take_front(length);
    if (isOfHost)
      llvm::transform(part, std::back_inserter(result),
                      [](char c) { return c == '\n' ? c : ' '; });
    else
      result += asWrittenHere(part);
    text = text.drop_front(length);
    if (text.consume_front("\n"))
      result += '\n';
  }
  return result;
}
