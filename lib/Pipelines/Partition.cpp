//===- Partition.cpp - Partitioning a module, joining assembly ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Partition.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Returns whether each part may have a copy of an op: one that defines
/// nothing.
static bool isCopied(Operation &op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return !isa<SymbolOpInterface>(op) || (function && function.isExternal());
}

/// Returns the definitions of a module; those that refer to each other are in
/// one class.
static llvm::EquivalenceClasses<Operation *> connect(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::EquivalenceClasses<Operation *> classes;
  for (Operation &op : *module.getBody()) {
    if (isCopied(op))
      continue;
    classes.insert(&op);
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&op);
    if (!uses)
      continue;
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *used =
              symbols.lookup(use.getSymbolRef().getRootReference());
          used && !isCopied(*used))
        classes.unionSets(&op, used);
  }
  return classes;
}

/// Erases declarations that no op of a part refers to.
static void eraseUnused(ModuleOp part) {
  for (auto function :
       llvm::make_early_inc_range(part.getOps<LLVM::LLVMFuncOp>()))
    if (function.isExternal() &&
        SymbolTable::symbolKnownUseEmpty(function, &part.getBodyRegion()))
      function.erase();
}

std::vector<OwningOpRef<ModuleOp>> distaff::partition(ModuleOp module) {
  llvm::EquivalenceClasses<Operation *> classes = connect(module);
  // Classes are in the order of their first ops in the module.
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  for (Operation &op : *module.getBody())
    if (!isCopied(op))
      members[classes.getLeaderValue(&op)].push_back(&op);
  std::vector<OwningOpRef<ModuleOp>> parts;
  for (auto &[leader, own] : members) {
    auto defined = llvm::find_if(own, llvm::IsaPred<LLVM::LLVMFuncOp>);
    if (defined == own.end())
      return {}; // a variable that no function uses
    auto part = cast<ModuleOp>(module->cloneWithoutRegions());
    part->setLoc((*defined)->getLoc());
    part->getRegion(0).emplaceBlock();
    OpBuilder builder = OpBuilder::atBlockEnd(part.getBody());
    for (Operation &op : *module.getBody())
      if (isCopied(op) || llvm::is_contained(own, &op))
        builder.clone(op);
    eraseUnused(part);
    parts.push_back(part);
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

std::optional<std::string> distaff::joinPtx(ArrayRef<std::string> parts) {
  constexpr StringLiteral lastOfHead = ".address_size";
  std::string joined;
  StringRef head;
  for (StringRef part : parts) {
    size_t line = part.find(lastOfHead);
    size_t end = line == StringRef::npos ? line : part.find('\n', line);
    if (end == StringRef::npos)
      return std::nullopt;
    if (joined.empty()) {
      head = part.take_front(end + 1);
      joined = head.str();
    }
    if (part.take_front(end + 1) != head)
      return std::nullopt;
    joined += part.drop_front(end + 1);
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// GCN
//===----------------------------------------------------------------------===//
//
//   .amdgcn_target, .amdhsa_code_object_version        of all parts
//   functions and variables                            of each
//   padding, .AMDGPU.gpr_maximums, .note.GNU-stack     of all
//   .amdgpu_metadata, amdhsa.kernels: entries          of each
//   amdhsa.target, amdhsa.version                      of all

namespace {
/// The sections of one part's assembly text.
struct GcnText {
  StringRef head, code, tail, entries, end;

  static std::optional<GcnText> split(StringRef text);
};
} // namespace

/// Returns the start of the line that contains a position.
static size_t beginOfLine(StringRef text, size_t at) {
  size_t before = text.take_front(at).rfind('\n');
  return before == StringRef::npos ? 0 : before + 1;
}

std::optional<GcnText> GcnText::split(StringRef text) {
  size_t version = text.find(".amdhsa_code_object_version");
  size_t maximums = text.find(".section\t.AMDGPU.gpr_maximums");
  size_t list = text.find("\namdhsa.kernels:\n");
  size_t target = text.find("\namdhsa.target:");
  if (version == StringRef::npos || maximums == StringRef::npos ||
      list == StringRef::npos || target == StringRef::npos ||
      text.contains("\namdhsa.printf:"))
    return std::nullopt;
  size_t code = text.find('\n', version) + 1;
  size_t tail = beginOfLine(text, maximums);
  // The padding after the code is for instructions fetched past the last one.
  while (tail > code) {
    size_t line = beginOfLine(text, tail - 1);
    StringRef directive = text.slice(line, tail).ltrim();
    if (!directive.starts_with(".p2alignl") && !directive.starts_with(".fill"))
      break;
    tail = line;
  }
  size_t entries = text.find('\n', list + 1) + 1;
  return GcnText{text.take_front(code), text.slice(code, tail),
                 text.slice(tail, entries), text.slice(entries, target + 1),
                 text.drop_front(target + 1)};
}

/// Appends code with its local labels, `.LBB0_1`, renamed to those of part
/// `number`, `.LBB0_1.2`. Comments stay as they are.
static void appendRelabelled(std::string &to, StringRef code, size_t number) {
  auto isOfSymbol = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  for (StringRef line : llvm::split(code, '\n')) {
    auto [text, comment] =
        std::pair(line.take_until([](char c) { return c == ';'; }),
                  line.drop_until([](char c) { return c == ';'; }));
    while (!text.empty()) {
      size_t symbol = std::min(text.find_if(isOfSymbol), text.size());
      to += text.take_front(symbol);
      text = text.drop_front(symbol);
      StringRef name = text.take_while(isOfSymbol);
      to += name;
      if (name.starts_with(".L"))
        to += "." + std::to_string(number);
      text = text.drop_front(name.size());
    }
    to += comment;
    to += '\n';
  }
  to.pop_back(); // the newline of the last line
}

std::optional<std::string> distaff::joinGcn(ArrayRef<std::string> parts) {
  SmallVector<GcnText> texts;
  for (StringRef part : parts) {
    std::optional<GcnText> text = GcnText::split(part);
    if (!text)
      return std::nullopt;
    const GcnText &first = texts.empty() ? *text : texts.front();
    if (text->head != first.head || text->tail != first.tail ||
        text->end != first.end)
      return std::nullopt;
    texts.push_back(*text);
  }
  std::string joined = texts.front().head.str();
  for (auto [number, text] : llvm::enumerate(texts))
    if (number == 0)
      joined += text.code;
    else
      appendRelabelled(joined, text.code, number);
  joined += texts.front().tail;
  for (const GcnText &text : texts)
    joined += text.entries;
  joined += texts.front().end;
  return joined;
}
