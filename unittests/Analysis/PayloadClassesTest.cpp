//===- PayloadClassesTest.cpp - Which payload fields are one class --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PCF-66 and PCF-67: every edge of control flow joins what it passes, field by
// field, and nothing else is joined. Phases are named by an attribute `tag`;
// class numbers are compared, never their order.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::pcf;

static const char header[] = R"(
#sg = #iree_gpu.subgroup_scope
!G = !pcf.threadgroup<#sg>
!F = !pcf.threadgroup<#sg, {f32}>
!FF = !pcf.threadgroup<#sg, {f32, f32}>
!I = !pcf.threadgroup<#sg, {index}>
func.func private @g(!F)
func.func @f(%cond: i1, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !G] {
)";
static const char footer[] = R"(
    pcf.return
  }
  return
}
)";

/// A phase without arguments that yields `values` of constants.
static std::string seed(const std::string &name, const std::string &type,
                        int count = 1) {
  std::string values = "%z" + name, types = "f32";
  for (int i = 1; i < count; ++i) {
    values += ", %z" + name;
    types += ", f32";
  }
  return "%" + name + " = pcf.shared_executor.run_cluster(%tg)[] () {\n  %z" +
         name + " = arith.constant 1.0 : f32\n  pcf.cluster_yield " + values +
         " : " + types + "\n} {tag = \"" + name + "\"} : (!G) -> " + type +
         "\n";
}

/// A phase on one handle that yields another value of the same type.
static std::string step(const std::string &name, const std::string &source) {
  return "%" + name + " = pcf.shared_executor.run_cluster(%" + source +
         ")[] (%x" + name + ": f32) {\n  %y" + name + " = arith.addf %x" +
         name + ", %x" + name + " : f32\n  pcf.cluster_yield %y" + name +
         " : f32\n} {tag = \"" + name + "\"} : (!F) -> !F\n";
}

namespace {
class PayloadClassesTest : public testing::Test {
protected:
  PayloadClassesTest() {
    DialectRegistry registry;
    registerPCF(registry);
    iree::registerIREE(registry);
    registry.insert<func::FuncDialect, scf::SCFDialect, arith::ArithDialect,
                    cf::ControlFlowDialect>();
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
  }

  void analyse(const std::string &body) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        messages += diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(header + body + footer,
                                         ParserConfig(&context));
    ASSERT_TRUE(module) << messages << body;
    SharedExecutorOp executor;
    module->walk([&](SharedExecutorOp op) { executor = op; });
    FailureOr<PayloadClasses> computed = PayloadClasses::compute(executor);
    if (succeeded(computed))
      classes = std::move(*computed);
  }

  Operation *op(llvm::StringRef tag) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      auto name = op->getAttrOfType<StringAttr>("tag");
      if (name && name.getValue() == tag)
        found = op;
    });
    EXPECT_TRUE(found) << tag.str();
    return found;
  }
  /// The class of a field of the handle that an op makes.
  unsigned field(llvm::StringRef tag, unsigned index = 0, unsigned result = 0) {
    return classes->of(PayloadField{op(tag)->getResult(result), index});
  }
  unsigned argument(llvm::StringRef tag, unsigned index = 0) {
    return classes->of(op(tag)->getRegion(0).getArgument(index));
  }
  unsigned yield(llvm::StringRef tag, unsigned index = 0) {
    return classes->of(
        op(tag)->getRegion(0).front().getTerminator()->getOpOperand(index));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<PayloadClasses> classes;
  std::string messages;
};
} // namespace

TEST_F(PayloadClassesTest, APhaseYieldsItsResultAndBindsItsSource) {
  analyse(seed("a", "!F") + step("b", "a"));
  EXPECT_EQ(classes->numClasses(), 2u);
  EXPECT_EQ(field("a"), yield("a"));
  EXPECT_EQ(field("a"), argument("b"));
  EXPECT_EQ(field("b"), yield("b"));
  EXPECT_NE(field("a"), field("b"));
  EXPECT_EQ(classes->sharedType(field("a")), Type(Float32Type::get(&context)));
}

