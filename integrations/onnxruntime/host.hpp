#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <onnxruntime_c_api.h>

namespace onefold::onnxruntime {

/// The oldest version of ONNX Runtime's interface that has all that the provider calls.
inline constexpr uint32_t oldest_version = 23;

/// What a function of the host's gave that did not succeed.
class host_error : public std::runtime_error {
public:
    host_error(OrtErrorCode code, const std::string &message) : std::runtime_error(message), code_(code) {}
    OrtErrorCode code() const { return code_; }

private:
    OrtErrorCode code_;
};

/// ONNX Runtime's functions, in a version that both sides know.
class host {
public:
    /// Throws std::runtime_error where the running ONNX Runtime is older than `oldest_version`.
    explicit host(const OrtApiBase &base);
    host(const host &) = delete;
    host &operator=(const host &) = delete;
    ~host();

    const OrtApi *operator->() const { return api_; }
    const OrtEpApi &ep() const { return *ep_; }
    /// The memory of the CPU, where all tensors are.
    const OrtMemoryInfo &memory() const { return *memory_; }
    /// Which every struct that goes to the host is stamped with.
    uint32_t version() const { return version_; }

    /// Throws host_error for a status that is not nullptr, and releases it.
    void check(OrtStatus *status) const;

    /// Calls the function; what it throws becomes a status with its message.
    template <typename Function>
    OrtStatus *guard(Function &&function) const noexcept {
        try {
            function();
            return nullptr;
        } catch (...) {
            return status_of_exception();
        }
    }

    /// A line of the log.
    void warn(const OrtLogger &logger, const std::string &message) const noexcept;

private:
    /// Of the exception that is being handled.
    OrtStatus *status_of_exception() const noexcept;

    const OrtApi *api_;
    const OrtEpApi *ep_;
    OrtMemoryInfo *memory_ = nullptr;
    uint32_t version_;
};

} // namespace onefold::onnxruntime
