//===- ParseVariables.cpp - Declarations of registers and memory ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "distaff/CheckedSize.h"

#include <algorithm>
#include <cstring>

namespace distaff::ptx {

namespace {

constexpr uint64_t mostRegisters = 1 << 20;
/// Largest size of one variable. Private memory of a thread is smaller.
constexpr uint64_t largestVariable = 1 << 30, largestOwn = 1 << 19;

} // namespace

unsigned typeBits(std::string_view type) {
  constexpr std::pair<const char *, unsigned> named[] = {
      {"pred", 1},    {"bf16", 16},   {"bf16x2", 32},  {"f16x2", 32},
      {"tf32", 32},   {"texref", 64}, {"surfref", 64}, {"samplerref", 64},
      {"e4m3x2", 16}, {"e5m2x2", 16}};
  for (auto [name, bits] : named)
    if (type == name)
      return bits;
  constexpr std::string_view plain[] = {"b8",  "u8",  "s8",  "b16", "u16",
                                        "s16", "f16", "b32", "u32", "s32",
                                        "f32", "b64", "u64", "s64", "f64"};
  if (type == "b128")
    return 128;
  if (std::find(std::begin(plain), std::end(plain), type) == std::end(plain))
    return 0;
  return *parseInteger(type.substr(1));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static RegisterKind kindOf(std::string_view type) {
  if (type == "pred")
    return RegisterKind::Predicate;
  if (type[0] == 'u' || type[0] == 's')
    return RegisterKind::Integer;
  bool isBits = type[0] == 'b' && type.substr(0, 2) != "bf";
  return isBits ? RegisterKind::Bits : RegisterKind::Float;
}

bool Parser::declareRegisters(const std::string &name, std::string_view type,
                              unsigned count) {
  unsigned bits = typeBits(type);
  if (bits == 0)
    return fail("registers of no known type");
  std::vector<unsigned> &all = program->registerBits;
  if (all.size() + count > mostRegisters)
    return fail("more than " + std::to_string(mostRegisters) + " registers");
  if (!declare(name, {Named::Kind::Register, unsigned(all.size()), count}))
    return false;
  all.insert(all.end(), count, bits);
  program->registerKinds.resize(all.size(), kindOf(type));
  return true;
}

/// Parses ".b32 %r<76>, %x;" or ".v4 .f32 %v;".
bool Parser::parseRegisters() {
  Declaration declaration;
  if (!parseTypeWords(declaration))
    return false;
  const std::string &type = declaration.type;
  do {
    std::string name;
    if (!expectName(name))
      return false;
    if (!take("<")) {
      if (!declareRegisters(name, type, declaration.vector))
        return false;
      continue;
    }
    uint64_t count = 0;
    if (!expectInteger(count, mostRegisters, "a number of registers") ||
        !expect(">"))
      return false;
    if (declaration.vector != 1)
      return fail("a range of vectors");
    if (!declareRegisters(name, type, count))
      return false;
    scopes[scope].names[name].kind = Named::Kind::Range;
  } while (take(","));
  return expect(";");
}

//===----------------------------------------------------------------------===//
// Declarators
//===----------------------------------------------------------------------===//

/// Parses ".align 16 .v2 .b8", in any order, with a type among them.
bool Parser::parseTypeWords(Declaration &declaration) {
  while (peek().kind == Token::Kind::Directive) {
    std::string_view word = peek().text.substr(1);
    if (take(".align")) {
      if (!expectAlignment(declaration.alignment))
        return false;
    } else if (word == "v2" || word == "v4") {
      declaration.vector = word[1] - '0';
      next();
    } else if (word == "ptr") {
      next();
      if (!parsePointerWords(declaration))
        return false;
    } else if (typeBits(word) != 0 && declaration.type.empty()) {
      declaration.type = word;
      next();
    } else {
      return fail("no type: '" + std::string(peek().text) + "'");
    }
  }
  if (declaration.type.empty())
    return fail("a declaration without a type");
  declaration.elementSize =
      std::max(1u, typeBits(declaration.type) / 8) * declaration.vector;
  return true;
}

/// Parses the description of a pointer's memory: ".global .align 16".
bool Parser::parsePointerWords(Declaration &declaration) {
  declaration.isPointer = true;
  while (take(".global") || take(".const") || take(".shared") || take(".local"))
    continue;
  return !take(".align") || expectAlignment(declaration.pointeeAlignment);
}

bool Parser::parseDimensions(Declaration &declaration) {
  while (take("[")) {
    declaration.isArray = true;
    if (take("]")) {
      if (declaration.isUnsized)
        return fail("an array of two unknown extents");
      declaration.isUnsized = true;
      continue;
    }
    uint64_t extent = 0;
    if (!expectInteger(extent, largestVariable, "an extent") || !expect("]"))
      return false;
    std::optional<int64_t> elements =
        checkedProduct(declaration.elements, extent, largestVariable);
    if (!elements)
      return fail("an array of more than " + std::to_string(largestVariable) +
                  " elements");
    declaration.elements = *elements;
  }
  if (!checkedProduct(declaration.elements, declaration.elementSize,
                      largestVariable))
    return fail("a variable of more than " + std::to_string(largestVariable) +
                " bytes");
  return true;
}

bool Parser::parseDeclarator(Declaration &declaration) {
  declaration.line = peek().line;
  return parseTypeWords(declaration) && expectName(declaration.name) &&
         parseDimensions(declaration);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::parseVariables(Space space, Linkage linkage) {
  Declaration shared;
  if (!parseTypeWords(shared))
    return false;
  do {
    Declaration declaration = shared;
    declaration.line = peek().line;
    if (!expectName(declaration.name) || !parseDimensions(declaration))
      return false;
    std::optional<unsigned> number =
        declareVariable(declaration, space, linkage);
    if (!number)
      return false;
    if (!take("="))
      continue;
    if (space != Space::Global && space != Space::Const)
      return fail("only global and constant memory is initialised");
    uint64_t offset = 0;
    Variable variable = program->variables[*number];
    if (!parseInitializer(declaration, variable, offset, 0))
      return false;
    program->variables[*number] = std::move(variable);
  } while (take(","));
  return expect(";");
}

std::optional<unsigned> Parser::declareVariable(const Declaration &declaration,
                                                Space space, Linkage linkage) {
  Variable variable;
  variable.name = declaration.name;
  variable.space = space;
  variable.function = current;
  variable.type = declaration.type;
  variable.isArray = declaration.isArray;
  variable.size = declaration.isUnsized ? 0 : declaration.size();
  variable.alignment = std::max(declaration.alignment, declaration.elementSize);
  if (declaration.alignment != 0)
    variable.alignment = declaration.alignment;
  variable.alignment = std::min<uint64_t>(variable.alignment, 1 << 20);
  if (!placeVariable(variable))
    return std::nullopt;
  if (declaration.isUnsized) {
    variable.isDynamic = linkage.isExtern && space == Space::Shared;
    bool isInitialised = peek().is("=");
    if (!variable.isDynamic && !isInitialised) {
      fail("'" + variable.name + "' has no size");
      return std::nullopt;
    }
  } else if (linkage.isExtern) {
    fail("'" + variable.name + "' is defined in another module");
    return std::nullopt;
  }
  if (space == Space::Global || space == Space::Const)
    variable.bytes.resize(variable.size);
  unsigned number = program->variables.size();
  if (!declare(variable.name, {Named::Kind::Variable, number}))
    return std::nullopt;
  program->variables.push_back(std::move(variable));
  return number;
}

/// Places a private variable of a thread; each has one place.
bool Parser::placeVariable(Variable &variable) {
  if (variable.space != Space::Local && variable.space != Space::Param)
    return true;
  uint64_t &end =
      variable.space == Space::Local ? program->localBytes : program->callBytes;
  uint64_t a = variable.alignment;
  variable.offset = (end + ownGap + a - 1) / a * a;
  if (variable.offset + variable.size > largestOwn)
    return fail("more than " + std::to_string(largestOwn) +
                " bytes of memory for each thread");
  end = variable.offset + variable.size;
  return true;
}

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

/// Parses "{1, 2, {3, 4}}", which fills from `offset` on; the rest stays 0.
bool Parser::parseInitializer(const Declaration &declaration,
                              Variable &variable, uint64_t &offset,
                              unsigned depth) {
  if (depth > 8)
    return fail("initial values nested too deep");
  if (!take("{"))
    return parseInitialValue(declaration, variable, offset);
  if (take("}"))
    return true;
  do {
    if (!parseInitializer(declaration, variable, offset, depth + 1))
      return false;
  } while (take(","));
  return expect("}");
}

bool Parser::parseInitialValue(const Declaration &declaration,
                               Variable &variable, uint64_t &offset) {
  uint64_t size = std::max(1u, typeBits(declaration.type) / 8);
  if (offset + size > variable.size) {
    if (!declaration.isUnsized || offset + size > largestVariable)
      return fail("more initial values than '" + variable.name + "' has room");
    variable.size = offset + size;
    variable.bytes.resize(variable.size);
  }
  if (peek().kind == Token::Kind::Name)
    return parseInitialAddress(variable, offset, size) &&
           ((offset += size), true);
  Operand value;
  bool negative = take("-");
  if (!parseNumber(value, negative))
    return false;
  uint64_t bits = value.value;
  if (value.floatBits == 64 && declaration.type == "f32") {
    float narrow = 0;
    double wide = 0;
    std::memcpy(&wide, &bits, 8);
    narrow = float(wide);
    bits = 0;
    std::memcpy(&bits, &narrow, 4);
  }
  std::memcpy(&variable.bytes[offset], &bits, std::min<uint64_t>(size, 8));
  offset += size;
  return true;
}

/// Parses "name", "name+8" or "generic(name)+8".
bool Parser::parseInitialAddress(Variable &variable, uint64_t offset,
                                 uint64_t size) {
  bool isGeneric = take("generic");
  std::string name;
  if ((isGeneric && !expect("(")) || !expectName(name) ||
      (isGeneric && !expect(")")))
    return false;
  const Named *named = find(name);
  if (!named || named->kind != Named::Kind::Variable)
    return fail("no variable '" + name + "'");
  uint64_t addend = 0;
  if (take("+") && !expectInteger(addend, largestVariable, "a displacement"))
    return false;
  Space space = program->variables[named->index].space;
  if (size < 4 || (space != Space::Global && space != Space::Const))
    return fail("an address that is no initial value");
  variable.links.push_back({offset, size, addend, named->index});
  return true;
}

} // namespace distaff::ptx
