//===- ParseOperands.cpp - Operands of instructions -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Parser.h"

#include <cstdlib>
#include <cstring>

namespace distaff::ptx {

bool Parser::parseOperand(Operand &operand, unsigned depth) {
  if (depth > 2)
    return fail("operands nested too deep");
  if (take("{")) {
    operand.kind = Operand::Kind::Vector;
    return parseElements(operand, "}", depth);
  }
  if (take("(")) {
    operand.kind = Operand::Kind::List;
    return parseElements(operand, ")", depth);
  }
  if (take("["))
    return parseAddress(operand);
  if (take("!"))
    operand.negated = true;
  if (peek().is("-") || peek().kind == Token::Kind::Number) {
    bool negative = take("-");
    return parseNumber(operand, negative);
  }
  if (take("~")) {
    if (!parseNumber(operand, false))
      return false;
    operand.value = ~operand.value;
    return true;
  }
  return parseNameOperand(operand);
}

bool Parser::parseElements(Operand &operand, std::string_view close,
                           unsigned depth) {
  if (take(close))
    return true;
  do {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back(), depth + 1))
      return false;
  } while (take(","));
  return expect(close);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isSpecial(std::string_view name) {
  constexpr std::string_view roots[] = {"tid",
                                        "ntid",
                                        "ctaid",
                                        "nctaid",
                                        "laneid",
                                        "warpid",
                                        "nwarpid",
                                        "smid",
                                        "nsmid",
                                        "gridid",
                                        "clock",
                                        "clock64",
                                        "clock_hi",
                                        "globaltimer",
                                        "lanemask_eq",
                                        "lanemask_le",
                                        "lanemask_lt",
                                        "lanemask_ge",
                                        "lanemask_gt",
                                        "globaltimer_lo",
                                        "globaltimer_hi",
                                        "dynamic_smem_size",
                                        "total_smem_size",
                                        "aggr_smem_size"};
  if (name.empty() || name[0] != '%')
    return false;
  std::string_view root = name.substr(1, name.find('.') - 1);
  for (std::string_view one : roots)
    if (root == one)
      return true;
  for (std::string_view prefix :
       {"envreg", "pm", "clusterid", "nclusterid", "cluster_",
        "is_explicit_cluster", "reserved_smem_offset_", "current_graph_exec"})
    if (root.substr(0, prefix.size()) == prefix)
      return true;
  return false;
}

bool Parser::parseNameOperand(Operand &operand) {
  unsigned line = peek().line;
  std::string name;
  if (!expectName(name))
    return false;
  if (name == "_") {
    operand.kind = Operand::Kind::Sink;
  } else if (name == "WARP_SZ") {
    operand.kind = Operand::Kind::Immediate;
    operand.value = 32;
  } else if (std::optional<unsigned> reg = findRegister(name)) {
    operand.kind = Operand::Kind::Register;
    operand.reg = *reg;
    if (const Named *named = find(name); named && named->count > 1)
      return parseNamed(*named, name, operand);
  } else if (isSpecial(name)) {
    operand.kind = Operand::Kind::Special;
    operand.special = name.substr(1);
  } else if (const Named *named = find(name)) {
    return parseNamed(*named, name, operand);
  } else if (size_t dot = name.rfind('.'); dot != name.npos) {
    // %v.x: an element of a vector of registers.
    const Named *vector = find(std::string_view(name).substr(0, dot));
    size_t element = std::string_view("xyzwrgba").find(name.substr(dot + 1));
    if (!vector || vector->kind != Named::Kind::Register ||
        element == std::string_view::npos || name.size() != dot + 2 ||
        element % 4 >= vector->count)
      return failAt(line, "nothing is called '" + name + "'");
    operand.kind = Operand::Kind::Register;
    operand.reg = vector->index + element % 4;
  } else {
    // The name is not declared yet: it is a label, or unknown.
    operand.kind = Operand::Kind::Label;
    pending.push_back({0, 0, false, name, scope, line});
  }
  // %r1|%p2, or _|%p2
  if (take("|")) {
    std::string second;
    if (!expectName(second))
      return false;
    std::optional<unsigned> reg = findRegister(second);
    if (second != "_" && !reg)
      return fail("'" + second + "' is no register");
    operand.second = reg.value_or(none);
  }
  return true;
}

bool Parser::parseNamed(const Named &named, std::string_view name,
                        Operand &operand) {
  switch (named.kind) {
  case Named::Kind::Register: // a whole vector
    operand.kind = Operand::Kind::Vector;
    for (unsigned i = 0; i < named.count; ++i) {
      operand.elements.emplace_back();
      operand.elements.back().kind = Operand::Kind::Register;
      operand.elements.back().reg = named.index + i;
    }
    return true;
  case Named::Kind::Variable:
    operand.kind = Operand::Kind::Symbol;
    operand.symbol = named.index;
    return peek().is("[") ? parseIndex(operand) : parseDisplacement(operand);
  case Named::Kind::Function:
    operand.kind = Operand::Kind::Function;
    operand.symbol = named.index;
    return true;
  case Named::Kind::Label:
  case Named::Kind::Targets:
    // Like a later label, it is resolved by its own scope.
    operand.kind = Operand::Kind::Label;
    pending.push_back({0, 0, false, std::string(name), scope, peek().line});
    return true;
  case Named::Kind::Range:
    break;
  }
  return fail("'" + std::string(name) + "' names a range of registers");
}

