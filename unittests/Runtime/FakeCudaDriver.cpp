//===- FakeCudaDriver.cpp - A CUDA driver that records its calls ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the driver's entry points that the Runtime binds. Device memory is
// host memory; a launch runs nothing but appends what it was given, the values
// of the parameters included, to the file named by FAKE_CUDA_LOG, one line per
// call, and writes the byte FAKE_CUDA_FILL (default 0x2a) over the last buffer
// among the kernel's parameters.
//
//   FAKE_CUDA_CAPABILITY  "8.0" unless given
//   FAKE_CUDA_DEVICES     number of devices, 1 unless given
//   FAKE_CUDA_SHARED      bytes of shared memory per workgroup, 166912 unless
//                         given
//   FAKE_CUDA_PARAMETERS  parameters that every kernel takes; unless given, as
//                         many as the module's PTX declares
//   FAKE_CUDA_FAIL        name of a call that fails with error 2
//
//===----------------------------------------------------------------------===//
#include "../../lib/Runtime/CudaDriver.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace distaff::runtime;

namespace {

using Pointer = CuDevicePointer;

std::map<Pointer, size_t> &allocations() {
  static std::map<Pointer, size_t> map;
  return map;
}
std::string &moduleText() {
  static std::string text;
  return text;
}

std::string variable(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

int record(const char *call, const std::string &details = "") {
  if (const char *path = std::getenv("FAKE_CUDA_LOG"))
    if (FILE *log = std::fopen(path, "a")) {
      std::fprintf(log, "%s%s%s\n", call, details.empty() ? "" : " ",
                   details.c_str());
      std::fclose(log);
    }
  return variable("FAKE_CUDA_FAIL", "") == call ? 2 : 0;
}

/// Bytes of each parameter of the module's entry, from its PTX: ".param .f32".
std::vector<size_t> parameterSizes() {
  std::vector<size_t> sizes;
  size_t end = moduleText().find(')', moduleText().find(".entry"));
  for (size_t at = moduleText().find(".param"); at < end;
       at = moduleText().find(".param", at + 1))
    sizes.push_back(
        std::atoi(&moduleText()[moduleText().find_first_of("123468", at)]) / 8);
  return sizes;
}

size_t countParameters() {
  const char *given = std::getenv("FAKE_CUDA_PARAMETERS");
  return given ? std::atoi(given) : parameterSizes().size();
}

/// What each parameter holds: the size of the buffer that it points to, or its
/// bits.
std::string describeParameters(void **parameters, Pointer &lastBuffer) {
  std::string text;
  std::vector<size_t> sizes = parameterSizes();
  for (size_t i = 0; i < sizes.size(); ++i) {
    Pointer value = 0;
    std::memcpy(&value, parameters[i], sizes[i]);
    char word[64];
    if (allocations().count(value)) {
      lastBuffer = value;
      std::snprintf(word, sizeof(word), " buffer:%zu", allocations()[value]);
    } else {
      std::snprintf(word, sizeof(word), " 0x%llx", value);
    }
    text += word;
  }
  return text;
}

} // namespace

extern "C" {

int cuInit(unsigned) { return record("cuInit"); }
int cuGetErrorString(int code, const char **text) {
  *text = code == 2 ? "out of memory" : "made-up error";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = std::atoi(variable("FAKE_CUDA_DEVICES", "1").c_str());
  return record("cuDeviceGetCount");
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return record("cuDeviceGet", std::to_string(number));
}
int cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, size, "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  if (attribute == 97) {
    *value = std::atoi(variable("FAKE_CUDA_SHARED", "166912").c_str());
    return record("cuDeviceGetAttribute", "97");
  }
  std::string capability = variable("FAKE_CUDA_CAPABILITY", "8.0");
  *value = attribute == 75 ? std::atoi(capability.c_str())
                           : std::atoi(strchr(capability.c_str(), '.') + 1);
  return 0;
}
int cuDevicePrimaryCtxRetain(CuContext *context, int) {
  *context = reinterpret_cast<CuContext>(context);
  return record("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return record("cuDevicePrimaryCtxRelease");
}
int cuCtxSetCurrent(CuContext) { return record("cuCtxSetCurrent"); }
int cuCtxSynchronize() { return record("cuCtxSynchronize"); }
int cuModuleLoadData(CuModule *module, const void *image) {
  const char *text = static_cast<const char *>(image);
  moduleText() = text;
  *module = reinterpret_cast<CuModule>(module);
  return record("cuModuleLoadData", std::string(text, 0, 4) == "\x7f"
                                                               "ELF"
                                        ? "cubin"
                                        : "ptx");
}
int cuModuleUnload(CuModule) { return record("cuModuleUnload"); }
int cuModuleGetFunction(CuFunction *function, CuModule, const char *name) {
  *function = reinterpret_cast<CuFunction>(function);
  return record("cuModuleGetFunction", name);
}
/// Of a variable that the text declares by ".b8 NAME[BYTES];".
int cuModuleGetGlobal_v2(Pointer *address, size_t *size, CuModule,
                         const char *name) {
  std::string begin = std::string(".b8 ") + name + "[";
  size_t at = moduleText().find(begin);
  if (int status = record("cuModuleGetGlobal", name))
    return status;
  if (at == std::string::npos)
    return 500; // CUDA_ERROR_NOT_FOUND
  static std::map<std::string, std::vector<char>> variables;
  std::vector<char> &bytes = variables[name];
  bytes.resize(std::atoi(&moduleText()[at + begin.size()]));
  *size = bytes.size();
  *address = reinterpret_cast<Pointer>(bytes.data());
  return cuSuccess;
}
int cuFuncSetAttribute(CuFunction, int attribute, int value) {
  return record("cuFuncSetAttribute",
                std::to_string(attribute) + " " + std::to_string(value));
}
int cuFuncGetParamInfo(CuFunction, size_t index, size_t *offset, size_t *size) {
  *offset = 8 * index;
  *size = 8;
  bool isKnown = std::getenv("FAKE_CUDA_PARAMETERS") ||
                 moduleText().find(".entry") != std::string::npos;
  return isKnown && index >= countParameters() ? cuErrorInvalidValue
         : isKnown                             ? cuSuccess
                                               : 801;
}
int cuMemAlloc_v2(Pointer *address, size_t bytes) {
  if (int status = record("cuMemAlloc", std::to_string(bytes)))
    return status;
  *address = reinterpret_cast<Pointer>(std::malloc(bytes));
  if (!*address)
    return 2;
  allocations()[*address] = bytes;
  return cuSuccess;
}
int cuMemFree_v2(Pointer address) {
  if (!allocations().erase(address))
    return record("cuMemFree", "of an address that was not allocated"), 1;
  std::free(reinterpret_cast<void *>(address));
  return record("cuMemFree");
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return record("cuMemcpyHtoD", std::to_string(bytes));
}
int cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return record("cuMemcpyDtoH", std::to_string(bytes));
}
int cuLaunchKernel(CuFunction, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ,
                   unsigned shared, CuStream, void **parameters, void **) {
  char text[256];
  std::snprintf(text, sizeof(text),
                "grid %u %u %u block %u %u %u shared %u parameters", gridX,
                gridY, gridZ, blockX, blockY, blockZ, shared);
  Pointer last = 0;
  std::string values = describeParameters(parameters, last);
  if (last)
    std::memset(reinterpret_cast<void *>(last),
                std::atoi(variable("FAKE_CUDA_FILL", "42").c_str()),
                allocations()[last]);
  return record("cuLaunchKernel", text + values);
}
int cuEventCreate(CuEvent *event, unsigned) {
  *event = reinterpret_cast<CuEvent>(event);
  return record("cuEventCreate");
}
int cuEventDestroy_v2(CuEvent) { return record("cuEventDestroy"); }
int cuEventRecord(CuEvent, CuStream) { return record("cuEventRecord"); }
int cuEventSynchronize(CuEvent) { return record("cuEventSynchronize"); }
int cuEventElapsedTime(float *milliseconds, CuEvent, CuEvent) {
  *milliseconds = 0.125f;
  return record("cuEventElapsedTime");
}

} // extern "C"
