//===- PtxParser.h - PTX text as data ---------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the one-kernel PTX that the compiler prints into a list of instructions
// whose names are resolved:
//
//   %r7                  the number of a register in one file for all types
//   smem, [smem+4]       an address in the workgroup's memory, [param] one in
//                        the parameter block
//   $L__BB0_2            the index of an instruction
//   0f3F800000, -1, 0x3C00   the bits
//
// It knows PTX's syntax and nothing of what instructions do: an opcode stays
// text, split at its dots. Whatever it does not know is an error that quotes
// the line.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_PTXPARSER_H
#define DISTAFF_UNITTESTS_PIPELINES_PTXPARSER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distaff::ptx {

enum class Special { TidX, TidY, TidZ, CtaX, CtaY, CtaZ, Lane };

struct Operand {
  enum class Kind {
    Register,
    Immediate,
    Special,
    Vector,
    Address,
    Label,
    Sink
  };
  Kind kind = Kind::Sink;
  /// Register: its number. Address: the base register, or none.
  std::optional<unsigned> reg;
  /// Of a predicate: use its complement.
  bool negated = false;
  /// Immediate: bits. Address: displacement. Label: index of an instruction.
  uint64_t value = 0;
  Special special = Special::TidX;
  std::vector<Operand> elements;     ///< of a vector `{%r1, %r2}`
  std::optional<unsigned> predicate; ///< %p1 of `%r2|%p1`
};

struct Instruction {
  std::vector<std::string> opcode; ///< {"ld", "global", "v4", "b32"}
  std::vector<Operand> operands;
  std::optional<unsigned> guard; ///< the predicate of `@%p1`
  bool guardNegated = false;     ///< `@!%p1`
  std::string text;              ///< as printed, for messages
  unsigned line = 0;
};

struct Parameter {
  std::string name;
  uint64_t offset = 0, size = 0; ///< bytes in the parameter block
};

struct SharedVariable {
  std::string name;
  uint64_t address = 0, size = 0;
};

/// A constant array in global memory.
struct Table {
  std::string name;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};
/// Table i lies shortly after this address.
constexpr uint64_t tableAddress(uint64_t i) {
  return (i << 40) + (uint64_t(1) << 60);
}

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<int64_t, 3> workgroup = {0, 0, 0}; ///< .reqntid
  std::vector<unsigned> registerBits;           ///< 1 for predicates
  std::vector<SharedVariable> shared;
  std::vector<Table> tables;
  uint64_t sharedEnd = 0; ///< beyond the last variable
  std::vector<Instruction> instructions;
};

/// Parses a module of one kernel; on failure `error` says what is wrong. The
/// launch allocates `dynamicShared` bytes for an `.extern .shared` array.
std::optional<Kernel> parse(llvm::StringRef text, std::string &error,
                            int64_t dynamicShared = 0);

} // namespace distaff::ptx

#endif // DISTAFF_UNITTESTS_PIPELINES_PTXPARSER_H
