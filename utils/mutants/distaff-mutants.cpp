//===- distaff-mutants.cpp - Lists the mutants of sources -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: distaff-mutants -p BUILD [--root DIR] FILE_OR_FOLDER ...
//
// Prints JSON: the mutants of all sources and headers that are, or are in, what
// is named, by file and place. BUILD has a compile_commands.json; sources may
// be compiled in unity batches. Precompiled and generated headers must be
// built.
//
// A mutant's key is `file::function::operator#n`, the n-th of the operator in
// the function, from 0 on. Functions with one name in one file carry the types
// of their parameters.
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>
#include <tuple>

using namespace clang;
using namespace distaff::mutants;
namespace cl = llvm::cl;
namespace path = llvm::sys::path;

static cl::opt<std::string> buildFolder("p", cl::Required,
                                        cl::desc("build folder"));
static cl::opt<std::string> rootFolder("root", cl::init("."),
                                       cl::desc("root of the sources"));
static cl::list<std::string> wanted(cl::Positional, cl::OneOrMore,
                                    cl::desc("FILE_OR_FOLDER ..."));

static std::string realPath(llvm::StringRef name) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(name, real))
    return name.str();
  return real.str().str();
}

/// Whether a path is one of `places`, or in a folder that is.
static bool isIn(llvm::StringRef file, llvm::ArrayRef<std::string> places) {
  return llvm::any_of(places, [&](llvm::StringRef place) {
    return file == place ||
           (file.starts_with(place) && file[place.size()] == '/');
  });
}

//===----------------------------------------------------------------------===//
// Reading translation units
//===----------------------------------------------------------------------===//

namespace {
using NameOf = std::function<std::string(llvm::StringRef)>;

class Consumer : public ASTConsumer {
public:
  Consumer(NameOf nameOf, std::vector<Mutant> &mutants)
      : nameOf(std::move(nameOf)), mutants(mutants) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    declarations.append(group.begin(), group.end());
    return true;
  }
  /// Those of precompiled headers.
  void HandleInterestingDecl(DeclGroupRef) override {}

  void HandleTranslationUnit(ASTContext &context) override {
    if (!context.getLangOpts().CPlusPlus)
      return; // what is planted is C++
    Collector out(context, nameOf, mutants);
    for (Decl *declaration : declarations)
      if (out.isWanted(declaration->getLocation()))
        collectMutants(out, declaration);
  }

private:
  NameOf nameOf;
  std::vector<Mutant> &mutants;
  llvm::SmallVector<Decl *> declarations;
};

struct Action : ASTFrontendAction {
  Action(NameOf nameOf, std::vector<Mutant> &mutants)
      : nameOf(std::move(nameOf)), mutants(mutants) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 llvm::StringRef) override {
    return std::make_unique<Consumer>(nameOf, mutants);
  }

  NameOf nameOf;
  std::vector<Mutant> &mutants;
};

struct Factory : tooling::FrontendActionFactory {
  Factory(NameOf nameOf, std::vector<Mutant> &mutants)
      : nameOf(std::move(nameOf)), mutants(mutants) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<Action>(nameOf, mutants);
  }

  NameOf nameOf;
  std::vector<Mutant> &mutants;
};
} // namespace

/// Returns the sources that a unity batch includes.
static std::vector<std::string> batchOf(llvm::StringRef file) {
  std::vector<std::string> sources;
  if (!path::filename(file).starts_with("unity_"))
    return sources;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return sources;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.trim().consume_front("#include \""))
      sources.push_back(line.trim().drop_front(10).drop_back(1).str());
  return sources;
}

/// Returns what is compiled and is wanted, or includes sources that are.
static std::vector<std::string>
unitsToRead(const tooling::CompilationDatabase &commands,
            llvm::ArrayRef<std::string> places) {
  std::vector<std::string> units;
  for (const std::string &file : commands.getAllFiles()) {
    std::vector<std::string> sources = batchOf(file);
    sources.push_back(file);
    if (llvm::any_of(sources, [&](const std::string &source) {
          return isIn(realPath(source), places);
        }))
      units.push_back(file);
  }
  llvm::sort(units);
  return units;
}

