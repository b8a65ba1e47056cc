//===- Devices.cpp - Where scalar ops run ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Devices.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Driver/Run.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace distaff;
using namespace distaff::scalars;
using runtime::HostArray;

static const Device allDevices[] = {
    {"simt sm_80", "sm_80", Device::Kind::Simt},
    {"convert sm_80", "sm_80", Device::Kind::Converted},
    {"ptx sm_75", "sm_75", Device::Kind::Ptx},
    {"ptx sm_80", "sm_80", Device::Kind::Ptx},
    {"ptx sm_90a", "sm_90a", Device::Kind::Ptx},
    {"simt gfx942", "gfx942", Device::Kind::Simt},
    {"convert gfx942", "gfx942", Device::Kind::Converted},
    {"convert gfx1201", "gfx1201", Device::Kind::Converted},
    {"simt host", "host", Device::Kind::Simt},
    {"host", "host", Device::Kind::Host},
};

static const Device allRelaxedDevices[] = {
    {"convert sm_80", "sm_80", Device::Kind::Converted, false},
    {"ptx sm_80", "sm_80", Device::Kind::Ptx, false},
    {"convert gfx942", "gfx942", Device::Kind::Converted, false},
};

llvm::ArrayRef<Device> distaff::scalars::devices() { return allDevices; }
llvm::ArrayRef<Device> distaff::scalars::relaxedDevices() {
  return allRelaxedDevices;
}

std::string distaff::scalars::kernelOf(const ScalarOp &op, size_t elements) {
  auto tensor = [&](const Format &type) {
    return "tensor<" + std::to_string(elements) + "x" + type.name + ">";
  };
  std::vector<std::string> arguments, names, types, block, maps;
  for (auto [i, type] : llvm::enumerate(op.operands)) {
    std::string letter(1, char('a' + i));
    arguments.push_back("%x" + letter + ": " + tensor(*type));
    names.push_back("%x" + letter);
    types.push_back(tensor(*type));
    block.push_back("%" + letter + ": " + type->name);
    maps.push_back("#id");
  }
  block.push_back(std::string("%o: ") + op.result->name);
  maps.push_back("#id");
  std::string result = tensor(*op.result);
  return "#id = affine_map<(i) -> (i)>\nfunc.func @k(" +
         llvm::join(arguments, ", ") + ") -> " + result +
         " {\n  %e = tensor.empty() : " + result +
         "\n  %r = linalg.generic {indexing_maps = [" + llvm::join(maps, ", ") +
         "], iterator_types = [\"parallel\"]} ins(" + llvm::join(names, ", ") +
         " : " + llvm::join(types, ", ") + ") outs(%e : " + result +
         ") {\n  ^bb0(" + llvm::join(block, ", ") + "):\n    " + op.body +
         "\n    linalg.yield %v : " + op.result->name + "\n  } -> " + result +
         "\n  return %r : " + result + "\n}\n";
}

static HostArray columnOf(llvm::ArrayRef<std::vector<uint64_t>> rows, size_t i,
                          const Format &format) {
  HostArray array = HostArray::zeros(format.type, {int64_t(rows.size())});
  int64_t size = runtime::byteSize(format.type);
  for (size_t row = 0; row < rows.size(); ++row)
    std::memcpy(&array.bytes[row * size], &rows[row][i], size);
  return array;
}

Results distaff::scalars::runOn(const Device &device, const ScalarOp &op,
                                llvm::ArrayRef<std::vector<uint64_t>> rows) {
  Results results;
  KernelInput input;
  ScopedDiagnosticHandler handler(
      input.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          results.said += diagnostic.str() + "\n";
      });
  if (failed(input.parse(kernelOf(op, rows.size()))))
    return results;
  RunOptions options{.target = lookupTarget(device.target)};
  options.onPtxMachine = device.kind == Device::Kind::Ptx;
  options.onHost = device.kind == Device::Kind::Host;
  options.last = device.kind == Device::Kind::Converted ? "convert" : "";
  options.strictFp = device.strictFp;
  options.threads = 1;
  std::vector<HostArray> arrays;
  for (auto [i, type] : llvm::enumerate(op.operands))
    arrays.push_back(columnOf(rows, i, *type));
  RunOutcome outcome = run(input.getModule(), options, std::move(arrays));
  if (outcome.answer != Answer::Yes) {
    results.said += "answer " + std::to_string(int(outcome.answer));
    return results;
  }
  const HostArray &array = outcome.arrays.back();
  int64_t size = runtime::byteSize(op.result->type);
  results.values.resize(rows.size());
  for (size_t row = 0; row < rows.size(); ++row)
    std::memcpy(&results.values[row], &array.bytes[row * size], size);
  return results;
}
