//===- CudaRun.cpp - Running a package on a GPU ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaRun.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Runtime/distaff_runtime.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

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

ExitCode report(distaff_status status) {
  if (status != DISTAFF_OK)
    printError(distaff_last_error());
  return static_cast<ExitCode>(status);
}

} // namespace

ExitCode runPackage(const std::string &bytes, int device,
                    ParameterValues &values) {
  // The Runtime opens packages by path.
  int descriptor;
  SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "kernel", "package", descriptor, path)) {
    printError("cannot make a temporary file: " + error.message());
    return ExitCode::Usage;
  }
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << bytes;

  Handles handles;
  if (ExitCode code =
          report(distaff_package_open(path.c_str(), &handles.package));
      code != ExitCode::Fine)
    return code;
  if (ExitCode code = report(distaff_device_open(device, &handles.device));
      code != ExitCode::Fine)
    return code;
  if (ExitCode code = report(distaff_kernel_load(
          handles.device, handles.package, &handles.kernel));
      code != ExitCode::Fine)
    return code;

  std::vector<void *> data;
  for (simt::Array &array : values)
    data.push_back(array.bytes.data());
  std::vector<int64_t> extents(distaff_package_extent_count(handles.package));
  for (size_t i = 0; i < distaff_package_argument_count(handles.package); ++i)
    for (size_t d = 0; d < distaff_package_parameter_rank(handles.package, i);
         ++d)
      if (int64_t number =
              distaff_package_parameter_extent(handles.package, i, d);
          number >= 0)
        extents[number] = values[i].shape[d];
  return report(distaff_kernel_run(handles.kernel, data.data(),
                                   extents.empty() ? nullptr : extents.data()));
}

} // namespace distaff