/// Leaves out what only the compiler's output needs.
static tooling::CommandLineArguments
adjust(const tooling::CommandLineArguments &given, llvm::StringRef) {
  tooling::CommandLineArguments arguments;
  for (const std::string &argument : given)
    if (argument != "-ftime-trace" && argument != "-fcolor-diagnostics")
      arguments.push_back(argument);
  arguments.insert(arguments.begin() + 1,
                   {"-w", "-resource-dir=" DISTAFF_CLANG_RESOURCES});
  return arguments;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Sorts by place, and keeps one of those that several units have. Of one
/// place, outer nodes stay first, as the walk has found them: what is planted
/// around the outer one may have another type.
static void sortUnique(std::vector<Mutant> &mutants) {
  auto place = [](const Mutant &mutant) {
    return std::tie(mutant.file, mutant.range.begin, mutant.range.end);
  };
  llvm::sort(mutants, [&](const Mutant &a, const Mutant &b) {
    return std::tuple_cat(place(a), std::tie(a.order)) <
           std::tuple_cat(place(b), std::tie(b.order));
  });
  std::set<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>>
      seen;
  llvm::erase_if(mutants, [&](const Mutant &mutant) {
    return !seen.insert(std::tuple_cat(place(mutant),
                                       std::tie(mutant.op, mutant.replacement)))
                .second;
  });
}

static void print(llvm::json::OStream &out, const Mutant &mutant,
                  llvm::StringRef key) {
  out.object([&] {
    out.attribute("key", key);
    out.attribute("file", mutant.file);
    out.attribute("function", mutant.function);
    out.attribute("operator", mutant.op);
    out.attribute("line", mutant.line);
    out.attribute("last_line", mutant.lastLine);
    out.attribute("begin", mutant.range.begin);
    out.attribute("end", mutant.range.end);
    out.attribute("original", mutant.original);
    out.attribute("replacement", mutant.replacement);
    out.attributeArray("wraps", [&] {
      for (const Wrap &wrap : mutant.wraps)
        out.object([&] {
          out.attribute("begin", wrap.range.begin);
          out.attribute("end", wrap.range.end);
          out.attribute("before", wrap.before);
          out.attribute("after", wrap.after);
        });
    });
  });
}

static void printAll(llvm::ArrayRef<Mutant> mutants) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>>
      overloads;
  for (const Mutant &mutant : mutants)
    overloads[{mutant.file, mutant.function}].insert(mutant.signature);
  std::map<std::string, int> counts;
  llvm::json::OStream out(llvm::outs(), 1);
  out.array([&] {
    for (const Mutant &mutant : mutants) {
      std::string key = mutant.file + "::" + mutant.function;
      if (overloads[{mutant.file, mutant.function}].size() > 1)
        key += mutant.signature;
      key += "::" + mutant.op;
      print(out, mutant, key + "#" + std::to_string(counts[key]++));
    }
  });
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Lists the mutants of sources.\n");
  std::string error, root = realPath(rootFolder);
  auto commands = tooling::JSONCompilationDatabase::loadFromFile(
      buildFolder + "/compile_commands.json", error,
      tooling::JSONCommandLineSyntax::AutoDetect);
  if (!commands) {
    llvm::errs() << "error: " << error << "\n";
    return 2;
  }
  std::vector<std::string> places;
  for (const std::string &place : wanted)
    places.push_back(
        realPath(path::is_absolute(place) ? place : root + "/" + place));
  std::vector<std::string> units = unitsToRead(*commands, places);
  if (units.empty()) {
    llvm::errs() << "error: no source of these is compiled in " << buildFolder
                 << "\n";
    return 2;
  }
  auto nameOf = [&](llvm::StringRef file) -> std::string {
    if (!isIn(file, root) || !isIn(file, places))
      return "";
    return file.drop_front(root.size() + 1).str();
  };
  std::vector<Mutant> mutants;
  Factory factory(nameOf, mutants);
  tooling::ClangTool tool(*commands, units);
  tool.appendArgumentsAdjuster(adjust);
  if (tool.run(&factory))
    return 2;
  sortUnique(mutants);
  printAll(mutants);
  return 0;
}
