//===- PtxKernel.cpp - Kernels through PTX and the SIMT machine -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxKernel.h"
#include "../../lib/Driver/Arguments.h"
#include "../../lib/Driver/Check.h"
#include "../../lib/Driver/GridFormula.h"
#include "CommandLine/ArrayFlags.h"
#include "ExpectedAccesses.h"
#include "GcnMachine.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Ptx/Ptx.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <numeric>

namespace distaff::ptx_test {
namespace {

simt::Options machineOptions(FunctionOpInterface kernel, const Target &target) {
  simt::Options options;
  options.subgroupSize = target.subgroupSize;
  options.workgroupSize = {target.subgroupSize, 1, 1};
  options.target = target.name.str();
  options.threads = 2;
  if (auto workgroup = launchSizesOf(kernel).workgroup)
    options.workgroupSize = *workgroup;
  return options;
}

bool isNan(ArrayRef<uint8_t> element, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  uint64_t bits = 0;
  memcpy(&bits, element.data(), element.size());
  return floatType && APFloat(floatType.getFloatSemantics(),
                              APInt(floatType.getWidth(), bits))
                          .isNaN();
}

/// The first element whose bits differ; two NaNs do not. -1: none.
int64_t findDifference(const simt::Array &a, const simt::Array &b) {
  int64_t size = simt::elementBytes(a.elementType);
  if (a.bytes.size() != b.bytes.size())
    return 0;
  for (int64_t i = 0; i < int64_t(a.bytes.size()) / size; ++i) {
    ArrayRef x = ArrayRef(a.bytes).slice(i * size, size);
    ArrayRef y = ArrayRef(b.bytes).slice(i * size, size);
    if (x != y && !(isNan(x, a.elementType) && isNan(y, a.elementType)))
      return i;
  }
  return -1;
}

/// The loads and stores of a lowered kernel.
AccessCounts countAccesses(FunctionOpInterface kernel) {
  AccessCounts counts;
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<core::StMatrixOp>(op)) {
      ++counts[{"shared", false, 4 * int64_t(store.getWords().size())}];
      return;
    }
    bool isLoad = isa<memref::LoadOp, vector::LoadOp, nvgpu::LdMatrixOp>(op);
    if (!isLoad && !isa<memref::StoreOp, vector::StoreOp>(op))
      return;
    auto memory = cast<MemRefType>(op->getOperand(isLoad ? 0 : 1).getType());
    Type moved =
        isLoad ? op->getResult(0).getType() : op->getOperand(0).getType();
    auto vector = dyn_cast<VectorType>(moved);
    Type element = getElementTypeOrSelf(moved);
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    int64_t bytes =
        llvm::divideCeil(bits, 8) * (vector ? vector.getNumElements() : 1);
    bool isShared = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory);
    ++counts[{isShared ? "shared" : "global", isLoad, bytes}];
  });
  return counts;
}

/// One kernel with its inputs.
class Check {
public:
  Check(const KernelOptions &options)
      : options(options),
        context(registry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        said += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        said += "  note: " + note.str() + "\n";
    });
  }

  std::string run(StringRef source) {
    const Target *target = lookupTarget(options.target);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &context);
    FunctionOpInterface written = module ? findKernel(*module) : nullptr;
    if (!written)
      return "not parsed: " + said;
    if (failed(prepare(*module, *target)) || failed(evaluate(written, *target)))
      return "no reference: " + said;

    if (failed(compile(*module, *target)))
      return "not compiled: " + said;
    // What the assembler gets tells the accesses apart; LLVM's IR can be run.
    isAmd = target->family == Family::AMDGPU;
    StringRef kind = !isAmd ? "ptx" : options.traffic ? "gcn" : "llvm";
    FailureOr<std::string> text = emitCode(*module, *target, kind);
    if (failed(text))
      return "not emitted: " + said;
    FunctionOpInterface kernel = findKernel(*module);
    ParameterValues simulated;
    if (failed(simulate(kernel, *target, simulated)))
      return "the SIMT machine: " + said;
    if (KernelTraffic *traffic = options.traffic) {
      traffic->inText =
          isAmd ? countGcnAccesses(*text) : countPtxAccesses(*text);
      int64_t workgroups = countWorkgroups(kernel);
      traffic->planned.requests *= workgroups;
      traffic->planned.cost *= workgroups;
    }
    if (isAmd && options.traffic)
      return "";
    if (options.change)
      options.change(*text);
    if (options.judge)
      if (std::string what = options.judge(simulated.back().bytes);
          !what.empty())
        return "the SIMT machine: " + what;
    for (uint64_t schedule : {0, 1}) {
      if (isAmd && schedule != 0) // that machine has one order
        break;
      ParameterValues outcome = arguments.initialValues();
      if (std::string fault =
              runPtx(kernel, *text, schedule,
                     launchedWorkgroupMemory(kernel, *target), outcome);
          !fault.empty())
        return fault;
      if (std::string what = judge(*text, simulated, outcome); !what.empty())
        return what;
    }
    return "";
  }

