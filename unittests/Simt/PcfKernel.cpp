//===- PcfKernel.cpp - Kernels with pcf in them ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PcfKernel.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

Argument kernel_test::wholeNumbers(ArrayRef<int64_t> shape, unsigned seed) {
  Argument argument = randomArray("f16", shape, seed, -3, 3);
  for (double &value : argument.values)
    value = std::round(value);
  return argument;
}

std::string kernel_test::sampleOf(StringRef chapter, StringRef function) {
  auto file = llvm::MemoryBuffer::getFile(
      DISTAFF_SOURCE_DIR "/test/Dialect/PCF/samples-" + chapter + ".mlir");
  StringRef all = (*file)->getBuffer();
  size_t start = all.find(("func.func @" + function + "(").str());
  return all.slice(all.find("#seq ="), all.find("func.func")).str() +
         all.slice(start, all.find("\nfunc.func", start)).str();
}

Values kernel_test::valuesOfFour(const std::string &source, Argument init,
                                 int64_t n) {
  return underSchedules(8, [&](uint64_t schedule) {
    return valuesOf(source, {init, index(n)}, launch(8, 32, schedule));
  });
}

std::string kernel_test::faultOfFour(const std::string &source, Argument init,
                                     int64_t n) {
  return underSchedules(8, [&](uint64_t schedule) {
    return faultOf(source, {init, index(n)}, launch(8, 32, schedule));
  });
}
