//===- Emit.cpp - From lowered MLIR to code -------------------------------===//
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
#include "distaff/Conversion/HostTask.h"
#include "distaff/Conversion/KernelABI.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Conversion/Registers.h"
#include "distaff/Dialect/Compat/ConvertedKernel.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Containment.h"
#include "distaff/Pipelines/Convert.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include <map>

using namespace distaff;

/// The backend and its kinds of those names, or says why there is no such code.
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

/// Every function called must be an instruction, or in the library.
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

/// What whoever launches the text by hand has to know, since it cannot say so:
/// a comment for each kernel whose launch allocates workgroup memory, and for
/// each argument that no launch passes.
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

/// What LLVM makes of a converted module, before other programs.
static FailureOr<std::string> generate(ModuleOp module, const Target &target,
                                       const Backend &backend,
                                       CodeKind::Form form,
                                       llvm::LLVMContext &context) {
  Location loc = module.getLoc();
  std::unique_ptr<llvm::Module> code = translate(module, backend, context);
  if (!code)
    return emitError(loc, "could not be translated to LLVM IR"), failure();
  if (failed(checkSelfContained(loc, *code, backend)))
    return failure();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(loc, target, backend);
  if (failed(machine))
    return failure();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  optimize(*code, **machine, target, backend);
  // The allocator that is fast takes seconds where the other takes minutes, and
  // code that spills this much is slow with either.
  if (llvm::any_of(*code, [](const llvm::Function &function) {
        return function.hasFnAttribute(kSpillsMostly);
      }))
    (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
  if (form == CodeKind::Form::IR) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    code->print(stream, nullptr);
    return text;
  }
  return generateCode(loc, *code, **machine, backend,
                      form == CodeKind::Form::Object
                          ? llvm::CodeGenFileType::ObjectFile
                          : llvm::CodeGenFileType::AssemblyFile);
}

/// Begins the comment in front of the trap of an assertion.
static std::string assertionComment(const Backend &backend) {
  return (backend.comment + " assertion: ").str();
}

/// Has the assembly text say in front of a trap which assertion ends in it.
static void commentTraps(ModuleOp converted, const Backend &backend) {
  converted.walk([&](LLVM::Trap trap) {
    auto message = trap->getAttrOfType<StringAttr>(kAssertionAttrName);
    if (!message)
      return;
    std::string text = assertionComment(backend);
    for (char c : message.getValue()) {
      text += llvm::isPrint(c) ? c : ' ';
      if (c == '$') // of LLVM an operand, else
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
  // Behind the comment LLVM writes that the inline text ends.
  constexpr unsigned farthest = 4;
  for (unsigned at = std::min<unsigned>(line, lines.size()), i = 0;
       at > 0 && i < farthest; --at, ++i)
    if (StringRef said = lines[at - 1].ltrim(); said.consume_front(begin))
      return said.rtrim().str();
  return "";
}

/// The code of such a copy; what LLVM does not survive is an error.
static FailureOr<std::string> write(ModuleOp converted, const Target &target,
                                    const Backend &backend,
                                    CodeKind::Form form) {
  auto context = std::make_unique<llvm::LLVMContext>();
  FailureOr<std::string> code = failure();
  if (std::optional<std::string> why = runContained([&] {
        code = generate(converted, target, backend, form, *context);
      })) {
    (void)context.release();
    return emitError(converted.getLoc(), "LLVM does not generate code for ")
           << target.name << " from this: " << *why;
  }
  return code;
}

/// The same of a lowered module.
static FailureOr<std::string>
writeLowered(ModuleOp module, const Target &target, const Backend &backend,
             CodeKind::Form form, std::vector<runtime::Constant> *constants) {
  FailureOr<OwningOpRef<ModuleOp>> copy = convertCopy(module, target, backend);
  if (failed(copy))
    return failure();
  if (constants && backend.loadsVariables) {
    constants->clear(); // of another form, which has the same
    detachConstants(**copy, constants);
  }
  if (!target.isHost())
    commentTraps(**copy, backend);
  FailureOr<std::string> code = write(**copy, target, backend, form);
  if (succeeded(code) && form == CodeKind::Form::Assembly)
    code->insert(0, launchComments(module, target, backend));
  return code;
}

/// Adds what the assembler says of kernels, or why it says nothing.
static void assemble(ModuleOp converted, const Target &target,
                     const Backend &backend,
                     MutableArrayRef<KernelResources> kernels) {
  std::string why;
  ScopedDiagnosticHandler handler(
      converted.getContext(), [&](Diagnostic &said) {
        if (said.getSeverity() == DiagnosticSeverity::Error && why.empty())
          why = StringRef(said.str()).trim().split('\n').first.str();
        return success();
      });
  FailureOr<std::string> assembly =
      write(converted, target, backend, CodeKind::Form::Assembly);
  if (succeeded(assembly) &&
      succeeded(
          backend.measure(converted.getLoc(), *assembly, target, kernels)))
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
  FailureOr<OwningOpRef<ModuleOp>> copy = convertCopy(module, target, *backend);
  if (failed(copy))
    return failure();
  std::vector<KernelResources> measured;
  for (FunctionOpInterface kernel : findKernels(module)) {
    auto code = (*copy)->lookupSymbol<LLVM::LLVMFuncOp>(
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
  // Data take no registers, and long to be read by an assembler.
  if (backend->loadsVariables)
    detachConstants(**copy, /*constants=*/nullptr);
  if (backend->measure)
    assemble(**copy, target, *backend, measured);
  return measured;
}

FailureOr<std::vector<std::string>>
distaff::emitCode(ModuleOp module, const Target &target,
                  ArrayRef<StringRef> names,
                  std::vector<runtime::Constant> *constants) {
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
      FailureOr<std::string> code =
          writeLowered(module, target, **backend, kind->form, constants);
      if (failed(code))
        return failure();
      form->second = std::move(*code);
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
                                         StringRef kind) {
  FailureOr<std::vector<std::string>> codes =
      emitCode(module, target, ArrayRef(kind));
  if (failed(codes))
    return failure();
  return std::move(codes->front());
}
