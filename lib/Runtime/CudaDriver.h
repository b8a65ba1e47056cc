//===- CudaDriver.h - Run-time loading of the CUDA driver -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of the CUDA driver that Distaff uses, resolved with dlopen
// and dlsym. Types and constants are those of the CUDA driver API reference
// (cuda.h 11 to 13); symbol names carry the suffix of the version that is
// bound.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_RUNTIME_CUDADRIVER_H
#define DISTAFF_LIB_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace distaff::runtime {

using CuResult = int;
using CuDevice = int;
using CuDevicePointer = unsigned long long;
using CuContext = struct CuContextImpl *;
using CuModule = struct CuModuleImpl *;
using CuFunction = struct CuFunctionImpl *;
using CuStream = struct CuStreamImpl *;
using CuEvent = struct CuEventImpl *;

constexpr CuResult cuSuccess = 0;
constexpr CuResult cuErrorInvalidValue = 1;
// CUdevice_attribute
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
constexpr int maxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute
constexpr int maxDynamicSharedSizeBytes = 8;

// name of the member, exported symbol, parameters
#define DISTAFF_CUDA_FUNCTIONS(F)                                              \
  F(init, "cuInit", (unsigned))                                                \
  F(getErrorString, "cuGetErrorString", (CuResult, const char **))             \
  F(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  F(deviceGet, "cuDeviceGet", (CuDevice *, int))                               \
  F(deviceGetName, "cuDeviceGetName", (char *, int, CuDevice))                 \
  F(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CuDevice))        \
  F(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (CuContext *, CuDevice))     \
  F(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CuDevice))             \
  F(ctxSetCurrent, "cuCtxSetCurrent", (CuContext))                             \
  F(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  F(moduleLoadData, "cuModuleLoadData", (CuModule *, const void *))            \
  F(moduleUnload, "cuModuleUnload", (CuModule))                                \
  F(moduleGetFunction, "cuModuleGetFunction",                                  \
    (CuFunction *, CuModule, const char *))                                    \
  F(moduleGetGlobal, "cuModuleGetGlobal_v2",                                   \
    (CuDevicePointer *, size_t *, CuModule, const char *))                     \
  F(funcSetAttribute, "cuFuncSetAttribute", (CuFunction, int, int))            \
  F(memAlloc, "cuMemAlloc_v2", (CuDevicePointer *, size_t))                    \
  F(memFree, "cuMemFree_v2", (CuDevicePointer))                                \
  F(memcpyHtoD, "cuMemcpyHtoD_v2", (CuDevicePointer, const void *, size_t))    \
  F(memcpyDtoH, "cuMemcpyDtoH_v2", (void *, CuDevicePointer, size_t))          \
  F(launchKernel, "cuLaunchKernel",                                            \
    (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CuStream, void **, void **))                                    \
  F(eventCreate, "cuEventCreate", (CuEvent *, unsigned))                       \
  F(eventDestroy, "cuEventDestroy_v2", (CuEvent))                              \
  F(eventRecord, "cuEventRecord", (CuEvent, CuStream))                         \
  F(eventSynchronize, "cuEventSynchronize", (CuEvent))                         \
  F(eventElapsedTime, "cuEventElapsedTime", (float *, CuEvent, CuEvent))

struct CudaDriver {
#define DISTAFF_DECLARE(name, symbol, parameters)                              \
  CuResult(*name) parameters = nullptr;
  DISTAFF_CUDA_FUNCTIONS(DISTAFF_DECLARE)
#undef DISTAFF_DECLARE
  /// cuFuncGetParamInfo(function, index, &offset, &size); null before CUDA
  /// 12.4.
  CuResult (*funcGetParamInfo)(CuFunction, size_t, size_t *,
                               size_t *) = nullptr;

  /// Opens the driver once per process and initialises it. Returns null and
  /// fills `error` when there is none.
  static const CudaDriver *open(std::string &error);

  /// Returns an error text such as "cuMemAlloc_v2: out of memory".
  std::string describe(const char *symbol, CuResult result) const;
};

} // namespace distaff::runtime

#endif // DISTAFF_LIB_RUNTIME_CUDADRIVER_H
