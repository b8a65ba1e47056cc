//===- Emit.cpp - Code emission from lowered MLIR -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads from top to bottom as emission: convert, translate, optimise, generate,
// assemble or link.
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Emit.h"
#include "EmitSteps.h"
#include "ParallelFor.h"
#include "Partition.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Conversion/RegisterForecast.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Containment.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include <map>

using namespace distaff;

/// Returns the backend and its kinds of those names, or reports that there is
/// no such code.
static FailureOr<const Backend *>
findKinds(Location loc, const Target &target, ArrayRef<StringRef> names,
          SmallVectorImpl<const CodeKind *> &kinds) {
  const Backend *backend = lookupBackend(target);
  if (!backend) {
    InFlightDiagnostic error = emitError(loc, "no backend emits code for ")
                               << target.name << ", which is of the family "
                               << target.family.name
                               << "; there are backends for ";
    llvm::interleaveComma(allBackends(), error, [&](const Backend *known) {
      error << known->family.name;
    });
    return error;
  }
  for (StringRef name : names) {
    const CodeKind *kind = backend->findKind(name);
    if (!kind)
      return emitError(loc, "there is no ")
             << name << " code for " << target.name << ", but "
             << backend->listKinds();
    if (kind->whyMissing)
      if (std::optional<std::string> why = kind->whyMissing())
        return emitError(loc, *why);
    kinds.push_back(kind);
  }
  return backend;
}

static std::unique_ptr<llvm::Module>
translate(ModuleOp module, const Backend &backend, llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  backend.registerTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  return translateModuleToLLVMIR(module, context, "distaff");
}

/// Checks that every function called is an intrinsic, or in the library.
static LogicalResult checkSelfContained(Location loc,
                                        const llvm::Module &module,
                                        const Backend &backend) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.hasFnAttribute(externalFunctionAttribute) &&
        !(backend.isInLibrary && backend.isInLibrary(function.getName())))
      return emitError(loc, "calls '")
             << function.getName() << "', which no library provides";
  return success();
}

/// Returns comments for a launch by hand, which PTX cannot express: one for
/// each kernel whose launch allocates workgroup memory, and one for each
/// argument that no launch passes.
static std::string launchComments(ModuleOp module, const Target &target,
                                  const Backend &backend) {
  std::string comments;
  llvm::raw_string_ostream stream(comments);
  for (FunctionOpInterface kernel : findKernels(module))
    if (int64_t bytes = launchedWorkgroupMemory(kernel, target))
      stream << backend.comment << " " << emittedSymbol(kernel.getName())
             << ": launch with " << bytes
             << " bytes of dynamic shared memory\n";
  for (FunctionOpInterface kernel : findKernels(module))
    for (const WorkgroupArgument &x : workgroupArguments(kernel, target))
      stream << backend.comment << " " << emittedSymbol(kernel.getName())
             << ": argument " << x.number << " is not passed: " << x.bytes
             << " bytes of shared memory at " << x.symbol << " + " << x.offset
             << ", aligned to " << x.alignment << x.describeRows() << "\n";
  return comments;
}

namespace {
/// A module in translation by LLVM, in a context of its own.
struct Translated {
  Location loc;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> code;
  /// Number of registers that the code generator spilled, if it reports one.
  int64_t spilled = 0;

  /// Leaks the objects: after a crash of LLVM they must not be destroyed.
  void leak() {
    (void)code.release();
    (void)machine.release();
    (void)context.release();
  }
};
} // namespace

namespace {
/// Adds up the spilled registers of a kernel that LLVM's remarks report.
class SpillCounter final : public llvm::DiagnosticHandler {
public:
  explicit SpillCounter(int64_t &spilled) : spilled(spilled) {}

  bool isAnalysisRemarkEnabled(StringRef pass) const override {
    return pass == remarks;
  }
  bool isAnyRemarkEnabled() const override { return true; }
  bool handleDiagnostics(const llvm::DiagnosticInfo &said) override {
    auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&said);
    if (!remark || StringRef(remark->getPassName()) != remarks)
      return false;
    int64_t count = 0;
    if (remark->getRemarkName().ends_with("Spill") &&
        llvm::to_integer(StringRef(remark->getMsg()).rsplit(' ').second, count))
      spilled += count;
    return true;
  }

private:
  static constexpr StringLiteral remarks = "kernel-resource-usage";
  int64_t &spilled;
};
} // namespace