TEST_F(PayloadClassesTest, IterArgsJoinInitBodyYieldAndResult) {
  analyse(
      seed("a", "!F") +
      "%l = scf.for %i = %c0 to %n step %c1 iter_args(%it = %a) -> (!F) {\n" +
      step("b", "it") + "scf.yield %b : !F\n} {tag = \"l\"}\n" +
      step("c", "l"));
  EXPECT_EQ(field("a"), argument("b"));
  EXPECT_EQ(field("a"), field("b"));
  EXPECT_EQ(field("a"), field("l"));
  EXPECT_EQ(field("a"), argument("c"));
  EXPECT_NE(field("a"), field("c"));
  EXPECT_EQ(classes->yields(field("a")).size(), 2u);
  EXPECT_EQ(classes->bodyArgs(field("a")).size(), 2u);
  EXPECT_EQ(classes->fields(field("a")).size(), 4u);
}

TEST_F(PayloadClassesTest, BothBranchesOfAnIfJoinItsResult) {
  analyse(seed("a", "!F") + seed("b", "!F") +
          "%r = scf.if %cond -> !F {\nscf.yield %a : !F\n} else {\n" +
          "scf.yield %b : !F\n} {tag = \"r\"}\n");
  EXPECT_EQ(field("a"), field("r"));
  EXPECT_EQ(field("b"), field("r"));
}

TEST_F(PayloadClassesTest, IndependentSeedsStayApart) {
  analyse(seed("a", "!F") + seed("b", "!F") + step("c", "a") + step("d", "b"));
  EXPECT_EQ(classes->numClasses(), 4u);
}

TEST_F(PayloadClassesTest, ALoopInABranchAndABranchInALoop) {
  analyse(seed("a", "!F") + seed("b", "!F") +
          "%r = scf.if %cond -> !F {\n"
          "%l = scf.for %i = %c0 to %n step %c1 iter_args(%it = %a) -> (!F) {\n"
          "%q = scf.if %cond -> !F {\n" +
          step("d", "it") +
          "scf.yield %d : !F\n} else {\nscf.yield %it : !F\n}\n"
          "scf.yield %q : !F\n}\nscf.yield %l : !F\n} else {\n"
          "scf.yield %b : !F\n} {tag = \"r\"}\n");
  EXPECT_EQ(field("a"), field("d"));
  EXPECT_EQ(field("a"), field("r"));
  // Seeds that meet at a join are one class from there back.
  EXPECT_EQ(field("a"), field("b"));
}

TEST_F(PayloadClassesTest, AllCasesOfASwitchJoinItsResult) {
  analyse(seed("a", "!F") + seed("b", "!F") + seed("d", "!F") +
          seed("e", "!F") +
          "%s = scf.index_switch %n -> !F\ncase 1 {\nscf.yield %a : !F\n}\n"
          "case 5 {\nscf.yield %b : !F\n}\ndefault {\nscf.yield %d : !F\n}\n" +
          step("u", "s"));
  EXPECT_EQ(field("a"), argument("u"));
  EXPECT_EQ(field("b"), argument("u"));
  EXPECT_EQ(field("d"), argument("u"));
  EXPECT_NE(field("e"), argument("u"));
}

TEST_F(PayloadClassesTest, AWhileMayCarryOneThingAndReturnAnother) {
  analyse(seed("a", "!F") + seed("b", "!FF", 2) +
          "%w:2 = scf.while (%x = %a) : (!F) -> (!F, !FF) {\n"
          "scf.condition(%cond) %x, %b : !F, !FF\n} do {\n"
          "^bb0(%y: !F, %p: !FF):\n" +
          step("d", "y") + "scf.yield %d : !F\n} attributes {tag = \"w\"}\n");
  EXPECT_EQ(field("a"), field("d"));
  EXPECT_EQ(field("a"), argument("d"));
  EXPECT_EQ(field("a"), field("w", 0, 0));
  EXPECT_EQ(field("b", 0), field("w", 0, 1));
  EXPECT_EQ(field("b", 1), field("w", 1, 1));
  EXPECT_NE(field("b", 0), field("b", 1));
  EXPECT_NE(field("a"), field("b", 0));
}

