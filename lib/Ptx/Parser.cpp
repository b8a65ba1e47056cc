//===- Parser.cpp - Modules and functions ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Parser.h"
#include "Decoding.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace distaff::ptx {

Parser::Parser(std::string_view text, std::vector<Token> tokens,
               ParseError &error)
    : text(text), tokens(std::move(tokens)), error(error) {
  assert(!this->tokens.empty() &&
         this->tokens.back().kind == Token::Kind::End &&
         "tokens end with the end of the text");
}

/// Returns whether all entities exist that numbers refer to.
[[maybe_unused]] static bool isConsistent(const Program &program) {
  auto isFormal = [&](const Function::Formal &formal) {
    return (formal.reg == none) != (formal.variable == none) &&
           (formal.reg == none || formal.reg < program.registerBits.size()) &&
           (formal.variable == none ||
            formal.variable < program.variables.size());
  };
  auto isBody = [&](const Function &one) {
    return one.begin <= one.end && one.end <= program.instructions.size() &&
           std::ranges::all_of(one.parameters, isFormal) &&
           std::ranges::all_of(one.results, isFormal);
  };
  auto isTable = [&](const std::vector<size_t> &targets) {
    return std::ranges::all_of(targets, [&](size_t target) {
      return target < program.instructions.size();
    });
  };
  return program.registerBits.size() == program.registerKinds.size() &&
         std::ranges::all_of(program.functions, isBody) &&
         std::ranges::all_of(program.branchTargets, isTable);
}

std::shared_ptr<Program> Parser::run() {
  while (peek().kind != Token::Kind::End)
    if (!parseTopLevel())
      return nullptr;
  assert(pending.empty() && "labels are resolved where their function ends");
  assert(isConsistent(*program) &&
         "functions, formals and targets are of the program");
  return program;
}

bool Parser::failAt(unsigned line, std::string what) {
  if (!failed)
    error = {line, std::move(what)};
  failed = true;
  return false;
}

static std::string quoted(const Token &token) {
  return token.kind == Token::Kind::End
             ? "the end of the text"
             : "'" + std::string(token.text.substr(0, 40)) + "'";
}

bool Parser::expect(std::string_view what) {
  if (take(what))
    return true;
  return fail("'" + std::string(what) + "' expected, found " + quoted(peek()));
}

bool Parser::expectName(std::string &name) {
  if (peek().kind != Token::Kind::Name)
    return fail("a name expected, found " + quoted(peek()));
  name = next().text;
  return true;
}

bool Parser::expectInteger(uint64_t &value, uint64_t limit, const char *what) {
  std::optional<uint64_t> number;
  if (peek().kind == Token::Kind::Number)
    number = parseInteger(peek().text);
  if (!number)
    return fail(std::string(what) + " expected, found " + quoted(peek()));
  if (*number > limit)
    return fail(std::string(what) + " is " + std::to_string(*number) +
                ", at most " + std::to_string(limit));
  value = *number;
  next();
  return true;
}

bool Parser::expectAlignment(uint64_t &value) {
  if (!expectInteger(value, 1 << 20, "an alignment"))
    return false;
  bool isPower = value != 0 && (value & (value - 1)) == 0;
  return isPower || fail("an alignment of " + std::to_string(value));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

unsigned Parser::openScope() {
  scopes.push_back({scope, {}});
  return scopes.size() - 1;
}

const Parser::Named *Parser::find(std::string_view name) const {
  for (unsigned i = scope; i != none; i = scopes[i].parent)
    if (auto found = scopes[i].names.find(name); found != scopes[i].names.end())
      return &found->second;
  return nullptr;
}

/// Finds a register of its own name, or one of a range: %r7 of `%r<9>`.
std::optional<unsigned> Parser::findRegister(std::string_view name) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  std::string_view stem = name.substr(0, digits);
  for (unsigned i = scope; i != none; i = scopes[i].parent) {
    const auto &names = scopes[i].names;
    if (auto one = names.find(name);
        one != names.end() && one->second.kind == Named::Kind::Register)
      return one->second.index;
    auto range = names.find(stem);
    if (range == names.end() || range->second.kind != Named::Kind::Range)
      continue;
    std::string_view suffix = name.substr(digits);
    bool isPlain =
        suffix.size() == 1 || (suffix.size() > 1 && suffix[0] != '0');
    if (std::optional<uint64_t> number = parseInteger(suffix);
        isPlain && number && *number < range->second.count)
      return range->second.index + unsigned(*number);
  }
  return std::nullopt;
}

