//===- Decoding.cpp - From opcodes to what executes them ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Decoding.h"

#include <algorithm>
#include <map>

namespace distaff::ptx {

std::optional<Type> parseType(std::string_view word) {
  using Kind = Type::Kind;
  static const std::map<std::string_view, Type> types = {
      {"pred", {Kind::Predicate, 1, false, single}},
      {"b8", {Kind::Bits, 8, false, single}},
      {"b16", {Kind::Bits, 16, false, single}},
      {"b32", {Kind::Bits, 32, false, single}},
      {"b64", {Kind::Bits, 64, false, single}},
      {"u8", {Kind::Unsigned, 8, false, single}},
      {"u16", {Kind::Unsigned, 16, false, single}},
      {"u32", {Kind::Unsigned, 32, false, single}},
      {"u64", {Kind::Unsigned, 64, false, single}},
      {"s8", {Kind::Signed, 8, false, single}},
      {"s16", {Kind::Signed, 16, false, single}},
      {"s32", {Kind::Signed, 32, false, single}},
      {"s64", {Kind::Signed, 64, false, single}},
      {"f16", {Kind::Float, 16, false, half}},
      {"f16x2", {Kind::Float, 16, true, half}},
      {"bf16", {Kind::Float, 16, false, bfloat}},
      {"bf16x2", {Kind::Float, 16, true, bfloat}},
      {"f32", {Kind::Float, 32, false, single}},
      {"f64", {Kind::Float, 64, false, wide}},
      {"tf32", {Kind::Float, 32, false, tensor}},
      {"e4m3x2", {Kind::Float, 8, true, e4m3}},
      {"e5m2x2", {Kind::Float, 8, true, e5m2}}};
  auto found = types.find(word);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// "cp.async.L2::128B" has the words cp, async, L2::128B.
Decoding::Decoding(const Machine &machine, const Instruction &instruction)
    : machine(machine), instruction(instruction) {
  std::string_view rest = instruction.opcode;
  while (true) {
    size_t dot = rest.find('.');
    words.emplace_back(rest.substr(0, dot));
    if (dot == rest.npos)
      return;
    rest.remove_prefix(dot + 1);
  }
}

bool Decoding::take(std::string_view word) {
  bool found = next < words.size() && words[next] == word;
  next += found;
  return found;
}

std::optional<unsigned>
Decoding::takeOne(std::initializer_list<const char *> choices) {
  for (const char *const *one = choices.begin(); one != choices.end(); ++one)
    if (take(*one))
      return one - choices.begin();
  return std::nullopt;
}

std::string_view Decoding::peek() const {
  return next < words.size() ? std::string_view(words[next])
                             : std::string_view();
}

std::optional<Type> Decoding::type() {
  std::optional<Type> type = parseType(peek());
  next += type.has_value();
  return type;
}

std::optional<Rounding> Decoding::rounding() {
  constexpr Rounding all[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down,
                              Rounding::Up};
  if (std::optional<unsigned> choice = takeOne({"rn", "rz", "rm", "rp"}))
    return all[*choice];
  return std::nullopt;
}

bool Decoding::complete(size_t operands) const {
  return fits && next == words.size() && operands == operandCount();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A float constant of another type than the instruction's is converted.
static uint64_t constantBits(const Operand &operand, const Type &type) {
  if (operand.floatBits == 0 || !type.isFloat() ||
      operand.floatBits == type.bits || type.isPaired)
    return operand.value;
  return round(decode(operand.value, operand.floatBits == 32 ? single : wide),
               type.format);
}

Source Decoding::source(const Operand &operand, const Type &type) {
  Source source;
  switch (operand.kind) {
  case Operand::Kind::Register: {
    source.kind = Source::Kind::Register;
    source.reg = operand.reg;
    source.negated = operand.negated;
    unsigned bits = machine.program.registerBits[operand.reg];
    bool isPredicate = type.kind == Type::Kind::Predicate;
    // A register may be wider than the instruction looks at.
    fits &= operand.second == none && (bits == 1) == isPredicate &&
            (isPredicate || (!operand.negated && bits >= type.registerBits()));
    return source;
  }
  case Operand::Kind::Immediate:
    source.value = constantBits(operand, type);
    fits &= !operand.negated;
    return source;
  case Operand::Kind::Symbol:
    source.value = machine.addressOf(operand.symbol) + operand.value;
    fits &= type.bits >= 32 && !type.isFloat();
    return source;
  case Operand::Kind::Special:
    if (std::optional<unsigned> number = specialNumber(operand.special)) {
      source.kind = Source::Kind::Special;
      source.special = *number;
      return source;
    }
    break;
  default:
    break;
  }
  fits = false;
  return source;
}

Source Decoding::source(size_t i, const Type &type) {
  if (i < operandCount())
    return source(operand(i), type);
  fits = false;
  return {};
}

Destination Decoding::destination(const Operand &operand, bool second) {
  unsigned reg = second ? operand.second : operand.reg;
  bool isSink = operand.kind == Operand::Kind::Sink || (second && reg == none);
  if (isSink)
    return {};
  if (operand.kind != Operand::Kind::Register || operand.negated ||
      reg == none) {
    fits = false;
    return {};
  }
  unsigned bits = machine.program.registerBits[reg];
  fits &= bits <= 64;
  return {reg, bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1};
}

Destination Decoding::destination(size_t i) {
  if (i < operandCount())
    return destination(operand(i));
  fits = false;
  return {};
}

Address Decoding::address(size_t i) {
  if (i >= operandCount() || operand(i).kind != Operand::Kind::Address) {
    fits = false;
    return {};
  }
  const Operand &one = operand(i);
  Address address{one.reg, one.value};
  if (one.symbol != none)
    address.displacement += machine.addressOf(one.symbol);
  if (one.reg != none) {
    unsigned bits = machine.program.registerBits[one.reg];
    fits &= bits >= 32;
    if (bits == 32)
      address.mask = 0xffffffff;
  }
  return address;
}

std::optional<uint64_t> Decoding::constant(size_t i) {
  if (i < operandCount() && operand(i).kind == Operand::Kind::Immediate &&
      operand(i).floatBits == 0)
    return operand(i).value;
  fits = false;
  return std::nullopt;
}

std::vector<Source> Decoding::sources(size_t i, const Type &type) {
  std::vector<Source> all;
  if (i >= operandCount())
    fits = false;
  else if (operand(i).kind == Operand::Kind::Vector)
    for (const Operand &element : operand(i).elements)
      all.push_back(source(element, type));
  else
    all.push_back(source(operand(i), type));
  return all;
}

std::vector<Destination> Decoding::destinations(size_t i) {
  std::vector<Destination> all;
  if (i >= operandCount())
    fits = false;
  else if (operand(i).kind == Operand::Kind::Vector)
    for (const Operand &element : operand(i).elements)
      all.push_back(destination(element));
  else
    all.push_back(destination(operand(i)));
  return all;
}

//===----------------------------------------------------------------------===//
// All families
//===----------------------------------------------------------------------===//

Execute decode(const Machine &machine, const Instruction &instruction) {
  static const auto table = [] {
    std::multimap<std::string_view, Decoder> all;
    for (std::span<const Row> rows :
         {integerRows(), bitRows(), carryRows(), compareRows(), floatRows(),
          functionRows(), convertRows(), moveRows(), memoryRows(), atomicRows(),
          copyRows(), mbarrierRows(), matrixRows(), mmaRows(), shuffleRows(),
          barrierRows(), controlRows(), addressRows()})
      for (const Row &row : rows)
        all.emplace(row.root, row.decode);
    return all;
  }();
  std::string_view root = instruction.opcode;
  auto [begin, end] = table.equal_range(root.substr(0, root.find('.')));
  for (auto row = begin; row != end; ++row) {
    Decoding decoding(machine, instruction);
    if (Execute execute = row->second(decoding))
      return execute;
  }
  return {};
}

} // namespace distaff::ptx
