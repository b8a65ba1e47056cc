//===- Program.h - A parsed PTX module --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the parser's result. Names are resolved:
//
//   %r7                 the number of a register; one file for all functions,
//                       because none calls itself
//   smem, [smem+4]      a symbol and a displacement
//   $L__BB0_2           the index of an instruction
//   0f3F800000, -1      the bits
//
// An opcode stays text: the decoders interpret it.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_PROGRAM_H
#define DISTAFF_LIB_PTX_PROGRAM_H

#include "distaff/Ptx/Ptx.h"

namespace distaff::ptx {

/// The declared kind of a register. Bits hold anything of their width.
enum class RegisterKind : uint8_t { Bits, Integer, Float, Predicate };

enum class Space { Param, Global, Const, Shared, Local, Generic };

constexpr unsigned none = ~0u;

/// Bytes between private variables of a thread, and between the parameters of a
/// kernel.
constexpr uint64_t ownGap = 64;

struct Operand {
  enum class Kind {
    Register,
    Immediate,
    Special,
    Vector,  ///< {%r1, %r2}
    Address, ///< [%rd1+8]
    Symbol,  ///< smem+8: the address itself
    Element, ///< smem[%r1+2]: an element of an array, without brackets around
    Label,
    Function,
    List, ///< (param0, %r2) of a call
    Sink  ///< _
  };
  Kind kind = Kind::Sink;
  /// Register: its number. Address: of the base, or none. Element: of the
  /// index, or none.
  unsigned reg = none;
  /// Address, Symbol, Element: number of the variable, or none. Function: its
  /// number.
  unsigned symbol = none;
  /// %p2 of `%r1|%p2`: a register.
  unsigned second = none;
  bool negated = false; ///< `!` of !%p1
  /// Immediate: 64 or 32 if it is written as such a float.
  unsigned floatBits = 0;
  /// Immediate: bits. Address, Symbol, Element: displacement in bytes. Label:
  /// an instruction.
  uint64_t value = 0;
  unsigned scale = 1;  ///< Element: bytes from an element to the next one
  std::string special; ///< "tid.x"
  /// Vector, List. Address: what follows the address, as in
  /// [%rd1, {%r2, %r3}] of textures and tensor copies.
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode; ///< "ld.global.v4.b32"
  std::vector<Operand> operands;
  unsigned guard = none; ///< the predicate of `@%p1`
  bool guardNegated = false;
  unsigned line = 0;
  std::string text; ///< as written, for messages
};

/// Returns "ld" of "ld.global.b32".
inline std::string_view rootOf(const Instruction &one) {
  return std::string_view(one.opcode).substr(0, one.opcode.find('.'));
}

/// A variable is memory with a name. Parameters are variables too.
struct Variable {
  std::string name;
  Space space = Space::Global;
  std::string type;
  uint64_t size = 0, alignment = 1;
  bool isArray = false;     ///< declared with brackets
  bool isDynamic = false;   ///< `.extern .shared` without a size
  bool isOfEntry = false;   ///< Param: whether it is of a kernel, not of a call
  unsigned function = none; ///< function in whose body it is declared
  std::vector<uint8_t> bytes; ///< Global, Const
  /// Addresses in the bytes: at `offset`, of another variable.
  struct Link {
    uint64_t offset = 0, size = 8, addend = 0;
    unsigned variable = none;
  };
  std::vector<Link> links;
  /// Param of a call, Local: offset in the memory of the space that each thread
  /// has. Param of an entry: offset in the block of parameters.
  uint64_t offset = 0;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;
  unsigned number = 0; ///< number among the module's entries
  /// Instructions [begin, end).
  size_t begin = 0, end = 0;
  /// Shared variables that the function or its callees name or declare, by
  /// number.
  std::vector<unsigned> shared;
  /// A formal is a register or a variable of space Param.
  struct Formal {
    unsigned reg = none, variable = none;
  };
  std::vector<Formal> results, parameters;
};

struct Program {
  std::string target; ///< "sm_80"
  std::vector<Entry> entries;
  std::vector<Function> functions;
  std::vector<Instruction> instructions;
  std::vector<Variable> variables;
  std::vector<unsigned> registerBits; ///< 1 for predicates
  std::vector<RegisterKind> registerKinds;
  /// Lists of `.branchtargets`; operands of brx.idx name one by its number.
  std::vector<std::vector<size_t>> branchTargets;
  /// Bytes of each thread: of space Local, and of Param for calls.
  uint64_t localBytes = 0, callBytes = 0;
};

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_PROGRAM_H
