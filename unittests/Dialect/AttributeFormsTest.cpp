//===- AttributeFormsTest.cpp - Inherent attributes in text ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of the inherited dialects, as the tests and examples of the project
// have it, is printed with its inherent attributes as entries of the attribute
// dictionary and as properties, and parsed again. An op, or an attribute of
// one, that no test has fails here.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/AttributeDictionary.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Driver/KernelInput.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <set>

using namespace distaff;

namespace {

constexpr StringRef dialects[] = {"iree_vector_ext", "iree_codegen", "iree_gpu",
                                  "pcf"};
/// Sorts before what ops of the tests have.
constexpr StringRef mark = "_mark";

/// A context in which ops print one of the forms.
struct Form {
  explicit Form(bool asProperties)
      : context(makeRegistry(asProperties), MLIRContext::Threading::DISABLED) {
    context.allowUnregisteredDialects();
    context.loadAllAvailableDialects();
  }

  static DialectRegistry makeRegistry(bool asProperties) {
    DialectRegistry registry;
    registerKernelDialects(registry);
    if (asProperties)
      printInherentAttributesAsProperties<
          vector_ext::VectorExtDialect, iree::IREECodegenDialect,
          iree::IREEGPUDialect, pcf::PCFDialect>(registry);
    return registry;
  }

  /// The module, or null and what was said.
  OwningOpRef<ModuleOp> parse(StringRef text, std::string &said) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
      return success();
    });
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

bool isInherited(Operation *op) {
  return llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

std::string print(ModuleOp module, OpPrintingFlags flags = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  return text;
}

std::string printGeneric(ModuleOp module) {
  return print(module, OpPrintingFlags().printGenericOpForm());
}

/// The parts of the files under test/ and examples/ with ops of the dialects.
std::vector<std::string> readParts() {
  std::vector<std::string> parts;
  for (const char *folder : {"/test", "/examples"}) {
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator
             file(DISTAFF_SOURCE_DIR + std::string(folder), error),
         end;
         file != end && !error; file.increment(error)) {
      if (!StringRef(file->path()).ends_with(".mlir"))
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(file->path());
      SmallVector<StringRef> texts;
      buffer.get()->getBuffer().split(texts, "// -----");
      for (StringRef text : texts)
        if (llvm::any_of(dialects,
                         [&](StringRef name) { return text.contains(name); }))
          parts.push_back(text.str());
    }
  }
  return parts;
}

/// In a text of marked ops, has every one begin its attributes with `<{...}>`.
std::string addEmptyProperties(std::string text) {
  std::string begin = ("{" + mark).str(), keyword = " attributes ";
  for (size_t at = text.find(begin); at != std::string::npos;) {
    if (StringRef(text).substr(0, at).ends_with(keyword))
      at -= keyword.size() - 1;
    bool hasProperties = StringRef(text).substr(0, at).ends_with("}> ");
    if (!hasProperties)
      text.insert(at, "<{}> ");
    at = text.find(begin, text.find(begin, at) + 1);
  }
  return text;
}

/// The same text with the properties of its first op that has any in the
/// dictionary too, or an empty one.
std::string nameTwice(StringRef text) {
  std::string between = ("}> {" + mark).str();
  size_t end = text.find(between);
  if (end == StringRef::npos)
    return "";
  size_t begin = text.take_front(end).rfind(" <{") + 3;
  std::string twice = text.str();
  twice.insert(end + between.size(), ", " + text.slice(begin, end).str());
  return twice;
}

/// Adds the names of inherited ops, and of their attributes that have a value.
void noteOps(ModuleOp module, std::set<std::string> &seen) {
  module->walk([&](Operation *op) {
    if (!isInherited(op))
      return;
    StringRef name = op->getName().getStringRef();
    seen.insert(name.str());
    for (StringAttr attribute : op->getName().getAttributeNames())
      if (op->getInherentAttr(attribute).value_or(nullptr))
        seen.insert((name + " " + attribute.getValue()).str());
  });
}

/// What no custom syntax has: the classic form of a gather, in generic syntax.
bool isClassic(StringRef op, StringRef attribute) {
  return op == vector_ext::TransferGatherOp::getOperationName() &&
         (attribute.starts_with("indexed") || attribute == "permutation_map");
}

class AttributeForms : public testing::Test {
protected:
  Form dictionary{false}, properties{true};
  std::string said;

  /// Parses a text of either form, which must be the module `wanted`.
  void expectSame(StringRef text, const std::string &wanted) {
    for (Form *form : {&dictionary, &properties}) {
      said.clear();
      OwningOpRef<ModuleOp> again = form->parse(text, said);
      ASSERT_TRUE(again) << said << text.str();
      EXPECT_EQ(printGeneric(*again), wanted) << text.str();
    }
  }
};

TEST_F(AttributeForms, EveryOpIsPrintedAndParsedInBothForms) {
  std::set<std::string> seen;
  unsigned modules = 0, twiceNamed = 0;
  for (StringRef part : readParts()) {
    OwningOpRef<ModuleOp> first = dictionary.parse(part, said);
    OwningOpRef<ModuleOp> second = properties.parse(part, said);
    if (!first || !second)
      continue; // shows an error of the parser or of a verifier
    for (ModuleOp module : {*first, *second})
      module->walk([&](Operation *op) {
        if (isInherited(op))
          op->setAttr(mark, UnitAttr::get(op->getContext()));
      });
    std::string wanted = printGeneric(*first);
    // The classic form is no form of its own in text: it becomes the unified.
    // And a context gives another name to a resource that it has already.
    if (StringRef(wanted).contains("indexed_maps = ") ||
        StringRef(wanted).contains("dialect_resources"))
      continue;
    ++modules;
    noteOps(*first, seen);
    std::string asProperties = print(*second);
    expectSame(wanted, wanted);
    expectSame(print(*first), wanted);
    expectSame(asProperties, wanted);
    expectSame(addEmptyProperties(asProperties), wanted);
    if (std::string twice = nameTwice(asProperties); !twice.empty()) {
      ++twiceNamed;
      said.clear();
      EXPECT_FALSE(dictionary.parse(twice, said)) << twice;
      EXPECT_NE(said.find("in <{...}> and in {...}; remove one"),
                std::string::npos)
          << said;
    }
  }
  EXPECT_GT(modules, 500u);
  EXPECT_GT(twiceNamed, 50u);
  unsigned ops = 0;
  for (RegisteredOperationName op :
       dictionary.context.getRegisteredOperations()) {
    if (!llvm::is_contained(dialects, op.getDialectNamespace()))
      continue;
    ++ops;
    StringRef name = op.getStringRef();
    EXPECT_TRUE(seen.count(name.str())) << "no test has " << name.str();
    for (StringAttr attribute : op.getAttributeNames())
      EXPECT_TRUE(isClassic(name, attribute) ||
                  seen.count((name + " " + attribute.getValue()).str()))
          << "no test has " << name.str() << " with "
          << attribute.getValue().str();
  }
  EXPECT_GE(ops, 29u);
}

} // namespace