TEST_F(PayloadClassesTest, SeveralSourcesAreOneListOfArguments) {
  analyse(seed("a", "!FF", 2) + seed("b", "!F") +
          "pcf.shared_executor.run_cluster(%b, %tg, %a)[] "
          "(%x: f32, %y: f32, %z: f32) {\npcf.cluster_yield\n} {tag = \"u\"} "
          ": (!F, !G, !FF)\n");
  EXPECT_EQ(argument("u", 0), field("b"));
  EXPECT_EQ(argument("u", 1), field("a", 0));
  EXPECT_EQ(argument("u", 2), field("a", 1));
  EXPECT_EQ(classes->numClasses(), 3u);
}

TEST_F(PayloadClassesTest, WhatIsPassedThroughKeepsItsClass) {
  analyse(
      seed("a", "!FF", 2) +
      "%u = pcf.shared_executor.run_cluster(%a)[] (%x: f32, %y: f32) {\n"
      "%z = arith.addf %x, %y : f32\n"
      "pcf.cluster_yield %y, %z : f32, f32\n} {tag = \"u\"} : (!FF) -> !FF\n");
  EXPECT_EQ(field("u", 0), field("a", 1));
  EXPECT_NE(field("u", 1), field("a", 0));
  EXPECT_NE(field("u", 1), field("a", 1));
}

TEST_F(PayloadClassesTest, FieldsOfOneHandleStayApartUntilALoopMixesThem) {
  analyse(
      seed("a", "!FF", 2) + seed("b", "!FF", 2) +
      "%l = scf.for %i = %c0 to %n step %c1 iter_args(%it = %b) -> (!FF) {\n"
      "%u = pcf.shared_executor.run_cluster(%it)[] (%x: f32, %y: f32) {\n"
      "pcf.cluster_yield %y, %x : f32, f32\n} : (!FF) -> !FF\n"
      "scf.yield %u : !FF\n}\n");
  EXPECT_NE(field("a", 0), field("a", 1));
  EXPECT_EQ(field("b", 0), field("b", 1));
}

TEST_F(PayloadClassesTest, ASelectJoinsBothSidesFieldByField) {
  analyse(seed("a", "!FF", 2) + seed("b", "!FF", 2) +
          "%s = arith.select %cond, %a, %b {tag = \"s\"} : !FF\n");
  EXPECT_EQ(field("s", 0), field("a", 0));
  EXPECT_EQ(field("s", 0), field("b", 0));
  EXPECT_EQ(field("s", 1), field("b", 1));
  EXPECT_NE(field("s", 0), field("s", 1));
}

TEST_F(PayloadClassesTest, BlocksPassHandlesToTheirArguments) {
  analyse(seed("a", "!F") + seed("b", "!F") +
          "%r = scf.execute_region -> !F {\n"
          "cf.cond_br %cond, ^one(%a : !F), ^two(%n, %b : index, !F)\n"
          "^one(%x: !F):\n" +
          step("d", "x") +
          "scf.yield %d : !F\n"
          "^two(%i: index, %y: !F):\n" +
          step("e", "y") + "scf.yield %e : !F\n} {tag = \"r\"}\n");
  EXPECT_EQ(field("a"), argument("d"));
  EXPECT_EQ(field("b"), argument("e"));
  EXPECT_NE(field("a"), field("b"));
  EXPECT_EQ(field("d"), field("r"));
  EXPECT_EQ(field("e"), field("r"));
}

TEST_F(PayloadClassesTest, AnUnknownUserIsNamed) {
  analyse(seed("a", "!F") + "\"test.use\"(%a) : (!F) -> ()\n");
  EXPECT_FALSE(classes);
  EXPECT_EQ(messages, "unsupported use of a PCF handle in test.use");
}

TEST_F(PayloadClassesTest, HandlesDoNotCrossFunctions) {
  analyse(seed("a", "!F") + "func.call @g(%a) : (!F) -> ()\n");
  EXPECT_FALSE(classes);
  EXPECT_EQ(messages, "PCF handles cannot cross function boundaries");
}
