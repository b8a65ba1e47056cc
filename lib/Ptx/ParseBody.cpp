//===- ParseBody.cpp - Statements of a function ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Decoding.h"
#include "Parser.h"

namespace distaff::ptx {

/// Limit of numbers that are read and dropped.
static constexpr uint64_t most = ~uint64_t(0);

/// Parses a body up to and including the closing brace.
bool Parser::parseBody(unsigned depth) {
  if (depth > 64)
    return fail("scopes nested too deep");
  while (!take("}")) {
    if (peek().kind == Token::Kind::End)
      return fail("a body has no end");
    if (!parseStatement(depth))
      return false;
  }
  return true;
}

bool Parser::parseStatement(unsigned depth) {
  if (take(";"))
    return true;
  if (take("{")) {
    unsigned outer = scope;
    scope = openScope();
    bool done = parseBody(depth + 1);
    scope = outer;
    return done;
  }
  if (peek().kind == Token::Kind::Directive)
    return parseDirective();
  if (peek().kind == Token::Kind::Name && peek(1).is(":")) {
    std::string name(next().text);
    next();
    return parseLabel(name);
  }
  return parseInstruction();
}

bool Parser::parseDirective() {
  if (take(".loc"))
    return parsePosition();
  if (take(".file"))
    return parseFile();
  if (take(".pragma"))
    return skipTo(";");
  if (take(".section"))
    return skipSection();
  if (take(".reg"))
    return parseRegisters();
  Linkage linkage;
  linkage.isExtern = take(".extern");
  constexpr std::pair<const char *, Space> spaces[] = {
      {".global", Space::Global},
      {".const", Space::Const},
      {".shared", Space::Shared},
      {".local", Space::Local},
      {".param", Space::Param}};
  for (auto [word, space] : spaces)
    if (take(word))
      return parseVariables(space, linkage);
  return fail("unknown directive '" + std::string(peek().text) + "'");
}

/// Parses what follows .loc: "1 2 3, function_name $info+8, inlined_at 1 4 2",
/// a file, a line and a column, which are dropped.
bool Parser::parsePosition() {
  auto expectPlace = [&] {
    uint64_t number = 0;
    return expectInteger(number, most, "a file") &&
           expectInteger(number, most, "a line") &&
           expectInteger(number, most, "a column");
  };
  if (!expectPlace())
    return false;
  while (take(",")) {
    std::string name;
    uint64_t offset = 0;
    if (take("inlined_at")) {
      if (!expectPlace())
        return false;
    } else if (!expect("function_name") || !expectName(name) ||
               (take("+") && !expectInteger(offset, most, "an offset"))) {
      return false;
    }
  }
  return true;
}

/// Parses what follows .file: "1 "k.py", 1700000000, 4096", with a time and a
/// size.
bool Parser::parseFile() {
  uint64_t number = 0;
  if (!expectInteger(number, most, "a file"))
    return false;
  if (peek().kind != Token::Kind::String)
    return fail("the name of a file expected");
  next();
  for (const char *what : {"a time", "a size"})
    if (take(",") && !expectInteger(number, most, what))
      return false;
  return true;
}

/// Parses a label, or the name of the list in the directive that follows it.
bool Parser::parseLabel(const std::string &name) {
  if (take(".branchtargets"))
    return parseTargets(name);
  // Possible targets of an indirect call are dropped: it is not modelled.
  if ((take(".callprototype") || take(".calltargets")) && !skipTo(";"))
    return false;
  return declare(name,
                 {Named::Kind::Label, unsigned(program->instructions.size())});
}

bool Parser::parseTargets(const std::string &name) {
  unsigned number = program->branchTargets.size();
  program->branchTargets.emplace_back();
  do {
    Pending one;
    one.isTarget = true;
    one.instruction = number;
    one.operand = program->branchTargets.back().size();
    one.scope = scope;
    one.line = peek().line;
    if (!expectName(one.name))
      return false;
    program->branchTargets.back().push_back(0);
    pending.push_back(std::move(one));
  } while (take(","));
  return declare(name, {Named::Kind::Targets, number}) && expect(";");
}

bool Parser::parseGuard(Instruction &instruction) {
  if (!take("@"))
    return true;
  instruction.guardNegated = take("!");
  std::string name;
  if (!expectName(name))
    return false;
  std::optional<unsigned> guard = findRegister(name);
  if (!guard || program->registerBits[*guard] != 1)
    return fail("'" + name + "' is no predicate");
  instruction.guard = *guard;
  return true;
}

/// Returns the source with every run of spaces as one.
static std::string squeeze(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 200)) {
    bool isSpace = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!isSpace)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

bool Parser::parseOperands(Instruction &instruction) {
  while (!peek().is(";")) {
    if (!instruction.operands.empty() && !expect(","))
      return false;
    instruction.operands.emplace_back();
    // A label is resolved when its function ends.
    size_t before = pending.size();
    if (!parseOperand(instruction.operands.back(), 0))
      return false;
    for (size_t i = before; i < pending.size(); ++i) {
      pending[i].instruction = program->instructions.size();
      pending[i].operand = instruction.operands.size() - 1;
    }
  }
  return true;
}

/// Skips the operands of an unknown instruction, which may have any form.
bool Parser::passOperands() {
  while (!peek().is(";")) {
    if (peek().kind == Token::Kind::End || peek().is("}"))
      return fail("';' expected");
    // Braces in pairs belong to an operand.
    if (take("{")) {
      if (!skipTo("}"))
        return false;
      continue;
    }
    next();
  }
  return true;
}

bool Parser::parseInstruction() {
  Instruction instruction;
  size_t begin = peek().offset;
  instruction.line = peek().line;
  if (!parseGuard(instruction) || !expectName(instruction.opcode))
    return false;
  if (program->instructions.size() >= (1u << 24))
    return fail("more than 2^24 instructions");
  if (hasKnownRoot(instruction.opcode) ? !parseOperands(instruction)
                                       : !passOperands())
    return false;
  instruction.text = squeeze(text.substr(begin, peek().offset - begin));
  next();
  program->instructions.push_back(std::move(instruction));
  return true;
}

bool Parser::resolveLabels() {
  for (const Pending &one : pending) {
    unsigned current = scope;
    scope = one.scope;
    const Named *named = find(one.name);
    scope = current;
    bool isLabel = named && named->kind == Named::Kind::Label;
    bool isList = named && named->kind == Named::Kind::Targets;
    bool wantsList =
        !one.isTarget &&
        program->instructions[one.instruction].opcode.rfind("brx", 0) == 0;
    if (wantsList ? !isList : !isLabel)
      return failAt(one.line, "nothing is called '" + one.name + "'");
    if (one.isTarget)
      program->branchTargets[one.instruction][one.operand] = named->index;
    else
      program->instructions[one.instruction].operands[one.operand].value =
          named->index;
  }
  pending.clear();
  return true;
}

} // namespace distaff::ptx
