//===- CudaDriver.cpp - Run-time loading of the CUDA driver ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace distaff::runtime {

static bool bind(CudaDriver &driver, void *library, std::string &error) {
#define DISTAFF_BIND(name, symbol, parameters)                                 \
  driver.name =                                                                \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol));         \
  if (!driver.name) {                                                          \
    error = "the CUDA driver lacks " symbol;                                   \
    return false;                                                              \
  }
  DISTAFF_CUDA_FUNCTIONS(DISTAFF_BIND)
#undef DISTAFF_BIND
  driver.funcGetParamInfo = reinterpret_cast<decltype(driver.funcGetParamInfo)>(
      dlsym(library, "cuFuncGetParamInfo"));
  return true;
}

static const CudaDriver *openOnce(std::string &error) {
  static CudaDriver driver;
  const char *path = std::getenv("DISTAFF_CUDA_DRIVER");
  if (!path)
    path = "libcuda.so.1";
  // It is never closed: the driver keeps threads and state of its own.
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = std::string("no CUDA driver: ") + dlerror();
    return nullptr;
  }
  if (!bind(driver, library, error))
    return nullptr;
  if (CuResult result = driver.init(0); result != cuSuccess) {
    error = driver.describe("cuInit", result);
    return nullptr;
  }
  return &driver;
}

const CudaDriver *CudaDriver::open(std::string &error) {
  static std::string firstError;
  static const CudaDriver *driver = openOnce(firstError);
  error = firstError;
  return driver;
}

std::string CudaDriver::describe(const char *symbol, CuResult result) const {
  const char *text = nullptr;
  if (getErrorString(result, &text) != cuSuccess || !text)
    text = "unknown error";
  return std::string(symbol) + ": " + text + " (" + std::to_string(result) +
         ")";
}

} // namespace distaff::runtime
