//===- Parser.h - Parser of PTX modules -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parser by recursive descent. Every function returns false after `fail`,
// which keeps the first error; nothing is undone, as the module is dropped.
// Parser.cpp reads modules and functions, ParseVariables.cpp declarations,
// ParseBody.cpp statements and ParseOperands.cpp operands.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PTX_PARSER_H
#define DISTAFF_LIB_PTX_PARSER_H

#include "Lexer.h"
#include "Program.h"

#include <map>

namespace distaff::ptx {

class Parser {
public:
  Parser(std::string_view text, std::vector<Token> tokens, ParseError &error);

  std::shared_ptr<Program> run();

private:
  /// The entity that a name of a scope stands for.
  struct Named {
    enum class Kind { Register, Range, Variable, Function, Label, Targets };
    Kind kind = Kind::Register;
    unsigned index = 0;
    unsigned count = 1; ///< Register: elements of a vector. Range: registers
  };
  struct Scope {
    unsigned parent = none;
    std::map<std::string, Named, std::less<>> names;
  };
  /// A label that was used before its definition.
  struct Pending {
    size_t instruction = 0, operand = 0; ///< or an entry of branch targets
    bool isTarget = false;
    std::string name;
    unsigned scope = 0, line = 0;
  };
  struct Declaration {
    std::string name, type;
    uint64_t elementSize = 0, elements = 1, alignment = 0;
    unsigned vector = 1;
    bool isArray = false, isUnsized = false, isPointer = false;
    uint64_t pointeeAlignment = 1;
    unsigned line = 0;
    uint64_t size() const { return elementSize * elements; }
  };
  struct Linkage {
    bool isExtern = false;
  };

  // Parser.cpp
  bool parseTopLevel();
  bool parseTarget();
  bool parseAddressSize();
  bool parseFunction(bool isEntry);
  bool parseFormals(Function &function, bool areResults);
  bool parseFormal(Function &function, bool isResult);
  bool parsePerformance(Entry *entry);
  bool parseSizes(std::array<int64_t, 3> &sizes);
  bool finishFunction(Function &function, unsigned line);
  bool skipSection();
  bool skipTo(std::string_view symbol);

  // ParseVariables.cpp
  bool parseRegisters();
  bool declareRegisters(const std::string &name, std::string_view type,
                        unsigned count);
  bool parseVariables(Space space, Linkage linkage);
  bool parseDeclarator(Declaration &declaration);
  bool parseTypeWords(Declaration &declaration);
  bool parsePointerWords(Declaration &declaration);
  bool parseDimensions(Declaration &declaration);
  std::optional<unsigned> declareVariable(const Declaration &declaration,
                                          Space space, Linkage linkage);
  bool placeVariable(Variable &variable);
  bool parseInitializer(const Declaration &declaration, Variable &variable,
                        uint64_t &offset, unsigned depth);
  bool parseInitialValue(const Declaration &declaration, Variable &variable,
                         uint64_t &offset);
  bool parseInitialAddress(Variable &variable, uint64_t offset, uint64_t size);

  // ParseBody.cpp
  bool parseBody(unsigned depth);
  bool parseStatement(unsigned depth);
  bool parseDirective();
  bool parsePosition();
  bool parseFile();
  bool parseLabel(const std::string &name);
  bool parseTargets(const std::string &name);
  bool parseInstruction();
  bool parseOperands(Instruction &instruction);
  bool passOperands();
  bool parseGuard(Instruction &instruction);
  bool resolveLabels();

  // ParseOperands.cpp
  bool parseOperand(Operand &operand, unsigned depth);
  bool parseNameOperand(Operand &operand);
  bool parseNamed(const Named &named, std::string_view name, Operand &operand);
  bool parseElements(Operand &operand, std::string_view close, unsigned depth);
  bool parseAddress(Operand &operand);
  bool parseBase(Operand &operand);
  bool parseDisplacement(Operand &operand);
  bool parseIndex(Operand &operand);
  bool parseNumber(Operand &operand, bool negative);
  bool parseFloat(std::string_view text, Operand &operand);

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const Token &next() {
    const Token &token = peek();
    at += at + 1 < tokens.size();
    return token;
  }
  bool take(std::string_view what) {
    bool found = peek().is(what);
    if (found)
      next();
    return found;
  }
  bool expect(std::string_view what);
  bool expectName(std::string &name);
  /// Parses an integer of at most `limit`.
  bool expectInteger(uint64_t &value, uint64_t limit, const char *what);
  bool expectAlignment(uint64_t &value);
  bool fail(std::string what) { return failAt(peek().line, std::move(what)); }
  bool failAt(unsigned line, std::string what);

  unsigned openScope();
  const Named *find(std::string_view name) const;
  std::optional<unsigned> findRegister(std::string_view name) const;
  bool declare(std::string name, Named named);

  std::string_view text;
  std::vector<Token> tokens;
  ParseError &error;
  bool failed = false;
  size_t at = 0;
  std::vector<Scope> scopes = {Scope()};
  unsigned scope = 0;
  std::vector<Pending> pending;
  std::shared_ptr<Program> program = std::make_shared<Program>();
  unsigned current = none; ///< the function whose body is read
};

/// Returns the bits of "b32" and the like, 1 for "pred"; 0 for a word that is
/// no type.
unsigned typeBits(std::string_view type);

} // namespace distaff::ptx

#endif // DISTAFF_LIB_PTX_PARSER_H
