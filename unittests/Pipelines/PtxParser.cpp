//===- PtxParser.cpp - PTX text as data -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace distaff::ptx {
namespace {

using llvm::StringRef;

/// Splits at commas that stand in no brackets.
llvm::SmallVector<StringRef> splitOperands(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[')
      ++depth;
    if (text[i] == '}' || text[i] == ']')
      --depth;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (StringRef last = text.substr(begin).trim(); !last.empty())
    parts.push_back(last);
  return parts;
}

/// Bytes of ".b32" and the like; 0 for what is no such type.
uint64_t typeBytes(StringRef type) {
  unsigned bits = 0;
  if (!type.consume_front(".") || type.empty() ||
      !StringRef("bsuf").contains(type.front()) ||
      type.drop_front().getAsInteger(10, bits))
    return 0;
  return bits / 8;
}

class Parser {
public:
  Parser(std::string &error, int64_t dynamicShared)
      : error(error), dynamicShared(dynamicShared) {}

  std::optional<Kernel> parse(StringRef text) {
    while (!text.empty()) {
      StringRef content;
      std::tie(content, text) = text.split('\n');
      ++line;
      content = content.split("//").first.trim();
      // An instruction may take several lines.
      statement += (statement.empty() ? "" : " ") + content.str();
      content = statement;
      if (content.empty() || isUnfinished(content))
        continue;
      if (!parseLine(content)) {
        if (error.empty())
          error = "not understood";
        error = "line " + std::to_string(line) + ": " + error + ": " +
                content.str();
        return std::nullopt;
      }
      statement.clear();
    }
    if (!resolveLabels())
      return std::nullopt;
    return std::move(kernel);
  }

private:
  bool fail(StringRef message) {
    error = message.str();
    return false;
  }

  /// "{ .reg .b32 tmp; mov.b64 {tmp, %r5}, %rd16; }", with a register of its
  /// own.
  bool parseScope(StringRef text) {
    if (!text.consume_front("{") || !text.consume_back("}"))
      return false;
    llvm::SmallVector<StringRef> statements;
    text.split(statements, ';');
    for (StringRef one : llvm::drop_end(statements))
      if (!parseLine((one.trim() + ";").str()))
        return false;
    return statements.back().trim().empty();
  }

  static bool isUnfinished(StringRef text) {
    bool isInstruction = llvm::isAlpha(text.front()) || text.front() == '@';
    return isInstruction && !text.ends_with(";") && !text.ends_with(":");
  }

  bool parseLine(StringRef text) {
    if (text == "{" || text == "}" || text == ")")
      return true;
    if (text.starts_with("{"))
      return parseScope(text);
    if (StringRef label = text; label.consume_back(":")) {
      labels[label] = kernel.instructions.size();
      return true;
    }
    if (text.front() != '.')
      return parseInstruction(text);
    for (StringRef ignored : {".version", ".target", ".address_size", ".pragma",
                              ".maxntid", ".minnctapersm"})
      if (text.starts_with(ignored))
        return true;
    if (text.consume_front(".visible .entry ")) {
      if (!kernel.name.empty())
        return fail("a second kernel");
      kernel.name = text.split('(').first.str();
      return true;
    }
    if (text.consume_front(".param "))
      return parseParameter(text);
    if (text.consume_front(".reqntid "))
      return parseWorkgroup(text);
    if (text.consume_front(".reg "))
      return parseRegisters(text);
    if (text.consume_front(".shared "))
      return parseShared(text);
    if (text.consume_front(".extern .shared "))
      return parseDynamicShared(text);
    if (text.consume_front(".global "))
      return parseTable(text);
    return false;
  }

  bool parseWorkgroup(StringRef text) {
    llvm::SmallVector<StringRef> sizes = splitOperands(text);
    kernel.workgroup = {1, 1, 1};
    for (auto [i, size] : llvm::enumerate(sizes))
      if (i >= 3 || size.getAsInteger(10, kernel.workgroup[i]))
        return false;
    return !sizes.empty();
  }

  /// ".align 16 .b8 name[32];" or ".u64 .ptr .global .align 16 name,".
  struct Declaration {
    uint64_t align = 1, size = 0;
    StringRef name;
  };

  std::optional<Declaration> parseDeclaration(StringRef text) {
    Declaration declaration;
    text = text.rtrim(",;");
    llvm::SmallVector<StringRef> words;
    text.split(words, ' ', -1, /*KeepEmpty=*/false);
    bool isPointer = false;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (uint64_t bytes = typeBytes(words[i])) {
        declaration.size = bytes;
        declaration.align = std::max(declaration.align, bytes);
      } else if (words[i] == ".ptr") {
        isPointer = true; // what follows describes the memory behind it
      } else if (words[i] == ".align") {
        uint64_t align = 0;
        if (words[++i].getAsInteger(10, align))
          return std::nullopt;
        if (!isPointer)
          declaration.align = align;
      } else if (words[i] != ".global") {
        return std::nullopt;
      }
    }
    StringRef count;
    std::tie(declaration.name, count) = words.back().split('[');
    uint64_t elements = 1;
    if (!count.empty() && count.rtrim("]").getAsInteger(10, elements))
      return std::nullopt;
    declaration.size *= elements;
    if (declaration.size == 0)
      return std::nullopt;
    return declaration;
  }

  bool parseParameter(StringRef text) {
    std::optional<Declaration> declared = parseDeclaration(text);
    if (!declared)
      return false;
    parameterEnd = llvm::alignTo(parameterEnd, declared->align);
    symbols[declared->name] = parameterEnd;
    kernel.parameters.push_back(
        {declared->name.str(), parameterEnd, declared->size});
    parameterEnd += declared->size;
    return true;
  }

  /// ".align 16 .b8 name[];": as large as the launch says.
  bool parseDynamicShared(StringRef text) {
    if (dynamicShared == 0)
      return fail("dynamic shared memory, of which the launch passes none");
    text = text.rtrim(";");
    if (!text.consume_back("[]"))
      return false;
    return parseShared((text + "[" + llvm::Twine(dynamicShared) + "]").str());
  }

  /// Places a variable on an address of exactly the alignment that it asks for,
  /// with a gap before it, so that no access is right by luck.
  bool parseShared(StringRef text) {
    std::optional<Declaration> declared = parseDeclaration(text);
    if (!declared)
      return false;
    uint64_t address =
        llvm::alignTo(kernel.sharedEnd + 256, 2 * declared->align) +
        declared->align;
    symbols[declared->name] = address;
    kernel.shared.push_back({declared->name.str(), address, declared->size});
    kernel.sharedEnd = address + declared->size;
    return true;
  }

  /// ".align 16 .b8 name[3] = {0, 128, 0};"
  bool parseTable(StringRef text) {
    auto [declaration, list] = text.rtrim(";").split(" = ");
    std::optional<Declaration> declared = parseDeclaration(declaration);
    if (!declared)
      return false;
    llvm::SmallVector<StringRef> values =
        splitOperands(list.ltrim("{").rtrim("}"));
    Table table{declared->name.str(),
                tableAddress(kernel.tables.size()) + declared->align,
                std::vector<uint8_t>(declared->size)};
    uint64_t size = values.empty() ? 0 : declared->size / values.size();
    if (size == 0 || size * values.size() != declared->size)
      return false;
    for (auto [i, text] : llvm::enumerate(values)) {
      uint64_t value = 0;
      if (text.getAsInteger(0, value))
        return false;
      memcpy(&table.bytes[i * size], &value, size);
    }
    symbols[declared->name] = table.address;
    kernel.tables.push_back(std::move(table));
    return true;
  }

  /// ".b32 %r<76>;" declares %r0 .. %r75, ".b32 tmp;" one register.
  bool parseRegisters(StringRef text) {
    StringRef type, rest;
    std::tie(type, rest) = text.rtrim(";").split(' ');
    auto [name, count] = rest.trim().split('<');
    unsigned registers = 0;
    unsigned bits = type == ".pred" ? 1 : 8 * typeBytes(type);
    if (count.empty())
      registers = 1;
    else if (count.rtrim(">").getAsInteger(10, registers))
      return false;
    if (bits == 0)
      return false;
    registerBases[name] = kernel.registerBits.size();
    kernel.registerBits.insert(kernel.registerBits.end(), registers, bits);
    return true;
  }

  std::optional<unsigned> findRegister(StringRef text) {
    if (auto one = registerBases.find(text); one != registerBases.end())
      return one->second;
    StringRef name = text.rtrim("0123456789");
    unsigned number = 0;
    auto base = registerBases.find(name);
    if (base == registerBases.end() ||
        text.substr(name.size()).getAsInteger(10, number) ||
        base->second + number >= kernel.registerBits.size())
      return std::nullopt;
    return base->second + number;
  }

  bool parseInstruction(StringRef text) {
    Instruction instruction;
    instruction.text = text.str();
    instruction.line = line;
    if (kernel.name.empty() || !text.consume_back(";"))
      return false;
    if (text.consume_front("@")) {
      instruction.guardNegated = text.consume_front("!");
      auto [guard, rest] = text.split(' ');
      instruction.guard = findRegister(guard.trim());
      if (!instruction.guard)
        return fail("unknown guard");
      text = rest.trim();
    }
    size_t end = std::min(text.find_first_of(" \t"), text.size());
    llvm::SmallVector<StringRef> words;
    text.take_front(end).split(words, '.');
    for (StringRef word : words)
      for (StringRef part = word; !part.empty(); part = part.split("::").second)
        instruction.opcode.push_back(part.split("::").first.str());
    for (StringRef part : splitOperands(text.drop_front(end))) {
      std::optional<Operand> operand = parseOperand(part);
      if (!operand)
        return fail("unknown operand '" + part.str() + "'");
      instruction.operands.push_back(std::move(*operand));
    }
    kernel.instructions.push_back(std::move(instruction));
    return true;
  }

  std::optional<Operand> parseOperand(StringRef text) {
    Operand operand;
    if (text == "_")
      return operand;
    if (text.consume_front("{")) {
      operand.kind = Operand::Kind::Vector;
      for (StringRef part : splitOperands(text.rtrim("}"))) {
        std::optional<Operand> element = parseOperand(part);
        if (!element)
          return std::nullopt;
        operand.elements.push_back(std::move(*element));
      }
      return operand;
    }
    if (text.consume_front("["))
      return parseAddress(text.rtrim("]"));
    if (text.starts_with("$L")) {
      operand.kind = Operand::Kind::Label;
      references.emplace_back(kernel.instructions.size(), text.str());
      return operand;
    }
    if (parseSpecial(text, operand) || parseImmediate(text, operand))
      return operand;
    operand.kind = Operand::Kind::Register;
    operand.negated = text.consume_front("!");
    auto [name, predicate] = text.split('|');
    operand.reg = findRegister(name);
    if (!predicate.empty() && !(operand.predicate = findRegister(predicate)))
      return std::nullopt;
    return operand.reg ? std::optional(operand) : std::nullopt;
  }

  /// "%rd3+16", "name+16", "%rd3", "name".
  std::optional<Operand> parseAddress(StringRef text) {
    Operand operand;
    operand.kind = Operand::Kind::Address;
    auto [base, displacement] = text.split('+');
    int64_t offset = 0;
    if (!displacement.empty() && displacement.getAsInteger(10, offset))
      return std::nullopt;
    operand.value = offset;
    if (auto symbol = symbols.find(base); symbol != symbols.end()) {
      operand.value += symbol->second;
      return operand;
    }
    operand.reg = findRegister(base);
    return operand.reg ? std::optional(operand) : std::nullopt;
  }

  bool parseSpecial(StringRef text, Operand &operand) {
    constexpr std::pair<llvm::StringLiteral, Special> table[] = {
        {"%tid.x", Special::TidX},   {"%tid.y", Special::TidY},
        {"%tid.z", Special::TidZ},   {"%ctaid.x", Special::CtaX},
        {"%ctaid.y", Special::CtaY}, {"%ctaid.z", Special::CtaZ},
        {"%laneid", Special::Lane}};
    operand.kind = Operand::Kind::Special;
    for (const auto &[name, special] : table)
      if (text == name) {
        operand.special = special;
        return true;
      }
    return false;
  }

  bool parseImmediate(StringRef text, Operand &operand) {
    operand.kind = Operand::Kind::Immediate;
    if (auto symbol = symbols.find(text); symbol != symbols.end()) {
      operand.value = symbol->second;
      return true;
    }
    if (text.consume_front("0f") || text.consume_front("0d"))
      return !text.getAsInteger(16, operand.value);
    text.consume_back("U");
    int64_t value = 0;
    if (!text.getAsInteger(0, operand.value))
      return true;
    if (text.getAsInteger(0, value))
      return false;
    operand.value = value;
    return true;
  }

  bool resolveLabels() {
    for (const auto &[index, name] : references) {
      auto label = labels.find(name);
      if (label == labels.end())
        return fail("no label " + name);
      for (Operand &operand : kernel.instructions[index].operands)
        if (operand.kind == Operand::Kind::Label)
          operand.value = label->second;
    }
    return true;
  }

  std::string &error;
  int64_t dynamicShared;
  unsigned line = 0;
  std::string statement; ///< what has been read of it
  Kernel kernel;
  uint64_t parameterEnd = 0;
  llvm::StringMap<uint64_t> symbols, labels;
  llvm::StringMap<unsigned> registerBases;
  std::vector<std::pair<size_t, std::string>> references;
};

} // namespace

std::optional<Kernel> parse(StringRef text, std::string &error,
                            int64_t dynamicShared) {
  error.clear();
  return Parser(error, dynamicShared).parse(text);
}

} // namespace distaff::ptx