/// Translates a converted module to LLVM IR.
static LogicalResult begin(ModuleOp module, const Target &target,
                           const Backend &backend, Translated &part) {
  part.code = translate(module, backend, *part.context);
  if (!part.code)
    return emitError(part.loc, "could not be translated to LLVM IR");
  if (failed(checkSelfContained(part.loc, *part.code, backend)))
    return failure();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(part.loc, target, backend);
  if (failed(machine))
    return failure();
  part.machine = std::move(*machine);
  part.code->setTargetTriple(part.machine->getTargetTriple());
  part.code->setDataLayout(part.machine->createDataLayout());
  return success();
}

/// Returns LLVM's output for a translated module, before external programs.
/// Parts share no data, so they may be generated in parallel.
static FailureOr<std::string> generate(Translated &part, const Target &target,
                                       const Backend &backend,
                                       CodeKind::Form form) {
  optimize(*part.code, *part.machine, target, backend);
  // The fast allocator takes seconds instead of minutes, and code that spills
  // this much is slow with either; it is not generated again.
  if (llvm::any_of(*part.code, [](const llvm::Function &function) {
        return function.hasFnAttribute(kSpillsMostly);
      }))
    part.machine->setOptLevel(llvm::CodeGenOptLevel::None);
  else
    part.context->setDiagnosticHandler(
        std::make_unique<SpillCounter>(part.spilled));
  if (form == CodeKind::Form::IR) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    part.code->print(stream, nullptr);
    return text;
  }
  return generateCode(part.loc, *part.code, *part.machine, backend,
                      form == CodeKind::Form::Object
                          ? llvm::CodeGenFileType::ObjectFile
                          : llvm::CodeGenFileType::AssemblyFile);
}

/// Returns the start of the comment before the trap of an assertion.
static std::string assertionComment(const Backend &backend) {
  return (backend.comment + " assertion: ").str();
}