bool Parser::declare(std::string name, Named named) {
  auto [place, isNew] = scopes[scope].names.emplace(std::move(name), named);
  if (!isNew) // at the name, which has been read
    return failAt(tokens[at - (at > 0)].line,
                  "'" + place->first + "' is declared twice");
  return true;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

bool Parser::skipTo(std::string_view symbol) {
  while (!peek().is(symbol)) {
    if (peek().kind == Token::Kind::End)
      return fail("'" + std::string(symbol) + "' expected before the end");
    next();
  }
  next();
  return true;
}

/// Skips ".section .debug_abbrev { ... }".
bool Parser::skipSection() {
  if (!skipTo("{"))
    return false;
  for (unsigned depth = 1; depth > 0;) {
    if (peek().kind == Token::Kind::End)
      return fail("a section has no end");
    const Token &token = next();
    depth += token.is("{");
    depth -= token.is("}");
  }
  return true;
}

/// Parses "sm_80, debug": a GPU and modes.
bool Parser::parseTarget() {
  std::string mode;
  if (!expectName(program->target))
    return false;
  while (take(","))
    if (!expectName(mode))
      return false;
  return true;
}

bool Parser::parseAddressSize() {
  uint64_t bits = 0;
  unsigned line = peek().line;
  if (!expectInteger(bits, 64, "a size of addresses"))
    return false;
  return bits == 64 ||
         failAt(line, "addresses of " + std::to_string(bits) +
                          " bits are not modelled, those of 64 are");
}

bool Parser::parseTopLevel() {
  if (take(".target"))
    return parseTarget();
  if (take(".address_size"))
    return parseAddressSize();
  if (take(".version"))
    return peek().kind == Token::Kind::Number ? (next(), true)
                                              : fail("a version expected");
  if (take(".file"))
    return parseFile();
  if (take(".loc"))
    return parsePosition();
  if (take(".pragma"))
    return skipTo(";");
  if (take(".section"))
    return skipSection();
  if (take(";"))
    return true;
  Linkage linkage;
  while (true) {
    if (take(".extern"))
      linkage.isExtern = true;
    else if (!take(".visible") && !take(".weak") && !take(".common"))
      break;
  }
  if (take(".entry"))
    return parseFunction(/*isEntry=*/true);
  if (take(".func"))
    return parseFunction(/*isEntry=*/false);
  constexpr std::pair<const char *, Space> spaces[] = {
      {".global", Space::Global},
      {".const", Space::Const},
      {".shared", Space::Shared}};
  for (auto [word, space] : spaces)
    if (take(word))
      return parseVariables(space, linkage);
  return fail("no statement of a module begins with " + quoted(peek()));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Parser::parseFunction(bool isEntry) {
  unsigned line = peek().line, outer = scope;
  Function function;
  function.isEntry = isEntry;
  function.number = program->entries.size();
  scope = openScope();
  if (isEntry)
    program->entries.emplace_back();
  if (!isEntry && peek().is("(") && !parseFormals(function, true))
    return false;
  if (!expectName(function.name))
    return false;
  if (isEntry)
    program->entries.back().name = function.name;
  if (peek().is("(") && !parseFormals(function, false))
    return false;
  if (!parsePerformance(isEntry ? &program->entries.back() : nullptr))
    return false;

  if (take(";")) { // declared, perhaps defined elsewhere
    if (isEntry)
      program->entries.pop_back();
    scope = outer;
    if (find(function.name))
      return true;
    program->functions.push_back(function);
    return declare(function.name, {Named::Kind::Function,
                                   unsigned(program->functions.size() - 1)});
  }
  unsigned inner = scope;
  scope = outer;
  unsigned number = program->functions.size();
  if (const Named *declared = find(function.name);
      declared && declared->kind == Named::Kind::Function &&
      !program->functions[declared->index].isDefined)
    number = declared->index;
  else if (!declare(function.name, {Named::Kind::Function, number}))
    return false;
  program->functions.resize(
      std::max<size_t>(number + 1, program->functions.size()));
  scope = inner;
  function.begin = program->instructions.size();
  current = number;
  if (!expect("{") || !parseBody(0) || !finishFunction(function, line))
    return false;
  current = none;
  scope = outer;
  program->functions[number] = std::move(function);
  return true;
}

bool Parser::finishFunction(Function &function, unsigned line) {
  function.isDefined = true;
  // A lane that runs past the last statement returns.
  Instruction end;
  end.opcode = "ret";
  end.text = "the end of the function";
  end.line = program->instructions.size() == function.begin
                 ? line
                 : program->instructions.back().line;
  program->instructions.push_back(std::move(end));
  function.end = program->instructions.size();
  return resolveLabels();
}

bool Parser::parseFormals(Function &function, bool areResults) {
  next(); // the parenthesis
  if (take(")"))
    return true;
  do {
    if (!parseFormal(function, areResults))
      return false;
  } while (take(","));
  return expect(")");
}

bool Parser::parseFormal(Function &function, bool isResult) {
  Declaration declaration;
  bool isRegister = take(".reg");
  if (!isRegister && !expect(".param"))
    return false;
  if (!parseDeclarator(declaration))
    return false;
  Function::Formal formal;
  if (isRegister) {
    formal.reg = program->registerBits.size();
    if (!declareRegisters(declaration.name, declaration.type, 1))
      return false;
  } else {
    std::optional<unsigned> variable =
        declareVariable(declaration, Space::Param, {});
    if (!variable)
      return false;
    formal.variable = *variable;
  }
  (isResult ? function.results : function.parameters).push_back(formal);
  if (!function.isEntry)
    return true;
  if (isRegister)
    return fail("a parameter of a kernel in a register");
  Variable &variable = program->variables[formal.variable];
  std::vector<Parameter> &parameters = program->entries.back().parameters;
  uint64_t end = 0, bytes = variable.size;
  if (parameters.size() > 0) {
    const Variable &last =
        program->variables[function.parameters.end()[-2].variable];
    end = last.offset + last.size;
  }
  for (const Parameter &other : parameters)
    bytes += other.size;
  variable.isOfEntry = true;
  variable.offset = (end + ownGap + variable.alignment - 1) /
                    variable.alignment * variable.alignment;
  if (bytes > 32764)
    return fail("parameters of more than 32764 bytes");
  parameters.push_back({variable.name, variable.type, variable.size,
                        variable.alignment, declaration.isPointer,
                        declaration.pointeeAlignment});
  return true;
}

bool Parser::parseSizes(std::array<int64_t, 3> &sizes) {
  sizes = {1, 1, 1};
  for (int64_t &size : sizes) {
    uint64_t value = 0;
    if (!expectInteger(value, 1 << 16, "a size of a workgroup"))
      return false;
    size = value;
    if (!take(","))
      return true;
  }
  return fail("a workgroup of more than three sizes");
}

/// Parses the directives between the parameters and the body.
bool Parser::parsePerformance(Entry *entry) {
  std::array<int64_t, 3> unused;
  while (peek().kind == Token::Kind::Directive) {
    if (take(".reqntid")) {
      if (!parseSizes(entry ? entry->requiredSize : unused))
        return false;
    } else if (take(".maxntid")) {
      if (!parseSizes(entry ? entry->largestSize : unused))
        return false;
    } else if (take(".minnctapersm") || take(".maxnreg") ||
               take(".maxnctapersm")) {
      uint64_t value = 0;
      if (!expectInteger(value, 1 << 20, "a number"))
        return false;
    } else if (take(".pragma")) {
      if (!skipTo(";"))
        return false;
    } else if (take(".reqnctapercluster") || take(".maxclusterrank")) {
      // Directives of clusters are not modelled, and end a run that needs them.
      if (!parseSizes(unused))
        return false;
    } else if (!take(".noreturn") && !take(".explicitcluster") &&
               !take(".blocksareclusters")) {
      return fail("unknown directive " + quoted(peek()));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The module as the user sees it
//===----------------------------------------------------------------------===//

Module::Module(std::shared_ptr<const Program> program)
    : contents(std::move(program)) {}

const std::vector<Entry> &Module::entries() const { return contents->entries; }

const std::string &Module::target() const { return contents->target; }

const Entry *Module::find(std::string_view name) const {
  for (const Entry &entry : contents->entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

namespace {

/// The shared variables and other functions that a function names.
struct Mentions {
  std::set<unsigned> shared, functions;

  void note(const Program &program, const Operand &operand) {
    bool isVariable = operand.kind == Operand::Kind::Symbol ||
                      operand.kind == Operand::Kind::Element ||
                      operand.kind == Operand::Kind::Address;
    if (operand.kind == Operand::Kind::Function)
      functions.insert(operand.symbol);
    else if (isVariable && operand.symbol != none &&
             program.variables[operand.symbol].space == Space::Shared)
      shared.insert(operand.symbol);
    for (const Operand &element : operand.elements)
      note(program, element);
  }
};

std::vector<Mentions> findMentions(const Program &program) {
  std::vector<Mentions> mentions(program.functions.size());
  for (size_t i = 0; i < mentions.size(); ++i)
    for (size_t at = program.functions[i].begin; at < program.functions[i].end;
         ++at)
      for (const Operand &operand : program.instructions[at].operands)
        mentions[i].note(program, operand);
  for (size_t i = 0; i < program.variables.size(); ++i)
    if (const Variable &one = program.variables[i];
        one.space == Space::Shared && one.function != none)
      mentions[one.function].shared.insert(i);
  return mentions;
}

} // namespace

/// Finds the shared variables of each entry: those that it and its callees
/// name, and those that their bodies declare. Others are of other kernels.
static void findShared(Program &program) {
  std::vector<Mentions> mentions = findMentions(program);
  for (size_t i = 0; i < mentions.size(); ++i) {
    std::set<unsigned> shared, reached = {unsigned(i)};
    for (std::vector<unsigned> left = {unsigned(i)}; !left.empty();) {
      const Mentions &one = mentions[left.back()];
      left.pop_back();
      shared.insert(one.shared.begin(), one.shared.end());
      for (unsigned callee : one.functions)
        if (reached.insert(callee).second)
          left.push_back(callee);
    }
    Function &function = program.functions[i];
    function.shared.assign(shared.begin(), shared.end());
    if (!function.isEntry)
      continue;
    Entry &entry = program.entries[function.number];
    for (unsigned number : function.shared) {
      entry.hasDynamicShared |= program.variables[number].isDynamic;
      entry.sharedBytes += program.variables[number].size;
    }
  }
}

std::optional<Module> parseModule(std::string_view text, ParseError &error) {
  error = {};
  std::optional<std::vector<Token>> tokens = tokenize(text, error);
  if (!tokens)
    return std::nullopt;
  std::shared_ptr<Program> program =
      Parser(text, std::move(*tokens), error).run();
  if (!program)
    return std::nullopt;
  for (const Instruction &one : program->instructions)
    if (std::string misfit = findMisfit(*program, one); !misfit.empty()) {
      error = {one.line, misfit + ": " + one.text};
      return std::nullopt;
    }
  findShared(*program);
  return Module(std::move(program));
}

} // namespace distaff::ptx
