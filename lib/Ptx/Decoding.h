//===- Decoding.h - Decoding of opcodes -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction's decoder consumes the words of its opcode one after the other
// and decodes its operands; the function that it returns executes the
// instruction. A word that is left over or is missing makes the instruction
// unknown, so that no modifier is ever ignored by accident; a register or
// literal that does not fit its type is an error in the text, found when it is
// read:
//
//   Execute decodeBrev(Decoding &d) {          // brev.b32 d, a
//     std::optional<Type> type = d.type();     // consumes "b32"
//     if (!type || type->bits < 32)
//       return {};
//     return lanewise(d, *type, *type, [](uint64_t a) { ... });
//   }
//
// Every family is a table of such rows in a file of Ops/; a root may have
// several rows, of which the first that decodes the words is taken.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_DECODING_H
#define DISTAFF_LIB_PTX_DECODING_H

#include "Machine.h"
#include "Types.h"

#include <initializer_list>
#include <span>

namespace distaff::ptx {

/// The required width of an operand's register. Loads, stores and conversions
/// accept wider ones than their type (PTX ISA, "Operand Size Exceeding
/// Instruction-Type Size").
enum class Width { Exact, AtLeast };

class Decoding {
public:
  /// Creates a decoder. Without a machine, which has the addresses of
  /// variables, instructions are only checked.
  Decoding(const Program &program, const Machine *machine,
           const Instruction &instruction);

  std::string_view root() const { return words.front(); }
  /// Consumes the next word if it is this one, or one of these.
  bool take(std::string_view word);
  std::optional<unsigned> takeOne(std::initializer_list<const char *> choices);
  std::string_view peek() const;
  /// Consumes a type.
  std::optional<Type> type();
  /// Consumes "rn", "rz", "rm" or "rp".
  std::optional<Rounding> rounding();

  size_t operandCount() const { return instruction.operands.size(); }
  const Operand &operand(size_t i) const { return instruction.operands[i]; }
  /// Decodes an operand; one that does not fit is recorded and fails
  /// `complete`.
  Source source(size_t i, const Type &type, Width width = Width::Exact);
  Source source(const Operand &operand, const Type &type,
                Width width = Width::Exact);
  Destination destination(size_t i, const Type &type,
                          Width width = Width::Exact);
  Destination destination(const Operand &operand, const Type &type,
                          Width width = Width::Exact);
  /// Records an error for a type that cannot hold the address of the operand's
  /// variable.
  void checkSymbol(const Operand &operand, const Type &type);
  /// Decodes the predicate after the bar of `%r1|%p2`, if there is one.
  Destination second(const Operand &operand);
  Address address(size_t i);
  /// Decodes the address of an operand of kind Element.
  Address element(const Operand &operand);
  /// Decodes an address in brackets, or an element of an array without them.
  Address addressOrElement(size_t i);
  /// Checks a variable of a call that is passed to a formal or takes its
  /// result.
  void parameter(const Operand &operand, unsigned formal);
  /// Decodes an operand that must be a constant.
  std::optional<uint64_t> constant(size_t i);
  /// Decodes the elements of a vector operand, or a single operand.
  std::vector<Source> sources(size_t i, const Type &type,
                              Width width = Width::Exact);
  std::vector<Destination> destinations(size_t i, const Type &type,
                                        Width width = Width::Exact);

  /// Records "WHAT for WANTED" as an operand that does not fit.
  void reject(const std::string &what, const std::string &wanted);
  /// Returns whether all words are consumed and all operands of this number
  /// fit.
  bool complete(size_t operands);
  /// Returns what does not fit a known instruction: "a register of 32 bits for
  /// a .u64". Empty for one that is right or unknown.
  const std::string &misfit() const { return mistake; }

  const Program &program;
  const Instruction &instruction;

private:
  uint64_t addressOf(unsigned variable) const {
    return machine ? machine->addressOf(variable) : 0;
  }
  Destination destinationIn(unsigned reg, const Type &type, Width width);
  void checkRegister(unsigned reg, const Type &type, Width width);
  void checkImmediate(const Operand &operand, const Type &type);
  void reject(const std::string &what, const Type &type);