/// Inserts a comment with the assertion's message before each trap in the
/// assembly text.
static void commentTraps(ModuleOp converted, const Backend &backend) {
  converted.walk([&](LLVM::Trap trap) {
    auto message = trap->getAttrOfType<StringAttr>(kAssertionAttrName);
    if (!message)
      return;
    std::string text = assertionComment(backend);
    for (char c : message.getValue()) {
      text += llvm::isPrint(c) ? c : ' ';
      if (c == '$') // LLVM's escape for a `$`
        text += c;
    }
    OpBuilder b(trap);
    LLVM::InlineAsmOp::create(
        b, trap.getLoc(), /*res=*/TypeRange(), /*operands=*/ValueRange(), text,
        /*constraints=*/"", /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  });
}

std::string distaff::assertionBefore(StringRef text, unsigned line,
                                     const Target &target) {
  const Backend *backend = lookupBackend(target);
  if (!backend)
    return "";
  std::string begin = assertionComment(*backend);
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  // LLVM writes the end of the inline assembly after the comment.
  constexpr unsigned farthest = 4;
  for (unsigned at = std::min<unsigned>(line, lines.size()), i = 0;
       at > 0 && i < farthest; --at, ++i)
    if (StringRef said = lines[at - 1].ltrim(); said.consume_front(begin))
      return said.rtrim().str();
  return "";
}

/// Runs a step of LLVM on a part; a crash of LLVM becomes an error.
static LogicalResult contain(Translated &part, const Target &target,
                             llvm::function_ref<LogicalResult()> step) {
  LogicalResult result = failure();
  if (std::optional<std::string> why = runContained([&] { result = step(); })) {
    part.leak();
    return emitError(part.loc, "LLVM does not generate code for ")
           << target.name << " from this: " << *why;
  }
  return result;
}

/// Returns whether two parts define the same symbol, which LLVM then added.
static bool defineOneTwice(ArrayRef<Translated> parts) {
  llvm::StringSet<> defined;
  for (const Translated &part : parts)
    for (const llvm::GlobalValue &value : part.code->global_values())
      if (!value.isDeclaration() && !defined.insert(value.getName()).second)
        return true;
  return false;
}

/// Generates the code of modules in parallel, on up to `threads` threads, with
/// errors in the order of the modules, and adds up the spills. Returns none if
/// the codes cannot be linked into one program.
static FailureOr<std::vector<std::string>>
writeAll(ArrayRef<ModuleOp> modules, const Target &target,
         const Backend &backend, CodeKind::Form form, unsigned threads,
         int64_t &spilled) {
  std::vector<Translated> parts;
  // An MLIR context may be used by one thread at a time.
  for (ModuleOp module : modules) {
    Translated &part = parts.emplace_back(
        Translated{module.getLoc(), std::make_unique<llvm::LLVMContext>(),
                   nullptr, nullptr});
    if (failed(contain(part, target,
                       [&] { return begin(module, target, backend, part); })))
      return failure();
  }
  std::vector<std::string> codes(parts.size());
  std::vector<char> isDone(parts.size(), false);
  ParallelDiagnosticHandler diagnostics(parts.front().loc->getContext());
  parallelFor(parts.size(), threads, [&](size_t at) {
    diagnostics.setOrderIDForThread(at);
    isDone[at] = succeeded(contain(parts[at], target, [&]() -> LogicalResult {
      FailureOr<std::string> code = generate(parts[at], target, backend, form);
      if (succeeded(code))
        codes[at] = std::move(*code);
      return code;
    }));
    diagnostics.eraseOrderIDForThread();
  });
  if (llvm::is_contained(isDone, false))
    return failure();
  spilled = 0;
  for (const Translated &part : parts)
    spilled += part.spilled;
  if (defineOneTwice(parts))
    codes.clear();
  return codes;
}

/// Returns the code of a converted module, in parts that are joined if the
/// backend can join them.
static FailureOr<std::string> write(ModuleOp converted, const Target &target,
                                    const Backend &backend, CodeKind::Form form,
                                    unsigned threads, int64_t &spilled) {
  std::vector<OwningOpRef<ModuleOp>> parts;
  bool hasSeveral = llvm::count_if(converted.getOps<LLVM::LLVMFuncOp>(),
                                   [](LLVM::LLVMFuncOp function) {
                                     return !function.isExternal();
                                   }) > 1;
  if (hasSeveral && backend.join && form == CodeKind::Form::Assembly)
    parts = partition(converted);
  if (parts.size() > 1) {
    SmallVector<ModuleOp> modules;
    for (OwningOpRef<ModuleOp> &part : parts)
      modules.push_back(*part);
    FailureOr<std::vector<std::string>> codes =
        writeAll(modules, target, backend, form, threads, spilled);
    if (failed(codes))
      return failure();
    if (!codes->empty())
      if (std::optional<std::string> joined = backend.join(*codes))
        return std::move(*joined);
  }
  FailureOr<std::vector<std::string>> codes =
      writeAll(converted, target, backend, form, threads, spilled);
  if (failed(codes))
    return failure();
  return std::move(codes->front());
}

namespace {
/// A converted module and its code.
struct Emitted {
  OwningOpRef<ModuleOp> converted;
  FailureOr<std::string> code = failure();
  int64_t spilled = 0;
};
} // namespace

/// Converts a lowered module and generates its code; if `why` is not null, it
/// receives the first error.
static FailureOr<Emitted>
convertAndWrite(ModuleOp module, const Target &target, const Backend &backend,
                CodeKind::Form form, std::vector<runtime::Constant> *constants,
                unsigned threads, std::string *why) {
  FailureOr<OwningOpRef<ModuleOp>> copy = convertCopy(module, target, backend);
  if (failed(copy))
    return failure();
  // Data take no registers, but an assembler long to read.
  if (backend.loadsVariables && (constants || why)) {
    if (constants)
      constants->clear(); // from another kind of code, with the same data
    detachConstants(**copy, constants);
  }
  if (!target.isHost() && !why)
    commentTraps(**copy, backend);
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &said) {
    if (!why)
      return failure();
    if (said.getSeverity() == DiagnosticSeverity::Error && why->empty())
      *why = StringRef(said.str()).trim().split('\n').first.str();
    return success();
  });
  Emitted emitted;
  emitted.code = write(**copy, target, backend, form, threads, emitted.spilled);
  emitted.converted = std::move(*copy);
  return emitted;
}

/// Generates the code of a module that spills once more, by another backend or
/// from another module, and keeps that code if it spills less. Diagnostics of
/// the second run are dropped: the first run has reported them.
static void keepBetter(Emitted &kept, ModuleOp module, const Target &target,
                       const Backend &backend, CodeKind::Form form,
                       std::vector<runtime::Constant> *constants,
                       unsigned threads, std::string *why) {
  if (kept.spilled == 0)
    return;
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  std::string unsaid;
  FailureOr<Emitted> other =
      convertAndWrite(module, target, backend, form, constants, threads,
                      why ? &unsaid : nullptr);
  if (succeeded(other) && succeeded(other->code) &&
      other->spilled < kept.spilled)
    kept = std::move(*other);
}

