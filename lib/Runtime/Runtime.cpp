//===- Runtime.cpp - Launch kernel packages, C ABI ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CudaDriver.h"
#include "distaff/Runtime/Package.h"
#include "distaff/Runtime/distaff_runtime.h"

#include <algorithm>
#include <memory>

using namespace distaff::runtime;

struct distaff_package {
  Package package;
  std::vector<const Parameter *> parameters;
  size_t extents = 0;
};

struct distaff_device {
  const CudaDriver *driver = nullptr;
  CuDevice device = 0;
  CuContext context = nullptr;
  int major = 0, minor = 0;
  std::string name;
};

struct distaff_kernel {
  distaff_device *device = nullptr;
  const distaff_package *package = nullptr;
  CuModule module = nullptr;
  std::vector<CuFunction> functions; ///< one per launch
};

namespace {

thread_local std::string lastError;

distaff_status fail(distaff_status status, std::string message) {
  lastError = std::move(message);
  return status;
}

distaff_status check(const distaff_device *device, const char *symbol,
                     CuResult result) {
  return result == cuSuccess
             ? DISTAFF_OK
             : fail(DISTAFF_FAILED, device->driver->describe(symbol, result));
}

// Returns from the enclosing function when a driver call fails.
#define DISTAFF_CUDA(device, function, ...)                                    \
  if (distaff_status status = check(&*(device), "CUDA driver, " #function,     \
                                    (device)->driver->function(__VA_ARGS__)))  \
  return status

std::vector<int64_t> extentsOf(const distaff_package *package,
                               const int64_t *extents) {
  return extents ? std::vector<int64_t>(extents, extents + package->extents)
                 : std::vector<int64_t>();
}

/// Device memory that is freed with its owner.
class DeviceBuffers {
public:
  explicit DeviceBuffers(distaff_device *device) : device(device) {}
  ~DeviceBuffers() {
    for (CuDevicePointer address : addresses)
      device->driver->memFree(address);
  }
  distaff_status add(size_t bytes, CuDevicePointer &address) {
    // The driver refuses empty allocations; an empty array is never read.
    DISTAFF_CUDA(device, memAlloc, &address, std::max<size_t>(bytes, 1));
    addresses.push_back(address);
    return DISTAFF_OK;
  }

private:
  distaff_device *device;
  std::vector<CuDevicePointer> addresses;
};

distaff_status checkExtentsOf(const distaff_package *package,
                              const std::vector<int64_t> &extents) {
  std::string why = checkExtents(package->package, extents);
  return why.empty() ? DISTAFF_OK : fail(DISTAFF_INVALID, why);
}

/// Checks the number of parameters. The driver reads as many as the code takes,
/// for any launch: more would be read from beyond the list. Drivers before CUDA
/// 12.4 do not report that number.
distaff_status checkParameterCount(const distaff_device *device,
                                   CuFunction function, const Launch &launch) {
  if (!device->driver->funcGetParamInfo)
    return DISTAFF_OK;
  size_t count =
      launch.buffers.size() + launch.scalars.size() + launch.extents.size();
  auto has = [&](size_t index) {
    size_t offset = 0, size = 0;
    return device->driver->funcGetParamInfo(function, index, &offset, &size);
  };
  if (has(count) == cuSuccess ||
      (count > 0 && has(count - 1) == cuErrorInvalidValue))
    return fail(DISTAFF_INVALID, "the code of '" + launch.kernel +
                                     "' does not take the " +
                                     std::to_string(count) +
                                     " parameters that the launch passes");
  return DISTAFF_OK;
}

/// Enables launches of `function` with the shared memory that it needs, if the
/// device has as much.
distaff_status allowSharedMemory(distaff_device *device, CuFunction function,
                                 const Launch &launch) {
  // More than a kernel can declare needs the driver's permission.
  constexpr int64_t declarable = 48 * 1024;
  if (launch.sharedMemory <= declarable)
    return DISTAFF_OK;
  int largest = 0;
  DISTAFF_CUDA(device, deviceGetAttribute, &largest,
               maxSharedMemoryPerBlockOptin, device->device);
  if (launch.sharedMemory > largest)
    return fail(DISTAFF_FAILED, "'" + launch.kernel + "' needs " +
                                    std::to_string(launch.sharedMemory) +
                                    " bytes of shared memory per workgroup, " +
                                    device->name + " has " +
                                    std::to_string(largest) +
                                    "; compile it for the device's own target");
  DISTAFF_CUDA(device, funcSetAttribute, function, maxDynamicSharedSizeBytes,
               static_cast<int>(launch.sharedMemory));
  return DISTAFF_OK;
}

/// Copies the data of a constant to its variable in the loaded code.
distaff_status fillConstant(distaff_device *device, CuModule module,
                            const Constant &constant) {
  CuDevicePointer address = 0;
  size_t size = 0;
  DISTAFF_CUDA(device, moduleGetGlobal, &address, &size, module,
               constant.symbol.c_str());
  if (size != constant.bytes.size())
    return fail(DISTAFF_INVALID,
                "the code's variable '" + constant.symbol + "' has " +
                    std::to_string(size) + " bytes, the package has " +
                    std::to_string(constant.bytes.size()) + " for it");
  DISTAFF_CUDA(device, memcpyHtoD, address, constant.bytes.data(), size);
  return DISTAFF_OK;
}

distaff_status launchOne(distaff_kernel *kernel, size_t number,
                         const void *const *parameters,
                         const std::vector<int64_t> &extents,
                         std::vector<CuDevicePointer> &workspaces) {
  const Package &package = kernel->package->package;
  const Launch &launch = package.launches[number];
  // The extents were checked: a grid has a value, and one that fits. Where a
  // dimension of it is empty there is nothing to launch.
  std::array<unsigned, 3> grid;
  for (int i = 0; i < 3; ++i)
    grid[i] = static_cast<unsigned>(*launch.grid[i].evaluate(extents));
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return DISTAFF_OK;

  auto find = [&](const std::string &name) -> const void * {
    for (size_t i = 0; i < kernel->package->parameters.size(); ++i)
      if (kernel->package->parameters[i]->name == name)
        return parameters[i];
    for (size_t i = 0; i < package.workspaces.size(); ++i)
      if (package.workspaces[i].name == name)
        return &workspaces[i];
    return nullptr;
  };
  std::vector<void *> values;
  for (const std::string &name : launch.buffers)
    values.push_back(const_cast<void *>(find(name)));
  for (const std::string &name : launch.scalars)
    values.push_back(const_cast<void *>(find(name)));
  std::vector<int64_t> passed;
  for (const Formula &extent : launch.extents)
    passed.push_back(*extent.evaluate(extents));
  for (int64_t &extent : passed)
    values.push_back(&extent);
  DISTAFF_CUDA(kernel->device, launchKernel, kernel->functions[number], grid[0],
               grid[1], grid[2], static_cast<unsigned>(launch.workgroupSize[0]),
               static_cast<unsigned>(launch.workgroupSize[1]),
               static_cast<unsigned>(launch.workgroupSize[2]),
               static_cast<unsigned>(launch.sharedMemory), nullptr,
               values.data(), nullptr);
  return DISTAFF_OK;
}

} // namespace

