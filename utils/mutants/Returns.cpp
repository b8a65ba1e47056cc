//===- Returns.cpp - Mutants of what functions return ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace distaff::mutants;

/// Returns the name of the class that a type is, without its namespaces.
static StringRef classOf(QualType type) {
  const CXXRecordDecl *record =
      type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  return record && record->getIdentifier() ? record->getName() : StringRef();
}

/// Returns the name of the function that a node calls without arguments.
static StringRef calledBy(const Expr *node) {
  const auto *call = dyn_cast<CallExpr>(node->IgnoreUnlessSpelledInSource());
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getIdentifier() ? callee->getName() : StringRef();
}

static void mutateTruth(Collector &out, const Expr *value) {
  if (isa<CXXBoolLiteralExpr>(value))
    return;
  out.wrap("return-true", value, "true", "((",
           (") || " + selectedMark + ")").str());
  out.wrap("return-false", value, "false", "((",
           (") && !" + selectedMark + ")").str());
}

/// The value is still computed: it may have effects.
static void mutateResult(Collector &out, const Expr *value) {
  for (StringRef other : {"success", "failure"})
    if (calledBy(value) != other)
      out.wrap(("return-" + other).str(), value, (other + "()").str(),
               ("(" + selectedMark + " ? (static_cast<void>(" +
                out.textOf(value) + "), ::llvm::" + other + "()) : (")
                   .str(),
               "))");
}

/// Returns what stands for nothing in a type, and the operator's name.
static std::pair<StringRef, StringRef> nothingOf(QualType type) {
  static const llvm::StringSet<> containers = {
      "SmallVector", "vector",         "basic_string", "ArrayRef", "StringRef",
      "SmallString", "SmallBitVector", "DenseMap",     "DenseSet", "map",
      "set"};
  StringRef name = classOf(type);
  if (name == "FailureOr")
    return {"return-failure", "::llvm::failure()"};
  if (name == "optional")
    return {"return-none", "std::nullopt"};
  if (type->isPointerType())
    return {"return-none", "nullptr"};
  if (type->isArithmeticType())
    return {"return-zero", "0"};
  if (containers.contains(name))
    return {"return-empty", "{}"};
  return {"", ""};
}

static bool isNothing(const Expr *value) {
  // A literal has its own mutants.
  if (isa<IntegerLiteral>(value))
    return true;
  if (const auto *made = dyn_cast<CXXConstructExpr>(value))
    return made->getNumArgs() == 0;
  const auto *name = dyn_cast<DeclRefExpr>(value);
  return isa<CXXNullPtrLiteralExpr>(value) || calledBy(value) == "failure" ||
         (name && name->getDecl()->getDeclName().isIdentifier() &&
          name->getDecl()->getName() == "nullopt");
}

/// Returns the range of a statement with its semicolon.
static std::optional<Range> withSemicolon(Collector &out, const Stmt *node) {
  std::optional<Range> range = out.rangeOf(node);
  std::optional<Token> next =
      Lexer::findNextToken(node->getEndLoc(), out.context.getSourceManager(),
                           out.context.getLangOpts());
  if (!range || !next || next->isNot(tok::semi))
    return std::nullopt;
  std::optional<Range> semicolon =
      out.rangeOf(SourceRange(next->getLocation()));
  if (!semicolon)
    return std::nullopt;
  return Range{range->begin, semicolon->end};
}

void distaff::mutants::mutateReturn(Collector &out, const ReturnStmt *node) {
  if (!node->getRetValue() || !out.rangeOf(node))
    return;
  const Expr *value = node->getRetValue()->IgnoreUnlessSpelledInSource();
  QualType type = value->getType();
  if (value->isTypeDependent() || isa<InitListExpr>(value) ||
      !out.rangeOf(value))
    return;
  bool keepsType = out.place.returned.isNull() ||
                   out.place.returned.getCanonicalType() ==
                       type.getCanonicalType().getUnqualifiedType();
  if (type->isBooleanType() && keepsType)
    return mutateTruth(out, value);
  if (classOf(type) == "LogicalResult" && keepsType)
    return mutateResult(out, value);
  // A deduced type would become another one.
  if (out.place.returned.isNull() || out.place.returned->isDependentType() ||
      isNothing(value))
    return;
  auto [op, nothing] = nothingOf(out.place.returned);
  std::optional<Range> range = withSemicolon(out, node);
  if (op.empty() || !range)
    return;
  out.add(
      op, node->getSourceRange(), ("return " + nothing).str(),
      {{*range, ("{ if (" + selectedMark + ") return " + nothing + "; ").str(),
        " }"}});
}