private:
  static const DialectRegistry &registry() {
    static DialectRegistry registry = [] {
      DialectRegistry all;
      registerKernelDialects(all);
      return all;
    }();
    return registry;
  }

  LogicalResult prepare(ModuleOp module, const Target &target) {
    KernelDescription kernel = describeKernel(module, {.target = &target});
    ArrayFiles files;
    return success(kernel.answer == Answer::Yes &&
                   readArrays(kernel, {options.inputs, {}, options.shapes},
                              files) == ExitCode::Fine &&
                   arguments.take(kernel.kernel, kernel.parameters,
                                  std::move(files.inputs)) == Answer::Yes);
  }

  LogicalResult evaluate(FunctionOpInterface kernel, const Target &target) {
    ParameterValues values = arguments.initialValues();
    SmallVector<simt::Array *> pointers;
    for (size_t i = 0; i < arguments.numArguments(); ++i)
      pointers.push_back(&values[i]);
    SmallVector<simt::EstimateArray> results;
    if (failed(simt::report(simt::evaluate(kernel, findGridFunction(kernel),
                                           pointers, estimates, results,
                                           machineOptions(kernel, target)))))
      return failure();
    llvm::append_range(estimates, results);
    return success();
  }

  LogicalResult compile(ModuleOp module, const Target &target) {
    for (const Stage *stage :
         findRemainingStages(findKernel(module), target)->ahead) {
      PassManager pipeline(&context);
      stage->add(pipeline, {.target = &target, .log = &log});
      if (failed(pipeline.run(module)))
        return failure();
      if (options.traffic && failed(record(stage->name, module, target)))
        return failure();
    }
    return success();
  }

  LogicalResult record(StringRef stage, ModuleOp module, const Target &target) {
    FunctionOpInterface kernel = findKernel(module);
    if (stage == "assign-layouts") {
      FailureOr<AccessCounts> expected = expectedAccesses(kernel, target);
      if (failed(expected))
        return failure();
      options.traffic->expected = *expected;
    } else if (stage == "distribute" || stage == "lower") {
      ParameterValues outcome;
      FailureOr<KernelTraffic::Run> run = simulate(kernel, target, outcome);
      if (failed(run))
        return failure();
      if (stage == "lower") {
        options.traffic->lowered = *run;
        options.traffic->inLowered = countAccesses(kernel);
      } else {
        options.traffic->planned = planned(log);
        options.traffic->distributed = *run;
      }
    }
    return success();
  }

  /// Of a kernel without dynamic extents.
  static int64_t countWorkgroups(FunctionOpInterface kernel) {
    int64_t count = 1;
    if (auto formulas = gridFormulas(kernel); succeeded(formulas))
      for (const runtime::Formula &formula : *formulas)
        count *= formula.evaluate({}).value_or(0);
    return count;
  }

  /// Of one workgroup.
  static Traffic planned(const DecisionLog &log) {
    Traffic sum;
    for (const ConversionDecision &conversion : log.conversions) {
      if (conversion.tier != "T3")
        continue;
      int64_t trips = log.ops[conversion.source].trips.known;
      for (const SharedSide &side : {conversion.store, conversion.load}) {
        sum.requests += trips * side.requests;
        sum.cost += trips * (side.wavefronts - side.ideal);
      }
    }
    return sum;
  }

  FailureOr<KernelTraffic::Run> simulate(FunctionOpInterface kernel,
                                         const Target &target,
                                         ParameterValues &outcome) const {
    simt::Outcome ran = arguments.run(kernel, findGridFunction(kernel),
                                      machineOptions(kernel, target), outcome);
    if (failed(simt::report(ran)))
      return failure();
    const simt::Counters &counters = ran.counters;
    KernelTraffic::Run run;
    run.shared = {counters.sharedRequests,
                  counters.sharedBytesRead + counters.sharedBytesWritten,
                  counters.bankConflicts};
    run.global = {counters.globalRequests,
                  counters.globalBytesRead + counters.globalBytesWritten,
                  counters.sectors};
    return run;
  }

  /// Passes what the kernel ABI says: a pointer per shaped argument and result,
  /// then scalars, then the dynamic extents.
  std::string runPtx(FunctionOpInterface kernel, StringRef text,
                     uint64_t schedule, int64_t dynamicShared,
                     ParameterValues &outcome) {
    gcn::Launch launch;
    FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
    FailureOr<std::array<runtime::Formula, 3>> grid = gridFormulas(kernel);
    if (failed(signature) || failed(grid))
      return "no launch: " + said;
    if (std::string why = arguments.allocateResults(*signature, outcome);
        !why.empty())
      return why;
    for (bool pointers : {true, false})
      for (const KernelParameter &parameter :
           pointers ? signature->pointers() : signature->scalars()) {
        simt::Array &array = outcome[arguments.indexOf(parameter)];
        if (!array.written) // garbage, the same for nobody
          for (auto [i, byte] : llvm::enumerate(array.bytes))
            byte = 0xA7 + 31 * i;
        launch.arguments.push_back({pointers, array.bytes});
      }
    std::vector<int64_t> extents;
    for (auto [argument, dim] : signature->dynamicExtents())
      extents.push_back(outcome[argument].shape[dim]);
    std::vector<int64_t> passed = extents;
    for (int64_t &extent : passed)
      launch.arguments.push_back(
          {false, MutableArrayRef(reinterpret_cast<uint8_t *>(&extent), 8)});
    for (auto [to, formula] : llvm::zip(launch.grid, *grid))
      to = formula.evaluate(extents).value_or(0);
    return isAmd ? gcn::run(text, launch)
                 : runOnMachine(text, schedule, dynamicShared, launch);
  }

  /// The PTX machine; the first fault, if there is one.
  std::string runOnMachine(StringRef text, uint64_t schedule,
                           int64_t dynamicShared, const gcn::Launch &what) {
    ptx::ParseError error;
    std::optional<ptx::Module> module = ptx::parseModule(text, error);
    if (!module)
      return "line " + std::to_string(error.line) + ": " + error.text;
    ptx::Launch launch;
    launch.grid = what.grid;
    launch.workgroup = module->entries().front().requiredSize;
    launch.dynamicSharedBytes = dynamicShared;
    launch.seed = schedule;
    for (const gcn::Argument &argument : what.arguments)
      launch.arguments.push_back(
          argument.isBuffer ? ptx::Argument::buffer(argument.bytes.data(),
                                                    argument.bytes.size())
                            : ptx::Argument::scalar(argument.bytes.vec()));
    ptx::Outcome outcome = ptx::run(*module, launch);
    if (options.traffic)
      options.traffic->ran = trafficOf(outcome.counters);
    return outcome.faults.empty() ? outcome.text
                                  : ptx::toString(outcome.faults.front());
  }

  static KernelTraffic::Run trafficOf(const ptx::Counters &counters) {
    KernelTraffic::Run run;
    run.shared = {counters.sharedRequests,
                  counters.sharedBytesRead + counters.sharedBytesWritten,
                  counters.bankConflicts};
    run.global = {counters.globalRequests,
                  counters.globalBytesRead + counters.globalBytesWritten,
                  counters.sectors};
    return run;
  }

  std::string judge(StringRef text, const ParameterValues &simulated,
                    const ParameterValues &outcome) const {
    bool isExact = options.comparesBits && !text.contains("mma.sync") &&
                   !text.contains(".approx") && !text.contains(".mfma.") &&
                   !text.contains("@llvm.exp2");
    if (options.judge)
      if (std::string what = options.judge(outcome.back().bytes); !what.empty())
        return what;
    for (auto [i, parameter] : llvm::enumerate(arguments.parameters())) {
      const simt::Array &array = outcome[i];
      int64_t where = findDifference(array, simulated[i]);
      if (isExact && where >= 0)
        return parameter.name + ": element " + std::to_string(where) +
               " differs from the SIMT machine's";
      if (!parameter.isMemRef && !parameter.isResult)
        continue;
      Comparison comparison = compare(parameter, array, estimates[i]);
      if (comparison.verdict == Comparison::Verdict::Differs)
        return comparison.detail;
      if (comparison.verdict == Comparison::Verdict::Undecided && !isExact &&
          !options.mayBeUndecided)
        return comparison.detail;
    }
    return "";
  }

  const KernelOptions &options;
  MLIRContext context;
  bool isAmd = false;
  std::string said;
  DecisionLog log;
  KernelArguments arguments;
  SmallVector<simt::EstimateArray> estimates;
};

} // namespace

std::string checkKernel(StringRef source, const KernelOptions &options) {
  return Check(options).run(source);
}

std::string readSource(StringRef path) {
  std::string full = DISTAFF_SOURCE_DIR "/" + path.str();
  auto file = llvm::MemoryBuffer::getFile(full);
  return file ? (*file)->getBuffer().str() : "";
}

} // namespace distaff::ptx_test
