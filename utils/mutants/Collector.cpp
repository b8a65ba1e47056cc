//===- Collector.cpp - Where mutants are gathered -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Collector.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace distaff::mutants;

/// Returns the whole path of a file, or nothing for what is no file.
static StringRef pathOf(const SourceManager &sources, FileID file) {
  OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  return entry ? entry->getFileEntry().tryGetRealPathName() : StringRef();
}

bool Collector::isWanted(SourceLocation location) const {
  const SourceManager &sources = context.getSourceManager();
  FileID file = sources.getFileID(sources.getExpansionLoc(location));
  return !nameOf(pathOf(sources, file)).empty();
}

std::optional<Range> Collector::rangeOf(SourceRange range) const {
  const SourceManager &sources = context.getSourceManager();
  SourceLocation begin = range.getBegin(), end = range.getEnd();
  if (begin.isInvalid() || end.isInvalid() || begin.isMacroID() ||
      end.isMacroID())
    return std::nullopt;
  auto [file, first] = sources.getDecomposedLoc(begin);
  auto [endFile, last] = sources.getDecomposedLoc(end);
  if (file != endFile || last < first || !isWanted(begin))
    return std::nullopt;
  last += Lexer::MeasureTokenLength(end, sources, context.getLangOpts());
  return Range{first, last};
}

std::string Collector::textOf(const Stmt *node) const {
  return Lexer::getSourceText(
             CharSourceRange::getTokenRange(node->getSourceRange()),
             context.getSourceManager(), context.getLangOpts())
      .str();
}

void Collector::wrap(StringRef op, const Stmt *node, StringRef replacement,
                     StringRef before, StringRef after) {
  if (std::optional<Range> range = rangeOf(node))
    add(op, node->getSourceRange(), replacement,
        {{*range, before.str(), after.str()}});
}

void Collector::replace(StringRef op, const Stmt *node, StringRef replacement) {
  wrap(op, node, replacement,
       ("(" + selectedMark + " ? (" + replacement + ") : (").str(), "))");
}

void Collector::add(StringRef op, SourceRange shown, StringRef replacement,
                    std::vector<Wrap> wraps) {
  std::optional<Range> range = rangeOf(shown);
  if (!range)
    return;
  const SourceManager &sources = context.getSourceManager();
  Mutant mutant;
  mutant.file = nameOf(pathOf(sources, sources.getFileID(shown.getBegin())));
  mutant.function = place.function;
  mutant.signature = place.signature;
  mutant.op = op.str();
  mutant.range = *range;
  mutant.line = sources.getSpellingLineNumber(shown.getBegin());
  mutant.lastLine = sources.getSpellingLineNumber(shown.getEnd());
  mutant.original = sources.getBufferData(sources.getFileID(shown.getBegin()))
                        .substr(range->begin, range->end - range->begin)
                        .str();
  mutant.replacement = replacement.str();
  mutant.wraps = std::move(wraps);
  mutant.order = mutants.size();
  mutants.push_back(std::move(mutant));
}