const char *distaff_last_error(void) { return lastError.c_str(); }

/// Returns a checked package to the caller that opens it.
static void openPackage(Package read, distaff_package **package) {
  auto result = std::make_unique<distaff_package>();
  result->package = std::move(read);
  result->parameters = result->package.parameters();
  for (const Parameter &argument : result->package.arguments)
    for (const Formula &extent : argument.shape)
      result->extents += extent.kind == Formula::Kind::Extent;
  *package = result.release();
}

distaff_status distaff_package_open(const char *path,
                                    distaff_package **package) {
  Package read;
  if (std::string why = readPackage(path, read); !why.empty())
    return fail(DISTAFF_INVALID, why);
  openPackage(std::move(read), package);
  return DISTAFF_OK;
}

distaff_status distaff_package_read(const void *bytes, size_t size,
                                    distaff_package **package) {
  Package read;
  std::string file(static_cast<const char *>(bytes), size);
  if (std::string why = parsePackage(file, read); !why.empty())
    return fail(DISTAFF_INVALID,
                "the bytes are damaged or no kernel package: " + why);
  openPackage(std::move(read), package);
  return DISTAFF_OK;
}

void distaff_package_close(distaff_package *package) { delete package; }

const char *distaff_package_name(const distaff_package *package) {
  return package->package.name.c_str();
}
size_t distaff_package_argument_count(const distaff_package *package) {
  return package->package.arguments.size();
}
size_t distaff_package_result_count(const distaff_package *package) {
  return package->package.results.size();
}
const char *distaff_package_parameter_name(const distaff_package *package,
                                           size_t parameter) {
  return package->parameters[parameter]->name.c_str();
}
const char *distaff_package_parameter_type(const distaff_package *package,
                                           size_t parameter) {
  // The names are string literals, so the view ends in a null byte.
  return name(package->parameters[parameter]->type).data();
}
int distaff_package_parameter_is_scalar(const distaff_package *package,
                                        size_t parameter) {
  return package->parameters[parameter]->isScalar;
}
size_t distaff_package_parameter_bits(const distaff_package *package,
                                      size_t parameter) {
  return bitsInMemory(*package->parameters[parameter]);
}
size_t distaff_package_parameter_rank(const distaff_package *package,
                                      size_t parameter) {
  return package->parameters[parameter]->shape.size();
}
size_t distaff_package_extent_count(const distaff_package *package) {
  return package->extents;
}
int64_t distaff_package_parameter_extent(const distaff_package *package,
                                         size_t parameter, size_t dimension) {
  const Formula &extent = package->parameters[parameter]->shape[dimension];
  return extent.kind == Formula::Kind::Extent ? extent.value : -1;
}

