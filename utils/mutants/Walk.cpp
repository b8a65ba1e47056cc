//===- Walk.cpp - Finds the mutants of a translation unit -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"
#include "Operators.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace distaff::mutants;

namespace {
class Walk : public RecursiveASTVisitor<Walk> {
  using Base = RecursiveASTVisitor<Walk>;

public:
  explicit Walk(Collector &out) : out(out) {}

  //===--------------------------------------------------------------------===//
  // What the compiler computes, and what is no code
  //===--------------------------------------------------------------------===//

  bool TraverseStaticAssertDecl(StaticAssertDecl *) { return true; }
  bool TraverseEnumDecl(EnumDecl *) { return true; }
  bool TraverseConceptDecl(ConceptDecl *) { return true; }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &) { return true; }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc) { return true; }
  bool TraverseAttr(Attr *) { return true; }
  bool TraverseConstantExpr(ConstantExpr *, DataRecursionQueue * = nullptr) {
    return true;
  }
  bool TraverseRequiresExpr(RequiresExpr *, DataRecursionQueue * = nullptr) {
    return true;
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *,
                               DataRecursionQueue * = nullptr) {
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *,
                                        DataRecursionQueue * = nullptr) {
    return true;
  }
  bool TraverseUserDefinedLiteral(UserDefinedLiteral *,
                                  DataRecursionQueue * = nullptr) {
    return true;
  }
  bool TraverseTypeAliasDecl(TypeAliasDecl *) { return true; }
  /// Values that members have where no constructor says otherwise.
  bool TraverseFieldDecl(FieldDecl *) { return true; }
  /// Default arguments.
  bool TraverseParmVarDecl(ParmVarDecl *) { return true; }
  bool TraverseLambdaCapture(LambdaExpr *, const LambdaCapture *, Expr *) {
    return true;
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *node,
                                 DataRecursionQueue *queue = nullptr) {
    return onlySpeeds(node->getMethodDecl()) ||
           Base::TraverseCXXMemberCallExpr(node, queue);
  }
  /// The form that says what values are converted to.
  bool TraverseInitListExpr(InitListExpr *node,
                            DataRecursionQueue * = nullptr) {
    InitListExpr *semantic = node->isSemanticForm() || !node->getSemanticForm()
                                 ? node
                                 : node->getSemanticForm();
    for (Expr *value : semantic->inits())
      TraverseStmt(value);
    return true;
  }
  bool TraverseCaseStmt(CaseStmt *node, DataRecursionQueue * = nullptr) {
    visitStatement(node->getSubStmt());
    return TraverseStmt(node->getSubStmt());
  }
  bool TraverseIfStmt(IfStmt *node, DataRecursionQueue *queue = nullptr) {
    if (!node->isConstexpr() && !node->isConsteval())
      return Base::TraverseIfStmt(node, queue);
    for (Stmt *branch : {node->getThen(), node->getElse()}) {
      visitStatement(branch);
      TraverseStmt(branch);
    }
    return true;
  }

  /// A variable whose value the compiler may use has to keep it.
  bool TraverseVarDecl(VarDecl *node) {
    if (node->isConstexpr() || node->hasAttr<ConstInitAttr>() ||
        (!node->getType()->isDependentType() &&
         node->mightBeUsableInConstantExpressions(out.context) &&
         node->getType()->isIntegralOrEnumerationType()))
      return true;
    return Base::TraverseVarDecl(node);
  }

  //===--------------------------------------------------------------------===//
  // Where the walk is
  //===--------------------------------------------------------------------===//

  bool TraverseDecl(Decl *node) {
    if (!node || node->isImplicit())
      return true;
    const auto *function = dyn_cast<FunctionDecl>(node);
    if (function && (function->isConstexprSpecified() ||
                     function->isConsteval() || function->isDefaulted() ||
                     // Of a template, only what all of its instances share.
                     function->isTemplateInstantiation()))
      return true;
    Place around = out.place;
    if (function)
      enter(function, /*isNamed=*/around.function.empty());
    else if (const auto *variable = dyn_cast<VarDecl>(node);
             variable && around.function.empty())
      out.place.function = nameOf(variable);
    bool goesOn = Base::TraverseDecl(node);
    out.place = std::move(around);
    return goesOn;
  }

  bool TraverseLambdaExpr(LambdaExpr *node, DataRecursionQueue * = nullptr) {
    const CXXMethodDecl *call = node->getCallOperator();
    if (call->isConsteval() || call->isConstexprSpecified())
      return true;
    Place around = out.place;
    out.place.returned =
        node->hasExplicitResultType() ? call->getReturnType() : QualType();
    bool goesOn = TraverseStmt(node->getBody());
    out.place = std::move(around);
    return goesOn;
  }

  //===--------------------------------------------------------------------===//
  // What has mutants
  //===--------------------------------------------------------------------===//

  bool VisitIfStmt(IfStmt *node) {
    mutateIf(out, node);
    visitStatement(node->getThen());
    visitStatement(node->getElse());
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator *node) {
    mutateChoice(out, node);
    return true;
  }
  bool VisitWhileStmt(WhileStmt *node) {
    if (!node->getConditionVariable())
      mutateLoop(out, node->getCond());
    visitStatement(node->getBody());
    return true;
  }
  bool VisitDoStmt(DoStmt *node) {
    mutateLoop(out, node->getCond());
    visitStatement(node->getBody());
    return true;
  }
  bool VisitForStmt(ForStmt *node) {
    if (!node->getConditionVariable())
      mutateLoop(out, node->getCond());
    visitStatement(node->getBody());
    // Without its step a loop has no end, which any test tells.
    if (node->getInc())
      steps.insert(node->getInc()->IgnoreUnlessSpelledInSource());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *node) {
    mutateRangeLoop(out, node);
    visitStatement(node->getBody());
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *node) {
    for (Stmt *statement : node->body())
      visitStatement(statement);
    return true;
  }
  bool VisitDefaultStmt(DefaultStmt *node) {
    visitStatement(node->getSubStmt());
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *node) {
    mutateReturn(out, node);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *node) {
    if (steps.contains(node))
      return true;
    mutateConnective(out, node);
    mutateRelation(out, node);
    mutateArithmetic(out, node);
    return true;
  }
  bool VisitCXXRewrittenBinaryOperator(CXXRewrittenBinaryOperator *node) {
    if (isEquality(node))
      mutateEquality(out, node,
                     BinaryOperator::getOverloadedOperator(node->getOpcode()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *node) {
    if (!steps.contains(node))
      mutateStep(out, node);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *node) {
    mutateOverloaded(out, node);
    return true;
  }
  bool VisitCallExpr(CallExpr *node) {
    if (isa<CXXOperatorCallExpr>(node))
      return true;
    mutateArguments(out, node, node->getDirectCallee(),
                    ArrayRef(node->getArgs(), node->getNumArgs()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *node) {
    if (!node->isListInitialization() || !node->isStdInitListInitialization())
      mutateArguments(out, node, node->getConstructor(),
                      ArrayRef(node->getArgs(), node->getNumArgs()));
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *node) {
    if (node->getCastKind() != CK_LValueToRValue)
      if (const auto *literal = dyn_cast<IntegerLiteral>(node->getSubExpr()))
        converted[literal] = node->getType();
    return true;
  }
  bool VisitIntegerLiteral(IntegerLiteral *node) {
    mutateInteger(out, node, converted.lookup(node));
    return true;
  }
  bool VisitCXXBoolLiteralExpr(CXXBoolLiteralExpr *node) {
    mutateBool(out, node);
    return true;
  }

private:
  void enter(const FunctionDecl *function, bool isNamed) {
    QualType returned = function->getDeclaredReturnType();
    out.place.returned =
        returned->getContainedAutoType() ? QualType() : returned;
    if (!isNamed)
      return;
    out.place.function = nameOf(function);
    out.place.signature = "(";
    for (const ParmVarDecl *parameter : function->parameters())
      out.place.signature +=
          (out.place.signature.size() > 1 ? ", " : "") +
          parameter->getType().getAsString(out.context.getPrintingPolicy());
    out.place.signature += ")";
  }

  static std::string nameOf(const NamedDecl *node) {
    static constexpr llvm::StringLiteral unnamed = "(anonymous namespace)::";
    std::string name = node->getQualifiedNameAsString();
    for (size_t at; (at = name.find(unnamed.str())) != std::string::npos;)
      name.erase(at, unnamed.size());
    return name;
  }

  void visitStatement(Stmt *node) {
    if (auto *effect = dyn_cast_or_null<Expr>(node))
      mutateEffect(out, effect);
  }

  Collector &out;
  /// Literals that are converted, and to what.
  llvm::DenseMap<const IntegerLiteral *, QualType> converted;
  llvm::DenseSet<const Expr *> steps;
};
} // namespace

void distaff::mutants::collectMutants(Collector &out, Decl *declaration) {
  Walk(out).TraverseDecl(declaration);
}
