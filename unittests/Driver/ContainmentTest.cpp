//===- ContainmentTest.cpp - What a parser may do to the process ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect of this test alone stands in for upstream's: the parser of its
// attribute does what the text says, so that no text of ours makes a parser of
// others crash.
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Containment.h"
#include "distaff/Driver/KernelInput.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"
#include <csignal>
#include <unistd.h>

using namespace distaff;

namespace {

/// Uses up the stack. The sum keeps calls from becoming a loop.
[[gnu::noinline]] int overflow(volatile int *depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth < 0 ? 0 : overflow(depth) + frame[0];
}

/// #standin.abort, #standin.trap, #standin.null, #standin.fatal,
/// #standin.overflow, #standin.hang, and #standin.nothing, which parses.
class StandInDialect : public Dialect {
public:
  explicit StandInDialect(MLIRContext *context)
      : Dialect("standin", context, TypeID::get<StandInDialect>()) {}
  static StringRef getDialectNamespace() { return "standin"; }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    StringRef what;
    if (failed(parser.parseKeyword(&what)))
      return nullptr;
    if (what == "abort")
      std::abort();
    if (what == "trap")
      __builtin_trap();
    if (what == "null") {
      int *volatile nowhere = nullptr;
      *nowhere = 1;
    }
    if (what == "fatal")
      llvm::report_fatal_error("no such thing");
    if (what == "overflow") {
      volatile int depth = 0;
      overflow(&depth);
    }
    while (what == "hang")
      pause();
    return UnitAttr::get(getContext());
  }

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StandInDialect)
};

std::string textThat(StringRef what) {
  return ("func.func @f() attributes {a = #standin." + what +
          "} {\n  return\n}\n")
      .str();
}

constexpr StringLiteral crashes[] = {"abort", "trap", "null", "fatal"};

void expectContained(StringRef what) {
  KernelInput input;
  input.getContext()->loadDialect<StandInDialect>();
  std::string said;
  auto handler = std::make_unique<ScopedDiagnosticHandler>(
      input.getContext(),
      [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  EXPECT_TRUE(failed(input.parse(textThat(what), "stand-in.mlir")));
  EXPECT_NE(said.find("'stand-in.mlir': the MLIR parser crashed on this"),
            std::string::npos)
      << said;
  EXPECT_EQ(input.getContext(), nullptr);
  (void)handler.release(); // of a context that is left as it is
}

} // namespace

TEST(Containment, WhatDoesNotCrashIsParsed) {
  KernelInput input;
  input.getContext()->loadDialect<StandInDialect>();
  EXPECT_TRUE(succeeded(input.parse(textThat("nothing"))));
  EXPECT_EQ(runContained([] {}), std::nullopt);
}

// One after the other: what one leaves behind does not disturb the next.
TEST(Containment, CrashesOfAParserAreErrors) {
  for (int round = 0; round < 2; ++round)
    for (StringRef what : crashes)
      expectContained(what);
}

#if !LLVM_ADDRESS_SANITIZER_BUILD
TEST(Containment, AStackThatIsUsedUpIsAnError) {
  expectContained("overflow");
  expectContained("overflow");
}
#endif

TEST(Containment, TheReasonOfAFatalErrorIsKept) {
  EXPECT_EQ(runContained([] { llvm::report_fatal_error("no such thing"); }),
            "no such thing");
  EXPECT_EQ(runContained([] { __builtin_trap(); }), "it crashed");
}

// A text that is parsed before another program parses it.
TEST(Containment, ATextIsTriedFirst) {
  DialectRegistry registry;
  registerKernelDialects(registry);
  registry.insert<StandInDialect>();
  std::string good = textThat("nothing");
  EXPECT_EQ(findUnparsable(good, registry, ""), std::nullopt);
  for (StringRef what : crashes) {
    std::string both = good + "// -----\n" + textThat(what);
    auto why = findUnparsable(both, registry, "// -----");
    ASSERT_TRUE(why.has_value()) << what.str();
    EXPECT_NE(why->find("the MLIR parser crashed"), std::string::npos);
  }
}

// Time is not limited: who waits may end the process, as by Ctrl-C.
TEST(Containment, AHangIsEndedBySignals) {
  EXPECT_EXIT(
      {
        std::signal(SIGALRM, SIG_DFL);
        ualarm(20'000, 0);
        KernelInput input;
        input.getContext()->loadDialect<StandInDialect>();
        (void)input.parse(textThat("hang"));
      },
      testing::KilledBySignal(SIGALRM), "");
}

// Brackets that no parser is given.
TEST(Containment, DeepTextsAreNotParsed) {
  std::string deep = "module {\n" + std::string(deepestNesting, '(');
  EXPECT_EQ(findTooDeepLine(deep), 2);
  EXPECT_EQ(findTooDeepLine(std::string(deepestNesting, '(')), std::nullopt);
  KernelInput input;
  std::string said;
  ScopedDiagnosticHandler handler(
      input.getContext(),
      [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  EXPECT_TRUE(failed(input.parse(deep, "deep.mlir")));
  EXPECT_NE(said.find("line 2 is nested deeper than 256 levels"),
            std::string::npos)
      << said;
}