distaff_status distaff_package_parameter_shape(const distaff_package *package,
                                               size_t parameter,
                                               const int64_t *extents,
                                               int64_t *shape) {
  std::vector<int64_t> known = extentsOf(package, extents);
  for (const Formula &formula : package->parameters[parameter]->shape) {
    std::optional<int64_t> extent = formula.evaluate(known);
    if (!extent || *extent < 0)
      return fail(DISTAFF_INVALID, "the shape of '" +
                                       package->parameters[parameter]->name +
                                       "' has no value for these extents");
    *shape++ = *extent;
  }
  return DISTAFF_OK;
}

distaff_status distaff_package_check(const distaff_package *package,
                                     const int64_t *extents) {
  return checkExtentsOf(package, extentsOf(package, extents));
}

distaff_status distaff_device_open(int number, distaff_device **device) {
  auto result = std::make_unique<distaff_device>();
  std::string error;
  result->driver = CudaDriver::open(error);
  if (!result->driver)
    return fail(DISTAFF_FAILED, error);
  int count = 0;
  DISTAFF_CUDA(result, deviceGetCount, &count);
  if (number < 0 || number >= count)
    return fail(DISTAFF_FAILED,
                "there is no CUDA device " + std::to_string(number) +
                    ", the driver has " + std::to_string(count));
  DISTAFF_CUDA(result, deviceGet, &result->device, number);
  char name[256] = {};
  DISTAFF_CUDA(result, deviceGetName, name, sizeof(name) - 1, result->device);
  result->name = name;
  DISTAFF_CUDA(result, deviceGetAttribute, &result->major,
               computeCapabilityMajor, result->device);
  DISTAFF_CUDA(result, deviceGetAttribute, &result->minor,
               computeCapabilityMinor, result->device);
  DISTAFF_CUDA(result, primaryCtxRetain, &result->context, result->device);
  if (distaff_status status =
          check(result.get(), "CUDA driver, ctxSetCurrent",
                result->driver->ctxSetCurrent(result->context))) {
    result->driver->primaryCtxRelease(result->device);
    return status;
  }
  *device = result.release();
  return DISTAFF_OK;
}

