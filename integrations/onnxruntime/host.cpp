#include "integrations/onnxruntime/host.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "graph/error.hpp"

namespace onefold::onnxruntime {

namespace {

/// "1.23.2" has the interface's version 23; 0 for what is no such version.
uint32_t interface_version(const char *text) {
    constexpr const char *prefix = "1.";
    uint32_t minor = 0;
    if (std::strncmp(text, prefix, std::strlen(prefix)) == 0)
        std::from_chars(text + std::strlen(prefix), text + std::strlen(text), minor);
    return minor;
}

OrtErrorCode code_of(onefold_status status) {
    switch (status) {
    case onefold_invalid_arguments:
    case onefold_invalid_shape:
    case onefold_invalid_data_type:
        return ORT_INVALID_ARGUMENT;
    case onefold_unimplemented:
        return ORT_NOT_IMPLEMENTED;
    default:
        return ORT_FAIL;
    }
}

} // namespace

host::host(const OrtApiBase &base) {
    const char *running = base.GetVersionString();
    version_ = std::min<uint32_t>(ORT_API_VERSION, interface_version(running));
    api_ = version_ < oldest_version ? nullptr : base.GetApi(version_);
    ep_ = api_ ? api_->GetEpApi() : nullptr;
    if (!ep_)
        throw std::runtime_error(
            fmt::format("onefold's execution provider needs ONNX Runtime 1.{} or newer, this is {}", oldest_version, running));
    check(api_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
}

host::~host() { api_->ReleaseMemoryInfo(memory_); }

void host::check(OrtStatus *status) const {
    if (!status) return;
    const host_error error(api_->GetErrorCode(status), api_->GetErrorMessage(status));
    api_->ReleaseStatus(status);
    throw error;
}

OrtStatus *host::status_of_exception() const noexcept {
    try {
        throw;
    } catch (const host_error &e) {
        return api_->CreateStatus(e.code(), e.what());
    } catch (const impl::error &e) {
        return api_->CreateStatus(code_of(e.code()), e.what());
    } catch (const std::exception &e) {
        return api_->CreateStatus(ORT_FAIL, e.what());
    } catch (...) {
        return api_->CreateStatus(ORT_FAIL, "an exception of an unknown type");
    }
}

void host::warn(const OrtLogger &logger, const std::string &message) const noexcept {
    OrtStatus *status =
        api_->Logger_LogMessage(&logger, ORT_LOGGING_LEVEL_WARNING, message.c_str(), ORT_FILE, __LINE__, "onefold");
    if (status) api_->ReleaseStatus(status); // a log that cannot be written is nothing to fail for
}

} // namespace onefold::onnxruntime
