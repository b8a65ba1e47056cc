//===- Traffic.cpp - What a kernel asks of the memories -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mnemonics are from the PTX ISA manual (ld, st, ldmatrix, stmatrix) and AMD's
// CDNA3 ISA manual (LDS and global instructions).
//
//===----------------------------------------------------------------------===//
#include "Traffic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace distaff {

using llvm::StringRef;

std::string toString(const Traffic &traffic) {
  return std::to_string(traffic.requests) + " requests, " +
         std::to_string(traffic.bytes) + " bytes, cost " +
         std::to_string(traffic.cost);
}

std::string toString(const AccessCounts &counts) {
  std::string text;
  for (const auto &[access, count] : counts)
    text += std::to_string(count) + " " + access.space +
            (access.isLoad ? " loads of " : " stores of ") +
            std::to_string(access.bytes) + " bytes\n";
  return text;
}

/// Calls `visit` with the mnemonic of every instruction.
template <typename Visit>
static void forEachMnemonic(StringRef text, Visit visit) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.consume_front("@")) // a predicate
      line = line.drop_until(llvm::isSpace).ltrim();
    visit(line.take_until(llvm::isSpace));
  }
}

AccessCounts countPtxAccesses(StringRef text) {
  AccessCounts counts;
  forEachMnemonic(text, [&](StringRef mnemonic) {
    llvm::SmallVector<StringRef> parts;
    mnemonic.split(parts, '.');
    // Of each matrix a lane gets or gives a word.
    if (parts[0] == "ldmatrix" || parts[0] == "stmatrix")
      for (int64_t matrices : {1, 2, 4})
        if (llvm::is_contained(parts, "x" + std::to_string(matrices)))
          ++counts[{"shared", parts[0] == "ldmatrix", 4 * matrices}];
    if (parts[0] != "ld" && parts[0] != "st")
      return;
    StringRef space;
    int64_t vector = 1, bits = 0;
    for (StringRef part : llvm::drop_begin(parts)) {
      if (part == "shared" || part == "global")
        space = part;
      else if (part.consume_front("v"))
        part.getAsInteger(10, vector);
      else if (part.size() > 1 && StringRef("busf").contains(part[0]))
        part.drop_front().getAsInteger(10, bits);
    }
    if (!space.empty())
      ++counts[{space.str(), parts[0] == "ld", vector * bits / 8}];
  });
  return counts;
}

/// Bytes of `ds_read_u16_d16_hi` less its prefix, and 0 for what is no access.
static int64_t ldsBytes(StringRef type) {
  return llvm::StringSwitch<int64_t>(type.split('_').first)
      .Cases({"b8", "u8", "i8"}, 1)
      .Cases({"b16", "u16", "i16"}, 2)
      .Case("b32", 4)
      .Case("b64", 8)
      .Case("b96", 12)
      .Case("b128", 16)
      .Default(0);
}

static int64_t globalBytes(StringRef type) {
  return llvm::StringSwitch<int64_t>(type.split('_').first)
      .Cases({"ubyte", "sbyte", "byte"}, 1)
      .Cases({"ushort", "sshort", "short"}, 2)
      .Case("dword", 4)
      .Case("dwordx2", 8)
      .Case("dwordx3", 12)
      .Case("dwordx4", 16)
      .Default(0);
}

AccessCounts countGcnAccesses(StringRef text) {
  AccessCounts counts;
  forEachMnemonic(text, [&](StringRef mnemonic) {
    bool isLoad = mnemonic.contains("_read") || mnemonic.contains("_load");
    StringRef type = mnemonic;
    if (type.consume_front("ds_read") || type.consume_front("ds_write")) {
      // ds_read2_b32 and ds_read2st64_b32 access two places.
      int64_t places = type.consume_front("2") ? 2 : 1;
      type.consume_front("st64");
      if (type.consume_front("_"))
        if (int64_t bytes = ldsBytes(type))
          counts[{"shared", isLoad, bytes}] += places;
    } else if (type.consume_front("global_load_") ||
               type.consume_front("global_store_")) {
      if (int64_t bytes = globalBytes(type))
        ++counts[{"global", isLoad, bytes}];
    }
  });
  return counts;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Bytes that accesses of this space and direction move, those of at most
/// `widest` bytes each.
static int64_t bytesOf(const AccessCounts &counts, const Access &kind,
                       int64_t widest) {
  int64_t bytes = 0;
  for (const auto &[access, count] : counts)
    if (access.space == kind.space && access.isLoad == kind.isLoad &&
        access.bytes <= widest)
      bytes += count * access.bytes;
  return bytes;
}

bool keepsWidths(const AccessCounts &from, const AccessCounts &to) {
  constexpr int64_t any = 64;
  for (const auto &[kind, count] : to)
    if (bytesOf(to, kind, kind.bytes) > bytesOf(from, kind, kind.bytes))
      return false;
  for (const auto &[kind, count] : from)
    if (!(kind.space == "global" && kind.isLoad) &&
        bytesOf(from, kind, any) != bytesOf(to, kind, any))
      return false;
  return true;
}

static bool asksForNoMore(const Traffic &than, const Traffic &traffic) {
  return traffic.requests <= than.requests && traffic.bytes <= than.bytes &&
         traffic.cost <= than.cost;
}

std::string findLosses(const KernelTraffic &traffic, bool isAllPlanned) {
  std::string text;
  auto check = [&](bool holds, StringRef what, const Traffic &from,
                   const Traffic &to) {
    if (!holds)
      text += (what + ": " + toString(from) + " became " + toString(to) + "\n")
                  .str();
  };
  const KernelTraffic::Run &start = traffic.distributed;
  const KernelTraffic::Run &lowered = traffic.lowered;
  if (isAllPlanned)
    check(traffic.planned.requests == start.shared.requests &&
              traffic.planned.cost == start.shared.cost,
          "shared memory, plan to distribute", traffic.planned, start.shared);
  check(start.shared == lowered.shared, "shared memory, distribute to lower",
        start.shared, lowered.shared);
  check(start.global == lowered.global, "global memory, distribute to lower",
        start.global, lowered.global);
  if (const std::optional<KernelTraffic::Run> &ran = traffic.ran) {
    check(asksForNoMore(lowered.shared, ran->shared),
          "shared memory, lower to text", lowered.shared, ran->shared);
    check(asksForNoMore(lowered.global, ran->global),
          "global memory, lower to text", lowered.global, ran->global);
  }
  if (!keepsWidths(traffic.inLowered, traffic.inText))
    text += "lower has\n" + toString(traffic.inLowered) + "the text has\n" +
            toString(traffic.inText);
  return text;
}

} // namespace distaff