void distaff_device_close(distaff_device *device) {
  if (device)
    device->driver->primaryCtxRelease(device->device);
  delete device;
}

const char *distaff_device_name(const distaff_device *device) {
  return device->name.c_str();
}

distaff_status distaff_kernel_load(distaff_device *device,
                                   const distaff_package *package,
                                   distaff_kernel **kernel) {
  const CodeObject *chosen = nullptr;
  std::string offered;
  // A cubin needs no compilation by the driver, so it is preferred to PTX.
  for (const char *kind : {"cubin", "ptx"})
    for (const CodeObject &object : package->package.codeObjects)
      if (object.kind == kind) {
        offered += (offered.empty() ? "" : ", ") + object.kind + " for " +
                   object.architecture;
        if (!chosen && object.runsOn(device->major, device->minor))
          chosen = &object;
      }
  if (!chosen)
    return fail(DISTAFF_FAILED,
                "no code object of '" + package->package.name + "' runs on " +
                    device->name + " (capability " +
                    std::to_string(device->major) + "." +
                    std::to_string(device->minor) + "); it holds " +
                    (offered.empty() ? "no CUDA code" : offered));

  auto result = std::make_unique<distaff_kernel>();
  result->device = device;
  result->package = package;
  // std::string ends in a null byte, which PTX needs.
  DISTAFF_CUDA(device, moduleLoadData, &result->module, chosen->bytes.c_str());
  distaff_kernel *owned = result.get();
  auto fill = [&]() -> distaff_status {
    for (const Constant &constant : package->package.constants)
      if (distaff_status status = fillConstant(device, owned->module, constant))
        return status;
    for (const Launch &launch : package->package.launches) {
      CuFunction function = nullptr;
      DISTAFF_CUDA(device, moduleGetFunction, &function, owned->module,
                   launch.kernel.c_str());
      owned->functions.push_back(function);
      if (distaff_status status = checkParameterCount(device, function, launch))
        return status;
      if (distaff_status status = allowSharedMemory(device, function, launch))
        return status;
    }
    return DISTAFF_OK;
  };
  if (distaff_status status = fill()) {
    device->driver->moduleUnload(owned->module);
    return status;
  }
  *kernel = result.release();
  return DISTAFF_OK;
}

void distaff_kernel_unload(distaff_kernel *kernel) {
  if (kernel)
    kernel->device->driver->moduleUnload(kernel->module);
  delete kernel;
}

distaff_status distaff_device_allocate(distaff_device *device, size_t bytes,
                                       uint64_t *address) {
  CuDevicePointer pointer = 0;
  DISTAFF_CUDA(device, memAlloc, &pointer, std::max<size_t>(bytes, 1));
  *address = pointer;
  return DISTAFF_OK;
}
distaff_status distaff_device_free(distaff_device *device, uint64_t address) {
  DISTAFF_CUDA(device, memFree, address);
  return DISTAFF_OK;
}
distaff_status distaff_device_upload(distaff_device *device, uint64_t address,
                                     const void *data, size_t bytes) {
  if (bytes)
    DISTAFF_CUDA(device, memcpyHtoD, address, data, bytes);
  return DISTAFF_OK;
}
distaff_status distaff_device_download(distaff_device *device, void *data,
                                       uint64_t address, size_t bytes) {
  if (bytes)
    DISTAFF_CUDA(device, memcpyDtoH, data, address, bytes);
  return DISTAFF_OK;
}
distaff_status distaff_device_wait(distaff_device *device) {
  DISTAFF_CUDA(device, ctxSynchronize);
  return DISTAFF_OK;
}

