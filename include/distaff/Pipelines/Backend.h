//===- Backend.h - How a family's code is made ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend is a row: which conversion takes a lowered module to LLVM's
// dialect, how LLVM's code generator is made known, and which kinds of code
// there are. It serves the targets whose family has its name.
//
//   nvptx    llvm, ptx, cubin (ptx that ptxas has assembled)
//   amdgpu   llvm, gcn, hsaco (an object that ld.lld has linked)
//   host     llvm, asm, obj (a relocatable object)
//
// A kind is what LLVM writes, IR, assembly text or an object, and what an
// outside program makes of that, if any.
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

/// A kind of code of a backend.
struct CodeKind {
  /// What LLVM writes: its IR, optimised, or the code generator's output.
  enum class Form { IR, Assembly, Object };
  /// Whether kernel packages have it: never, always, or where the outside
  /// program that makes it is found.
  enum class InPackage { No, Yes, WhereFound };

  StringLiteral name; ///< what --emit takes
  Form form;
  /// Has an outside program make it of that; null: that is it.
  FailureOr<std::string> (*finish)(Location, StringRef,
                                   const Target &) = nullptr;
  /// Why it cannot be made on this machine, or none; null: it can be.
  std::optional<std::string> (*whyMissing)() = nullptr;
  InPackage inPackage = InPackage::No;
  /// Whether drivers of any later capability take it. Of the same major number
  /// they all do, unless the target's code is for its capability alone.
  bool runsOnLater = false;
};

/// A switch of LLVM's code generator and its value, as `llc` has them.
struct GeneratorSwitch {
  StringLiteral name;
  StringLiteral value;
};

struct Backend {
  Family family;
  /// Makes LLVM's code generator known, when a kernel first needs it:
  /// registering all of LLVM's costs more than compiling a small kernel.
  void (*initialize)();
  /// Adds the passes from what `lower` leaves to LLVM's dialect, and that of
  /// the vendor.
  void (*addConversion)(OpPassManager &, const Target &);
  /// Registers the translation of the vendor's dialect to LLVM IR.
  void (*registerTranslation)(DialectRegistry &);
  /// Completes what the translation to LLVM IR says, before any pass; may be
  /// null.
  void (*prepare)(llvm::Module &) = nullptr;
  /// LLVM passes in front of those of all backends, as `opt -passes` has them.
  StringLiteral firstPasses = "";
  /// LLVM passes behind those of all backends.
  StringLiteral modulePasses = "";
  /// Switches of LLVM's that have another value than theirs while the passes of
  /// its code generator are chosen.
  ArrayRef<GeneratorSwitch> generatorSwitches = {};
  /// The passes and the switches of a second generation of code that spills:
  /// they keep register pressure low by computing addresses where they are used
  /// (VX-294). A backend without such switches generates code once.
  StringLiteral lowPressurePasses = "";
  ArrayRef<GeneratorSwitch> lowPressureSwitches = {};
  /// Whether code may call a function of that name, which whoever links it
  /// provides; null: there is none.
  bool (*isInLibrary)(StringRef) = nullptr;
  /// What else is done to the optimised module; may be null.
  void (*finish)(llvm::Module &) = nullptr;
  /// Returns the assembly text of a module from those of modules that share no
  /// symbol, or none where they cannot be joined; null: a module is generated
  /// whole.
  std::optional<std::string> (*join)(ArrayRef<std::string>) = nullptr;
  /// Adds what the assembler says of each of the kernels (by their emitted
  /// symbols) in assembly text, or says why there is none. May be null.
  LogicalResult (*measure)(Location, StringRef assembly, const Target &,
                           MutableArrayRef<KernelResources>) = nullptr;
  /// Whether who loads the code finds its variables by name, and so can fill
  /// them.
  bool loadsVariables = false;
  /// Begins a comment in assembly text.
  StringLiteral comment = "//";
  /// The first one is assembly text.
  ArrayRef<CodeKind> kinds;

  const CodeKind *findKind(StringRef name) const;

  /// The names of the kinds.
  std::string listKinds() const;
};

/// The backend of the target's family, or null.
const Backend *lookupBackend(const Target &target);

/// Every backend.
ArrayRef<const Backend *> allBackends();

/// The kinds of all backends, each once.
std::string listAllKinds();

/// Whether a backend has a kind of that name.
bool isKindKnown(StringRef kind);

/// Whether there is code of that kind for the target.
bool isKindOf(const Target &target, StringRef kind);

/// Makes a backend of the caller's known for as long as this lives.
/// \pre no backend has that family, and nobody looks one up while one is made
///      or ends
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
