//===- CudaRun.cpp - Running a package on a GPU ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaRun.h"
#include "distaff/Runtime/distaff_runtime.h"
#include "mlir/IR/Diagnostics.h"

namespace distaff {
namespace {

struct Handles {
  distaff_package *package = nullptr;
  distaff_device *device = nullptr;
  distaff_kernel *kernel = nullptr;

  ~Handles() {
    distaff_kernel_unload(kernel);
    distaff_device_close(device);
    distaff_package_close(package);
  }
};

/// Returns the dynamic extents, by their numbers.
std::vector<int64_t> dynamicExtentsOf(const distaff_package *package,
                                      const ParameterValues &values) {
  std::vector<int64_t> extents(distaff_package_extent_count(package));
  for (size_t i = 0; i < distaff_package_argument_count(package); ++i)
    for (size_t d = 0; d < distaff_package_parameter_rank(package, i); ++d)
      if (int64_t number = distaff_package_parameter_extent(package, i, d);
          number >= 0)
        extents[number] = values[i].shape[d];
  return extents;
}

distaff_status runOnDevice(StringRef bytes, int device, Handles &handles,
                           ParameterValues &values) {
  if (auto status =
          distaff_package_read(bytes.data(), bytes.size(), &handles.package))
    return status;
  if (auto status = distaff_device_open(device, &handles.device))
    return status;
  if (auto status =
          distaff_kernel_load(handles.device, handles.package, &handles.kernel))
    return status;
  std::vector<void *> data;
  for (simt::Array &array : values)
    data.push_back(array.bytes.data());
  std::vector<int64_t> extents = dynamicExtentsOf(handles.package, values);
  return distaff_kernel_run(handles.kernel, data.data(),
                            extents.empty() ? nullptr : extents.data());
}

} // namespace

Answer runPackage(Location location, StringRef package, int device,
                  ParameterValues &values) {
  Handles handles;
  distaff_status status = runOnDevice(package, device, handles, values);
  if (status == DISTAFF_OK)
    return Answer::Yes;
  emitError(location) << distaff_last_error();
  return status == DISTAFF_INVALID ? Answer::BadRequest : Answer::Refused;
}

} // namespace distaff