  const Machine *machine;
  std::vector<std::string> words;
  size_t next = 1;
  bool fits = true;
  std::string found, mistake; ///< the first misfit; an error only if complete
};

using Decoder = Execute (*)(Decoding &);
struct Row {
  const char *root;
  Decoder decode;
};

// One table per file of Ops/.
std::span<const Row> integerRows(), bitRows(), carryRows(), compareRows(),
    floatRows(), functionRows(), convertRows(), moveRows(), memoryRows(),
    atomicRows(), copyRows(), mbarrierRows(), matrixRows(), mmaRows(),
    shuffleRows(), barrierRows(), controlRows(), addressRows();

/// Returns whether any instruction begins with the first word of an opcode.
bool hasKnownRoot(std::string_view opcode);
/// Decodes an instruction; the result is empty if it is unknown.
Execute decode(const Machine &machine, const Instruction &instruction);
/// The factors of a product that a contracted sum reads unrounded.
using Factors = std::array<Source, 2>;
/// Decodes the sum of a contraction, with one rounding, from `d`.
Execute decodeContractedSum(Decoding &d, const Contraction &contraction,
                            const Factors &factors);
/// Decodes the product of a contraction, whose result no instruction reads: it
/// keeps its factors. `d` decodes the product.
Execute decodeContractedProduct(Decoding &d, const Factors &kept);

/// Returns the error in the operands of a known instruction, or nothing.
std::string findMisfit(const Program &program, const Instruction &instruction);

/// Returns the number of a special register, none for one that is not modelled.
std::optional<unsigned> specialNumber(std::string_view name);
uint64_t specialValue(unsigned number, const Turn &turn, unsigned lane);

//===----------------------------------------------------------------------===//
// Instructions that map each lane's registers to a register of it
//===----------------------------------------------------------------------===//

/// Decodes d = function(a, b, ...) of the N sources. The types are given.
template <unsigned N, typename Function>
Execute lanewise(Decoding &d, Type result, std::array<Type, N> types,
                 Function function, Width width = Width::Exact) {
  std::array<Source, N> from;
  if (d.operandCount() != N + 1)
    return {};
  Destination to = d.destination(0, result, width);
  for (unsigned i = 0; i < N; ++i)
    from[i] = d.source(i + 1, types[i], width);
  if (!d.complete(N + 1))
    return {};
  return [=](Turn &turn) {
    std::array<Lanes, N> scratch;
    std::array<const Lanes *, N> values;
    Mask unwritten = 0;
    for (unsigned i = 0; i < N; ++i)
      values[i] = &turn.read(from[i], scratch[i], unwritten);
    forEachLane(turn.active, [&](unsigned lane) {
      uint64_t result;
      if constexpr (N == 1)
        result = function((*values[0])[lane]);
      else if constexpr (N == 2)
        result = function((*values[0])[lane], (*values[1])[lane]);
      else if constexpr (N == 3)
        result = function((*values[0])[lane], (*values[1])[lane],
                          (*values[2])[lane]);
      else
        result = function((*values[0])[lane], (*values[1])[lane],
                          (*values[2])[lane], (*values[3])[lane]);
      turn.write(to, lane, result);
    });
    turn.mark(to, unwritten);
  };
}

/// Decodes the same; the result has the type of the first source.
template <unsigned N, typename Function>
Execute lanewise(Decoding &d, std::array<Type, N> types, Function function) {
  return lanewise<N>(d, types[0], types, function);
}

/// Decodes the same with one type for all operands.
template <unsigned N, typename Function>
Execute lanewise(Decoding &d, Type type, Function function) {
  std::array<Type, N> types;
  types.fill(type);
  return lanewise<N>(d, type, types, function);
}

inline constexpr Type u32Type = {Type::Kind::Unsigned, 32, false, single},
                      s32Type = {Type::Kind::Signed, 32, false, single},
                      b32Type = {Type::Kind::Bits, 32, false, single},
                      u64Type = {Type::Kind::Unsigned, 64, false, single},
                      b64Type = {Type::Kind::Bits, 64, false, single},
                      predicateType = {Type::Kind::Predicate, 1, false, single};

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_DECODING_H
