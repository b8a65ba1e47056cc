//===- Backend.h - Code generation backends ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend is a record: which conversion takes a lowered module to LLVM's
// dialect, how LLVM's code generator is initialized, and which kinds of code
// there are. It serves the targets whose family has its name.
//
//   nvptx    llvm, ptx, cubin (ptx that ptxas has assembled)
//   amdgpu   llvm, gcn, hsaco (an object that ld.lld has linked)
//   host     llvm, asm, obj (a relocatable object)
//
// A kind is an output of LLVM (IR, assembly text or an object), and optionally
// what an external program makes of it.
//
// To add one, write lib/Pipelines/Backends/NAME.cpp with one constant and list
// it in lib/Pipelines/Backend.cpp; a program that uses Distaff as a library
// registers its own (`BackendRegistration`).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_BACKEND_H
#define DISTAFF_PIPELINES_BACKEND_H

#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Location.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace distaff {

/// A CodeKind is a kind of code of a backend.
struct CodeKind {
  /// The output of LLVM: its IR, optimised, or the code generator's output.
  enum class Form { IR, Assembly, Object };
  /// Whether kernel packages contain it: never, always, or if the external
  /// program that makes it is found.
  enum class InPackage { No, Yes, WhereFound };

  StringLiteral name; ///< the name that --emit takes
  Form form;
  /// Runs an external program on LLVM's output; null: that output is the code.
  FailureOr<std::string> (*finish)(Location, StringRef,
                                   const Target &) = nullptr;
  /// Returns why it cannot be made on this machine, or none; null: it can be.
  std::optional<std::string> (*whyMissing)() = nullptr;
  InPackage inPackage = InPackage::No;
  /// Whether drivers of any later capability accept it. Those of the same major
  /// number all do, unless the target's code is for its capability alone.
  bool runsOnLater = false;
};

/// A switch of LLVM's code generator and its value, as `llc` has them.
struct GeneratorSwitch {
  StringLiteral name;
  StringLiteral value;
};

struct Backend {
  Family family;
  /// Initializes LLVM's code generator when a kernel first needs it:
  /// registering all of LLVM's costs more than compiling a small kernel.
  void (*initialize)();
  /// Adds the passes from the output of `lower` to LLVM's dialect and that of
  /// the vendor.
  void (*addConversion)(OpPassManager &, const Target &);
  /// Registers the translation of the vendor's dialect to LLVM IR.
  void (*registerTranslation)(DialectRegistry &);
  /// Completes the LLVM IR after translation, before any pass; may be null.
  void (*prepare)(llvm::Module &) = nullptr;
  /// LLVM passes before those of all backends, as `opt -passes` has them.
  StringLiteral firstPasses = "";
  /// LLVM passes after those of all backends.
  StringLiteral modulePasses = "";
  /// Switches of LLVM that differ from their defaults while the passes of its
  /// code generator are chosen.
  ArrayRef<GeneratorSwitch> generatorSwitches = {};
  /// The passes and the switches of a second run of code generation for code
  /// that spills: they keep register pressure low by computing addresses where
  /// they are used (VX-294). A backend without such switches generates code
  /// once.
  StringLiteral lowPressurePasses = "";
  ArrayRef<GeneratorSwitch> lowPressureSwitches = {};
  /// Returns whether code may call a function of that name, which is linked
  /// later; null: there is none.
  bool (*isInLibrary)(StringRef) = nullptr;
  /// Modifies the optimised module; may be null.
  void (*finish)(llvm::Module &) = nullptr;
  /// Returns the assembly text of a module from those of modules that share no
  /// symbol, or none if they cannot be joined; null: a module is generated
  /// whole.
  std::optional<std::string> (*join)(ArrayRef<std::string>) = nullptr;
  /// Adds the assembler's resource usage of each of the kernels (by their
  /// emitted symbols) in assembly text, or reports why there is none. May be
  /// null.
  LogicalResult (*measure)(Location, StringRef assembly, const Target &,
                           MutableArrayRef<KernelResources>) = nullptr;
  /// Whether the loader finds the code's variables by name, and so can
  /// initialize them.
  bool loadsVariables = false;
  /// The start of a comment in assembly text.
  StringLiteral comment = "//";
  /// The kinds of code; the first one is assembly text.
  ArrayRef<CodeKind> kinds;

  const CodeKind *findKind(StringRef name) const;

  /// Returns the names of the kinds.
  std::string listKinds() const;
};

/// Returns the backend of the target's family, or null.
const Backend *lookupBackend(const Target &target);

/// Returns every backend.
ArrayRef<const Backend *> allBackends();

/// Returns the kinds of all backends, each once.
std::string listAllKinds();

/// Returns whether a backend has a kind of that name.
bool isKindKnown(StringRef kind);

/// Returns whether there is code of that kind for the target.
bool isKindOf(const Target &target, StringRef kind);

/// Registers a backend of the caller as long as the object lives.
/// \pre no backend has that family, and no lookup runs while a registration
///      begins or ends
class BackendRegistration {
public:
  explicit BackendRegistration(const Backend &backend);
  ~BackendRegistration();
  BackendRegistration(const BackendRegistration &) = delete;
  BackendRegistration &operator=(const BackendRegistration &) = delete;

private:
  const Backend *backend;
};

} // namespace distaff

#endif // DISTAFF_PIPELINES_BACKEND_H
