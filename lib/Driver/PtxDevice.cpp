//===- PtxDevice.cpp - Running the emitted PTX on the CPU -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxDevice.h"
#include "PackageValues.h"
#include "distaff/Driver/PtxRun.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"

namespace distaff {
namespace {

/// Converts a package's launch to the machine's: a pointer per buffer, the
/// scalars, the extents (Runtime/Package.h).
FailureOr<ptx::Launch> makeLaunch(const runtime::Package &package,
                                  const runtime::Launch &launch,
                                  ParameterValues &values,
                                  MutableArrayRef<simt::Array> workspaces) {
  llvm::StringMap<simt::Array *> named;
  for (auto [parameter, value] : llvm::zip(package.parameters(), values))
    named[parameter->name] = &value;
  for (auto [workspace, array] : llvm::zip(package.workspaces, workspaces))
    named[workspace.name] = &array;
  std::vector<int64_t> extents = extentsOf(package, values);
  ptx::Launch result;
  for (const runtime::Constant &constant : package.constants)
    result.variables.push_back({constant.symbol, constant.bytes});
  for (const std::string &name : launch.buffers) {
    simt::Array &array = *named.at(name);
    result.arguments.push_back(
        ptx::Argument::buffer(array.bytes.data(), array.bytes.size()));
    result.arguments.back().written = array.written;
  }
  for (const std::string &name : launch.scalars)
    result.arguments.push_back(ptx::Argument::scalar(named.at(name)->bytes));
  for (const runtime::Formula &passed : launch.extents) {
    std::optional<int64_t> extent = passed.evaluate(extents);
    if (!extent)
      return failure();
    result.arguments.push_back(ptx::Argument::scalar(uint64_t(*extent)));
  }
  for (auto [to, formula] : llvm::zip(result.grid, launch.grid)) {
    std::optional<int64_t> workgroups = formula.evaluate(extents);
    if (!workgroups)
      return failure();
    to = *workgroups;
  }
  result.workgroup = launch.workgroupSize;
  result.dynamicSharedBytes = launch.sharedMemory;
  return result;
}

/// Returns the PTX text; its large constants are added to the package.
FailureOr<std::string> emitPtx(ModuleOp module, const Target &target,
                               runtime::Package &package) {
  FailureOr<std::vector<std::string>> texts =
      emitCode(module, target, ArrayRef<StringRef>("ptx"), &package.constants);
  if (failed(texts))
    return failure();
  return std::move(texts->front());
}

/// Names the assertions that end in the traps of emitted text.
void nameAssertions(ptx::Outcome &outcome, StringRef text,
                    const Target &target) {
  for (ptx::Fault &fault : outcome.faults)
    if (std::string message = assertionBefore(text, fault.line, target);
        fault.kind == ptx::FaultKind::Trap && !message.empty())
      fault.text = "assertion: " + message;
}

} // namespace

FailureOr<ptx::Outcome> runEmittedPtx(ModuleOp module, StringRef name,
                                      const Target &target,
                                      const PtxDeviceOptions &options,
                                      ParameterValues &values) {
  FailureOr<runtime::Package> package = describePackage(module, name, target);
  if (failed(package))
    return failure();
  FailureOr<std::string> text = emitPtx(module, target, *package);
  if (failed(text))
    return failure();
  Operation *kernel = module;
  if (auto sequence = LaunchSequence::find(module, name))
    kernel = sequence->host;
  else
    kernel = findKernel(module, name);
  auto fail = [&](const Twine &why) {
    return kernel->emitError("in the emitted PTX: ") << why;
  };
  std::vector<int64_t> extents = extentsOf(*package, values);
  if (std::string why = checkExtents(*package, extents); !why.empty()) {
    kernel->emitError("no launch can have these extents: ") << why;
    return failure();
  }
  SmallVector<simt::Array> workspaces;
  for (const runtime::Workspace &workspace : package->workspaces)
    workspaces.push_back(simt::Array::unwritten(
        IntegerType::get(module.getContext(), 8),
        {workspace.bytes.evaluate(extents).value_or(0)}));
  ptx::Outcome outcome;
  for (const runtime::Launch &each : package->launches) {
    llvm::Expected<PtxKernel> entry =
        PtxKernel::load(*text, target.chip, each.kernel);
    if (!entry)
      return fail(llvm::toString(entry.takeError()));
    FailureOr<ptx::Launch> launch =
        makeLaunch(*package, each, values, workspaces);
    if (failed(launch))
      return fail("the grid of '" + each.kernel + "' is out of range");
    // As with the launcher, a launch of no workgroups does nothing.
    if (llvm::is_contained(launch->grid, 0))
      continue;
    launch->seed = options.schedule;
    launch->stepLimit = options.maxSteps;
    llvm::Expected<ptx::Outcome> run = entry->run(std::move(*launch));
    if (!run)
      return fail(llvm::toString(run.takeError()));
    outcome = std::move(*run);
    nameAssertions(outcome, *text, target);
    for (const std::string &sentence : describeFailure(outcome))
      fail(sentence);
    if (outcome.verdict != ptx::Verdict::Completed)
      break;
    // The next launch reads the outputs of this one.
    auto isOf = [&](const std::string &name) {
      return llvm::is_contained(each.buffers, name);
    };
    for (auto [workspace, array] : llvm::zip(package->workspaces, workspaces))
      array.written |= isOf(workspace.name);
    for (auto [parameter, value] : llvm::zip(package->parameters(), values))
      value.written |= isOf(parameter->name);
  }
  return outcome;
}

} // namespace distaff
