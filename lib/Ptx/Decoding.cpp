//===- Decoding.cpp - Decoding of opcodes ---------------------------------===//
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

/// Splits an opcode: "cp.async.L2::128B" has the words cp, async, L2::128B.
Decoding::Decoding(const Program &program, const Machine *machine,
                   const Instruction &instruction)
    : program(program), instruction(instruction), machine(machine) {
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

bool Decoding::complete(size_t operands) {
  bool isKnown = next == words.size() && operands == operandCount();
  if (isKnown)
    mistake = found;
  return fits && isKnown;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns a constant's bits; a float constant of another type is converted.
static uint64_t constantBits(const Operand &operand, const Type &type) {
  if (operand.floatBits == 0 || !type.isFloat() ||
      operand.floatBits == type.bits || type.isPaired)
    return operand.value;
  return round(decode(operand.value, operand.floatBits == 32 ? single : wide),
               type.format);
}

/// Returns ".u32", ".f16x2", as the instruction writes it.
static std::string nameOf(const Type &type) {
  if (type.kind == Type::Kind::Predicate)
    return ".pred";
  const char *letters = type.kind == Type::Kind::Bits       ? ".b"
                        : type.kind == Type::Kind::Unsigned ? ".u"
                        : type.kind == Type::Kind::Signed   ? ".s"
                        : type.format == bfloat             ? ".bf"
                                                            : ".f";
  return letters + std::to_string(type.bits) + (type.isPaired ? "x2" : "");
}

void Decoding::reject(const std::string &what, const std::string &wanted) {
  fits = false;
  if (found.empty())
    found = what + " for " + wanted;
}

void Decoding::reject(const std::string &what, const Type &type) {
  reject(what, "a " + nameOf(type));
}

void Decoding::parameter(const Operand &operand, unsigned formal) {
  uint64_t bytes = program.variables[operand.symbol].size;
  uint64_t needed = program.variables[formal].size;
  if (bytes != needed)
    reject("a parameter of " + std::to_string(bytes) + " bytes",
           "one of " + std::to_string(needed));
}

/// Checks a register by the PTX ISA, "Type Information for Instructions and
/// Operands": widths agree, and so do kinds, except that bits agree with all of
/// them.
void Decoding::checkRegister(unsigned reg, const Type &type, Width width) {
  unsigned bits = program.registerBits[reg], needed = type.registerBits();
  RegisterKind kind = program.registerKinds[reg];
  bool isPredicate = type.kind == Type::Kind::Predicate;
  if (isPredicate != (kind == RegisterKind::Predicate))
    return reject(isPredicate ? "a register of numbers"
                              : "a register of predicates",
                  type);
  if (kind == RegisterKind::Float && type.isInteger())
    return reject("a register of floats", type);
  if (kind == RegisterKind::Integer && type.isFloat())
    return reject("a register of integers", type);
  // A float in a wider register of floats would be another number.
  bool mayBeWider = width == Width::AtLeast &&
                    !(kind == RegisterKind::Float && type.isFloat());
  if (bits > 64 || (mayBeWider ? bits < needed : bits != needed))
    reject("a register of " + std::to_string(bits) + " bits", type);
}

/// Checks a literal; floats of 16 bits have none, so that their bits are
/// written.
void Decoding::checkImmediate(const Operand &operand, const Type &type) {
  unsigned bits = type.registerBits();
  bool isBits = type.kind == Type::Kind::Bits;
  if (operand.floatBits != 0) {
    bool isFloat = type.isFloat() && !type.isPaired;
    if (!isFloat && !(isBits && operand.floatBits == bits))
      reject("a float of " + std::to_string(operand.floatBits) + " bits", type);
    return;
  }
  if (type.isFloat() && type.bits > 16)
    return reject("an integer", type);
  int64_t value = int64_t(operand.value);
  bool isNegative = value < 0 && value >= -(int64_t(1) << (bits - 1));
  if (bits < 64 && !isNegative && operand.value >> bits)
    reject("a number of more than " + std::to_string(bits) + " bits", type);
}

/// Checks a symbol; only shared and local memory have addresses of 32 bits.
void Decoding::checkSymbol(const Operand &operand, const Type &type) {
  Space space = program.variables[operand.symbol].space;
  bool isNear = space == Space::Shared || space == Space::Local;
  if (type.isFloat() || type.bits < (isNear ? 32 : 64))
    reject("an address", type);
}

Source Decoding::source(const Operand &operand, const Type &type, Width width) {
  Source source;
  switch (operand.kind) {
  case Operand::Kind::Register:
    source.kind = Source::Kind::Register;
    source.reg = operand.reg;
    source.negated = operand.negated;
    checkRegister(operand.reg, type, width);
    fits &= operand.second == none &&
            (!operand.negated || type.kind == Type::Kind::Predicate);
    return source;
  case Operand::Kind::Immediate:
    source.value = constantBits(operand, type);
    checkImmediate(operand, type);
    fits &= !operand.negated;
    return source;
  case Operand::Kind::Element:
    if (operand.reg != none)
      break;
    [[fallthrough]];
  case Operand::Kind::Symbol:
    source.value = addressOf(operand.symbol) + operand.value;
    checkSymbol(operand, type);
    return source;
  case Operand::Kind::Special:
    if (std::optional<unsigned> number = specialNumber(operand.special)) {
      if (type.isFloat() || type.kind == Type::Kind::Predicate)
        reject("a special register", type);
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

Source Decoding::source(size_t i, const Type &type, Width width) {
  if (i < operandCount())
    return source(operand(i), type, width);
  fits = false;
  return {};
}

Destination Decoding::destinationIn(unsigned reg, const Type &type,
                                    Width width) {
  checkRegister(reg, type, width);
  unsigned bits = program.registerBits[reg];
  return {reg, bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1};
}

Destination Decoding::destination(const Operand &operand, const Type &type,
                                  Width width) {
  if (operand.kind == Operand::Kind::Sink)
    return {};
  if (operand.kind == Operand::Kind::Register && !operand.negated)
    return destinationIn(operand.reg, type, width);
  fits = false;
  return {};
}

Destination Decoding::second(const Operand &operand) {
  if (operand.second == none)
    return {};
  return destinationIn(operand.second, predicateType, Width::Exact);
}

Destination Decoding::destination(size_t i, const Type &type, Width width) {
  if (i < operandCount())
    return destination(operand(i), type, width);
  fits = false;
  return {};
}

Address Decoding::address(size_t i) {
  // No instruction here has more after a comma within the brackets.
  if (i >= operandCount() || operand(i).kind != Operand::Kind::Address ||
      !operand(i).elements.empty()) {
    fits = false;
    return {};
  }
  const Operand &one = operand(i);
  Address address{one.reg, one.value};
  if (one.symbol != none)
    address.displacement += addressOf(one.symbol);
  if (one.reg != none) {
    bool isNear = program.registerBits[one.reg] == 32;
    checkRegister(one.reg, isNear ? u32Type : u64Type, Width::Exact);
    if (isNear)
      address.mask = 0xffffffff;
  }
  return address;
}

/// Returns an element's address. An index is unsigned in any register, as ptxas
/// extends it.
Address Decoding::element(const Operand &operand) {
  Address address{operand.reg, operand.value + addressOf(operand.symbol)};
  address.scale = operand.scale;
  Space space = program.variables[operand.symbol].space;
  bool isNear = space == Space::Shared || space == Space::Local;
  if (isNear)
    address.mask = 0xffffffff;
  return address;
}

Address Decoding::addressOrElement(size_t i) {
  bool isElement =
      i < operandCount() && operand(i).kind == Operand::Kind::Element;
  return isElement ? element(operand(i)) : address(i);
}

std::optional<uint64_t> Decoding::constant(size_t i) {
  if (i < operandCount() && operand(i).kind == Operand::Kind::Immediate &&
      operand(i).floatBits == 0)
    return operand(i).value;
  fits = false;
  return std::nullopt;
}

std::vector<Source> Decoding::sources(size_t i, const Type &type, Width width) {
  std::vector<Source> all;
  if (i >= operandCount())
    fits = false;
  else if (operand(i).kind == Operand::Kind::Vector)
    for (const Operand &element : operand(i).elements)
      all.push_back(source(element, type, width));
  else
    all.push_back(source(operand(i), type, width));
  return all;
}

std::vector<Destination> Decoding::destinations(size_t i, const Type &type,
                                                Width width) {
  std::vector<Destination> all;
  if (i >= operandCount())
    fits = false;
  else if (operand(i).kind == Operand::Kind::Vector)
    for (const Operand &element : operand(i).elements)
      all.push_back(destination(element, type, width));
  else
    all.push_back(destination(operand(i), type, width));
  return all;
}

//===----------------------------------------------------------------------===//
// All families
//===----------------------------------------------------------------------===//

/// Returns the rows of an instruction's root.
static auto rowsOf(std::string_view opcode) {
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
  return table.equal_range(opcode.substr(0, opcode.find('.')));
}

bool hasKnownRoot(std::string_view opcode) {
  auto [begin, end] = rowsOf(opcode);
  return begin != end;
}

/// Returns the first row that decodes the instruction, or the reason why none
/// takes its operands.
static Execute decode(const Program &program, const Machine *machine,
                      const Instruction &instruction, std::string &misfit) {
  auto [begin, end] = rowsOf(instruction.opcode);
  for (auto row = begin; row != end; ++row) {
    Decoding decoding(program, machine, instruction);
    if (Execute execute = row->second(decoding)) {
      misfit.clear();
      return execute;
    }
    if (misfit.empty())
      misfit = decoding.misfit();
  }
  return {};
}

Execute decode(const Machine &machine, const Instruction &instruction) {
  std::string misfit;
  return decode(machine.program, &machine, instruction, misfit);
}

std::string findMisfit(const Program &program, const Instruction &instruction) {
  std::string misfit;
  decode(program, nullptr, instruction, misfit);
  return misfit;
}

} // namespace distaff::ptx