distaff_status distaff_kernel_launch(distaff_kernel *kernel,
                                     const void *const *parameters,
                                     const int64_t *extents) {
  const Package &package = kernel->package->package;
  std::vector<int64_t> known = extentsOf(kernel->package, extents);
  if (distaff_status status = checkExtentsOf(kernel->package, known))
    return status;
  DeviceBuffers owned(kernel->device);
  std::vector<CuDevicePointer> workspaces;
  for (const Workspace &workspace : package.workspaces)
    if (distaff_status status = owned.add(*workspace.bytes.evaluate(known),
                                          workspaces.emplace_back()))
      return status;
  for (size_t i = 0; i < package.launches.size(); ++i)
    if (distaff_status status =
            launchOne(kernel, i, parameters, known, workspaces))
      return status;
  // Workspaces are freed on return, so the device must be done with them.
  return workspaces.empty() ? DISTAFF_OK : distaff_device_wait(kernel->device);
}

distaff_status distaff_kernel_run(distaff_kernel *kernel, void *const *data,
                                  const int64_t *extents) {
  distaff_device *device = kernel->device;
  const std::vector<const Parameter *> &all = kernel->package->parameters;
  std::vector<int64_t> known = extentsOf(kernel->package, extents);
  if (distaff_status status = checkExtentsOf(kernel->package, known))
    return status;
  DeviceBuffers owned(device);
  std::vector<CuDevicePointer> addresses(all.size());
  std::vector<size_t> sizes(all.size());
  std::vector<const void *> parameters(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    parameters[i] = all[i]->isScalar ? data[i] : &addresses[i];
    if (all[i]->isScalar)
      continue;
    sizes[i] = *bytesOf(*all[i], known);
    if (distaff_status status = owned.add(sizes[i], addresses[i]))
      return status;
    if (distaff_status status =
            distaff_device_upload(device, addresses[i], data[i], sizes[i]))
      return status;
  }
  if (distaff_status status =
          distaff_kernel_launch(kernel, parameters.data(), extents))
    return status;
  if (distaff_status status = distaff_device_wait(device))
    return status;
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i]->isScalar)
      if (distaff_status status =
              distaff_device_download(device, data[i], addresses[i], sizes[i]))
        return status;
  return DISTAFF_OK;
}

distaff_status distaff_kernel_time(distaff_kernel *kernel,
                                   const void *const *parameters,
                                   const int64_t *extents, int repeats,
                                   double *median, double *minimum,
                                   double *maximum) {
  if (repeats < 1)
    return fail(DISTAFF_INVALID, "a timing needs at least one launch");
  distaff_device *device = kernel->device;
  if (distaff_status status =
          distaff_kernel_launch(kernel, parameters, extents))
    return status;
  struct Events {
    const CudaDriver *driver;
    CuEvent start = nullptr, stop = nullptr;
    ~Events() {
      if (start)
        driver->eventDestroy(start);
      if (stop)
        driver->eventDestroy(stop);
    }
  } events{device->driver};
  DISTAFF_CUDA(device, eventCreate, &events.start, 0);
  DISTAFF_CUDA(device, eventCreate, &events.stop, 0);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    DISTAFF_CUDA(device, eventRecord, events.start, nullptr);
    if (distaff_status status =
            distaff_kernel_launch(kernel, parameters, extents))
      return status;
    DISTAFF_CUDA(device, eventRecord, events.stop, nullptr);
    DISTAFF_CUDA(device, eventSynchronize, events.stop);
    float milliseconds = 0;
    DISTAFF_CUDA(device, eventElapsedTime, &milliseconds, events.start,
                 events.stop);
    times.push_back(milliseconds * 1e3);
  }
  std::sort(times.begin(), times.end());
  *median = times[times.size() / 2];
  *minimum = times.front();
  *maximum = times.back();
  return DISTAFF_OK;
}
