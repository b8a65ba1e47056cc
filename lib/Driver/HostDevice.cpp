//===- HostDevice.cpp - Running the emitted code on the CPU ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostDevice.h"
#include "PackageValues.h"
#include "distaff/Cpu/HostProgram.h"
#include "distaff/Driver/Package.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"
#include "distaff/Target/ThisMachine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {
namespace {

using Arrays = llvm::StringMap<simt::Array *>;

/// Returns the arguments of the kernel ABI, 8 bytes for each.
FailureOr<std::vector<uint64_t>>
makeFrame(const runtime::Launch &launch, const Arrays &arrays,
          const std::vector<int64_t> &extents) {
  std::vector<uint64_t> frame;
  for (const std::string &name : launch.buffers)
    frame.push_back(
        reinterpret_cast<uint64_t>(arrays.lookup(name)->bytes.data()));
  for (const std::string &name : launch.scalars) {
    const auto &bytes = arrays.lookup(name)->bytes;
    assert(bytes.size() <= sizeof(uint64_t) && "a scalar has a slot");
    std::memcpy(&frame.emplace_back(0), bytes.data(), bytes.size());
  }
  for (const runtime::Formula &passed : launch.extents) {
    std::optional<int64_t> extent = passed.evaluate(extents);
    if (!extent)
      return failure();
    frame.push_back(*extent);
  }
  return frame;
}

/// Returns the number of workgroups along all dimensions.
std::optional<int64_t> countOf(const runtime::Launch &launch,
                               const std::vector<int64_t> &extents) {
  int64_t count = 1;
  for (const runtime::Formula &formula : launch.grid) {
    std::optional<int64_t> along = formula.evaluate(extents);
    if (!along || llvm::MulOverflow(count, *along, count))
      return std::nullopt;
  }
  return count;
}

} // namespace

LogicalResult runOnHost(ModuleOp module, StringRef name, const Target &target,
                        unsigned threads, ArrayRef<std::string> libraries,
                        ParameterValues &values) {
  auto fail = [&](const Twine &why) {
    return emitError(module.getLoc(), "cannot run '") << name << "': " << why;
  };
  if (!runsOnThisMachine(target))
    return fail("this machine does not have all instructions of " +
                target.name);
  FailureOr<runtime::Package> package = describePackage(module, name, target);
  FailureOr<std::string> object = failure();
  if (failed(package) || failed(object = emitCode(module, target, "obj")))
    return failure();
  auto program = HostProgram::load(*object, hostAssertionSymbol, libraries);
  if (!program)
    return fail(llvm::toString(program.takeError()));
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal() && !function->hasAttr(hostAttributeName) &&
        !(*program)->provides(function.getName()))
      return fail("it calls @" + function.getName() +
                  ", which has no body and is in no --library");
  std::vector<int64_t> extents = extentsOf(*package, values);
  if (std::string why = checkExtents(*package, extents); !why.empty())
    return fail("no launch can have these extents: " + why);
  SmallVector<simt::Array> workspaces;
  for (const runtime::Workspace &workspace : package->workspaces)
    workspaces.push_back(simt::Array::unwritten(
        IntegerType::get(module.getContext(), 8),
        {workspace.bytes.evaluate(extents).value_or(0)}));
  Arrays arrays;
  for (auto [parameter, value] : llvm::zip(package->parameters(), values))
    arrays[parameter->name] = &value;
  for (auto [workspace, array] : llvm::zip(package->workspaces, workspaces))
    arrays[workspace.name] = &array;
  Workers workers(threads);
  for (const runtime::Launch &launch : package->launches) {
    auto task = (*program)->findTask(hostTaskName(launch.kernel));
    if (!task)
      return fail(llvm::toString(task.takeError()));
    FailureOr<std::vector<uint64_t>> frame = makeFrame(launch, arrays, extents);
    std::optional<int64_t> count = countOf(launch, extents);
    if (failed(frame) || !count)
      return fail("the grid of '" + launch.kernel + "' is out of range");
    if (const char *message = workers.run(*task, frame->data(), *count))
      return emitError(module.getLoc(), "'")
             << name << "' failed an assertion: " << message;
  }
  return success();
}

} // namespace distaff