/// Converts a lowered module and generates its code, and if registers spill
/// also
/// - of the module with each guarded access in a branch of its own, which holds
///   fewer conditions and addresses (VX-277), and
/// - by LLVM's passes that compute addresses where they are used (VX-294):
/// returns the code that spills least. LLVM IR is always that of the first run:
/// no register is allocated for it.
static FailureOr<Emitted>
emitLowered(ModuleOp module, const Target &target, const Backend &backend,
            CodeKind::Form form, std::vector<runtime::Constant> *constants,
            unsigned threads, std::string *why = nullptr) {
  FailureOr<Emitted> emitted =
      convertAndWrite(module, target, backend, form, constants, threads, why);
  if (failed(emitted) || failed(emitted->code) || emitted->spilled == 0)
    return emitted;
  OwningOpRef<ModuleOp> apart = module.clone();
  if (keepGuardsApart(*apart))
    keepBetter(*emitted, *apart, target, backend, form, constants, threads,
               why);
  if (backend.lowPressureSwitches.empty())
    return emitted;
  Backend lowPressure = backend;
  lowPressure.modulePasses = backend.lowPressurePasses;
  lowPressure.generatorSwitches = backend.lowPressureSwitches;
  for (ModuleOp each : {module, *apart})
    keepBetter(*emitted, each, target, lowPressure, form, constants, threads,
               why);
  return emitted;
}

/// Adds the resource usage that the assembler reports, or the reason why there
/// is none.
static void assemble(const Emitted &emitted, const Target &target,
                     const Backend &backend,
                     MutableArrayRef<KernelResources> kernels,
                     std::string why) {
  ModuleOp converted = *emitted.converted;
  ScopedDiagnosticHandler handler(
      converted.getContext(), [&](Diagnostic &said) {
        if (said.getSeverity() == DiagnosticSeverity::Error && why.empty())
          why = StringRef(said.str()).trim().split('\n').first.str();
        return success();
      });
  if (succeeded(emitted.code) &&
      succeeded(
          backend.measure(converted.getLoc(), *emitted.code, target, kernels)))
    why = "it does not mention this kernel";
  for (KernelResources &kernel : kernels)
    if (!kernel.assembled)
      kernel.whyNotAssembled = why;
}

FailureOr<std::vector<KernelResources>>
distaff::measureKernels(ModuleOp module, const Target &target) {
  const Backend *backend = lookupBackend(target);
  if (!backend)
    return emitError(module.getLoc(), "no backend emits code for ")
           << target.name;
  std::string why;
  FailureOr<Emitted> emitted =
      emitLowered(module, target, *backend, CodeKind::Form::Assembly,
                  /*constants=*/nullptr, /*threads=*/0, &why);
  if (failed(emitted))
    return failure();
  std::vector<KernelResources> measured;
  for (FunctionOpInterface kernel : findKernels(module)) {
    auto code = emitted->converted->lookupSymbol<LLVM::LLVMFuncOp>(
        emittedSymbol(kernel.getName()));
    LaunchSizes sizes = launchSizesOf(kernel);
    if (!code || !sizes.workgroup)
      continue;
    RegisterForecast forecast =
        forecastRegisters(code, target, sizes.numLanes());
    KernelResources &resources = measured.emplace_back();
    resources.function = kernel.getName().str();
    resources.registers = forecast.registers;
    resources.available = forecast.available;
    resources.spilledBytes = forecast.spilledBytes;
    resources.mayBeFull = forecast.mayBeFull;
    resources.launchBytes = launchedWorkgroupMemory(kernel, target);
    resources.workgroupArguments = workgroupArguments(kernel, target);
  }
  if (backend->measure)
    assemble(*emitted, target, *backend, measured, why);
  return measured;
}

FailureOr<std::vector<std::string>>
distaff::emitCode(ModuleOp module, const Target &target,
                  ArrayRef<StringRef> names,
                  std::vector<runtime::Constant> *constants, unsigned threads) {
  Location loc = module.getLoc();
  SmallVector<const CodeKind *> kinds;
  FailureOr<const Backend *> backend = findKinds(loc, target, names, kinds);
  if (failed(backend))
    return failure();
  std::map<CodeKind::Form, std::string> written;
  std::vector<std::string> codes;
  for (const CodeKind *kind : kinds) {
    auto [form, isNew] = written.try_emplace(kind->form);
    if (isNew) {
      FailureOr<Emitted> emitted = emitLowered(module, target, **backend,
                                               kind->form, constants, threads);
      if (failed(emitted) || failed(emitted->code))
        return failure();
      form->second = std::move(*emitted->code);
      if (kind->form == CodeKind::Form::Assembly)
        form->second.insert(0, launchComments(module, target, **backend));
    }
    FailureOr<std::string> code = form->second;
    if (kind->finish)
      code = kind->finish(loc, form->second, target);
    if (failed(code))
      return failure();
    codes.push_back(std::move(*code));
  }
  return codes;
}

FailureOr<std::string> distaff::emitCode(ModuleOp module, const Target &target,
                                         StringRef kind, unsigned threads) {
  FailureOr<std::vector<std::string>> codes =
      emitCode(module, target, ArrayRef(kind), /*constants=*/nullptr, threads);
  if (failed(codes))
    return failure();
  return std::move(codes->front());
}
