//===- KernelInput.cpp - Parsing text to a module -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/KernelInput.h"
#include "distaff/Analysis/Access/MemorySpaces.h"
#include "distaff/Analysis/Legality/SizeLimits.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Driver/DumpText.h"
#include "distaff/Driver/OldSpellings.h"
#include "distaff/Import/Dispatch/ImportDispatches.h"
#include "distaff/Import/InlineCalls.h"
#include "distaff/Import/InlineResources.h"
#include "distaff/Pipelines/Containment.h"
#include "mlir/Parser/Parser.h"

namespace distaff {

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerKernelDialects(registry);
  return registry;
}

// One thread: compiling a kernel takes less time than starting a pool.
KernelInput::KernelInput()
    : context(std::make_unique<MLIRContext>(makeRegistry(),
                                            MLIRContext::Threading::DISABLED)) {
  // Layout propagation determines a kernel's stage before any pass runs.
  context->loadDialect<vector_ext::VectorExtDialect>();
  // The diagnostic shows the source line; the generic form of the op adds
  // nothing.
  context->printOpOnDiagnostic(false);
}

KernelInput::~KernelInput() = default;

static std::string tooDeep(int64_t line) {
  return "line " + std::to_string(line) + " is nested deeper than " +
         std::to_string(deepestNesting) + " levels; such text is not parsed";
}

static constexpr StringLiteral parserCrashed =
    "the MLIR parser crashed on this text; fix the last error reported above, "
    "or the text where none is";

LogicalResult KernelInput::parse(StringRef text, StringRef name) {
  // Created before a crash of the parser may corrupt the context.
  Location nowhere = UnknownLoc::get(context.get());
  if (std::optional<int64_t> line = findTooDeepLine(text))
    return emitError(nowhere) << "'" << name << "': " << tooDeep(*line);
  auto notes = std::make_unique<OldSpellingNotes>(context.get(), text);
  if (runContained([&] {
        module =
            parseSourceString<ModuleOp>(adaptDump(text), context.get(), name);
      })) {
    emitError(nowhere) << "'" << name << "': " << parserCrashed;
    (void)notes.release();
    (void)module.release();
    (void)context.release();
    return failure();
  }
  notes.reset();
  return failure(
      !module || failed(importDispatches(*module)) ||
      failed(inlineResources(*module)) || failed(inlineCalls(*module)) ||
      failed(verifyMemorySpaces(*module)) || failed(verifySizes(*module)));
}

std::optional<std::string>
findUnparsable(StringRef text, const DialectRegistry &registry,
               StringRef marker,
               function_ref<void(const OldSpellingNote &)> note) {
  if (std::optional<int64_t> line = findTooDeepLine(text))
    return tooDeep(*line);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  SmallVector<StringRef> parts = {text};
  if (!marker.empty()) {
    parts.clear();
    text.split(parts, marker);
  }
  for (StringRef part : parts) {
    OldSpellingFinder finder(part);
    int64_t linesBefore =
        StringRef(text.begin(), part.begin() - text.begin()).count('\n');
    // Ordinary errors are reported by the final parse.
    auto listener = std::make_unique<ScopedDiagnosticHandler>(
        context.get(), [&](Diagnostic &diagnostic) {
          if (std::optional<OldSpellingNote> found = finder.find(diagnostic);
              found && note) {
            found->line += linesBefore;
            note(*found);
          }
          return success();
        });
    if (runContained(
            [&] { (void)parseSourceString<ModuleOp>(part, context.get()); })) {
      (void)listener.release();
      (void)context.release();
      return parserCrashed.str();
    }
  }
  return std::nullopt;
}

} // namespace distaff