//===----------------------------------------------------------------------===//
// Addresses and numbers
//===----------------------------------------------------------------------===//

/// Parses "+8", "-8" and "+-8", or nothing.
bool Parser::parseDisplacement(Operand &operand) {
  bool plus = take("+"), minus = take("-");
  if (!plus && !minus)
    return true;
  Operand number;
  if (!parseNumber(number, minus))
    return false;
  operand.value += number.value;
  return true;
}

/// Parses "[3]", "[%r1]" or "[%r1+3]" after the name of an array, in elements
/// of its declared type; rows of several dimensions and vectors do not count.
/// ptxas reads it so, and takes no displacement after it.
bool Parser::parseIndex(Operand &operand) {
  const Variable &array = program->variables[operand.symbol];
  if (!array.isArray)
    return fail("'" + array.name + "' is no array, so it has no elements");
  operand.kind = Operand::Kind::Element;
  operand.scale = std::max(1u, typeBits(array.type) / 8);
  next(); // the bracket
  bool hasRegister = peek().kind == Token::Kind::Name;
  if (hasRegister) {
    std::string name;
    std::optional<unsigned> reg;
    if (expectName(name))
      reg = findRegister(name);
    if (!reg || program->registerKinds[*reg] == RegisterKind::Float ||
        program->registerKinds[*reg] == RegisterKind::Predicate)
      return fail("'" + name + "' is no register of integers, as an index is");
    operand.reg = *reg;
  }
  if (!hasRegister || take("+")) {
    bool isNegative = take("-");
    Operand index;
    if (!parseNumber(index, isNegative))
      return false;
    if (index.floatBits != 0)
      return fail("an index that is no integer");
    operand.value = index.value * operand.scale;
  }
  return expect("]");
}

/// Parses an address after the bracket: "%rd3+16]", "name+16]", "%rd3]", "12]",
/// or any of them with more after a comma, as in "%rd1, {%r2, %r3}]".
bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Kind::Address;
  if (!parseBase(operand))
    return false;
  while (take(",")) {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back(), 1))
      return false;
  }
  return expect("]");
}

bool Parser::parseBase(Operand &operand) {
  if (peek().kind == Token::Kind::Number || peek().is("-")) {
    bool negative = take("-");
    Operand number;
    if (!parseNumber(number, negative))
      return false;
    operand.value = number.value;
    return true;
  }
  std::string name;
  if (!expectName(name))
    return false;
  if (std::optional<unsigned> reg = findRegister(name)) {
    operand.reg = *reg;
  } else if (const Named *named = find(name);
             named && named->kind == Named::Kind::Variable) {
    operand.symbol = named->index;
  } else {
    return fail("nothing with an address is called '" + name + "'");
  }
  if (operand.symbol != none && peek().is("["))
    return fail("an element within brackets: without them, '" + name +
                "[...]' is one");
  return parseDisplacement(operand);
}

bool Parser::parseNumber(Operand &operand, bool negative) {
  operand.kind = Operand::Kind::Immediate;
  if (peek().kind != Token::Kind::Number)
    return fail("a number expected");
  std::string_view word = next().text;
  std::optional<uint64_t> integer = parseInteger(word);
  if (!integer) {
    if (!parseFloat(word, operand))
      return fail("no number: '" + std::string(word.substr(0, 40)) + "'");
    if (negative)
      operand.value ^= uint64_t(1) << (operand.floatBits - 1);
    return true;
  }
  operand.value = negative ? -*integer : *integer;
  return true;
}

/// Parses 0f3F800000, 0d3FF0000000000000 or 1.5.
bool Parser::parseFloat(std::string_view word, Operand &operand) {
  if (word.size() > 2 && word[0] == '0' &&
      ((word[1] | 32) == 'f' || (word[1] | 32) == 'd')) {
    operand.floatBits = (word[1] | 32) == 'f' ? 32 : 64;
    std::optional<uint64_t> bits =
        parseInteger("0x" + std::string(word.substr(2)));
    bool isComplete = word.size() == 2 + operand.floatBits / 4;
    operand.value = bits.value_or(0);
    return bits && isComplete && word.back() != 'u' && word.back() != 'U';
  }
  if (word.find_first_not_of("0123456789.eE+-") != word.npos)
    return false;
  std::string copy(word);
  char *end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  operand.floatBits = 64;
  std::memcpy(&operand.value, &value, 8);
  return *end == '\0';
}

} // namespace distaff::ptx
