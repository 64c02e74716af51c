// What the host looks for in the library: two functions that make and release the factory of providers.

#include <memory>
#include <string>

#include <fmt/format.h>

#include "integrations/onnxruntime/provider.hpp"

namespace onefold::onnxruntime {

namespace {

/// The value of a provider option of the session; nothing where it is not set.
std::optional<std::string> read_option(const host &h, const OrtSessionOptions &options, const std::string &name) {
    std::string key = fmt::format("ep.{}.{}", provider_name, name);
    for (char &c : key)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    int is_set = 0;
    h.check(h->HasSessionConfigEntry(&options, key.c_str(), &is_set));
    if (is_set == 0) return std::nullopt;
    size_t size = 0;
    h.check(h->GetSessionConfigEntry(&options, key.c_str(), nullptr, &size));
    std::string value(size, '\0'); // the size counts the 0 at the end
    h.check(h->GetSessionConfigEntry(&options, key.c_str(), value.data(), &size));
    return value.c_str();
}

/// Makes the providers of sessions; lives from the library's registration to the end of it.
class factory : public OrtEpFactory {
public:
    explicit factory(const OrtApiBase &base) : OrtEpFactory{}, host_(base) {
        ort_version_supported = host_.version();
        GetName = [](const OrtEpFactory *) noexcept { return provider_name; };
        GetVendor = [](const OrtEpFactory *) noexcept { return "onefold"; };
        GetVendorId = [](const OrtEpFactory *) noexcept -> uint32_t { return 0; };
        GetVersion = [](const OrtEpFactory *) noexcept { return ONEFOLD_VERSION_STRING; };
        GetSupportedDevices = get_supported_devices;
        CreateEp = create_provider;
        ReleaseEp = [](OrtEpFactory *, OrtEp *ep) noexcept { delete static_cast<provider *>(ep); };
        CreateDataTransfer = [](OrtEpFactory *, OrtDataTransferImpl **transfer) noexcept -> OrtStatus * {
            *transfer = nullptr; // all data is in the memory of the CPU
            return nullptr;
        };
    }

private:
    static OrtStatus *get_supported_devices(OrtEpFactory *self, const OrtHardwareDevice *const *devices, size_t count,
                                            OrtEpDevice **ep_devices, size_t most, size_t *given) noexcept {
        const host &h = static_cast<factory *>(self)->host_;
        *given = 0;
        return h.guard([&] {
            for (size_t i = 0; i < count && *given < most; ++i)
                if (h->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_CPU)
                    h.check(h.ep().CreateEpDevice(self, devices[i], nullptr, nullptr, &ep_devices[(*given)++]));
        });
    }

    static OrtStatus *create_provider(OrtEpFactory *self, const OrtHardwareDevice *const *, const OrtKeyValuePairs *const *,
                                      size_t, const OrtSessionOptions *options, const OrtLogger *logger, OrtEp **ep) noexcept {
        const host &h = static_cast<factory *>(self)->host_;
        *ep = nullptr;
        return h.guard([&] {
            const claim_mode mode = claim_mode_from(read_option(h, *options, "claim").value_or("fast"));
            *ep = std::make_unique<provider>(h, mode, *logger).release();
        });
    }

    host host_;
};

} // namespace

} // namespace onefold::onnxruntime

extern "C" {

[[gnu::visibility("default")]] OrtStatus *CreateEpFactories(const char *, const OrtApiBase *base, const OrtLogger *,
                                                            OrtEpFactory **factories, size_t most, size_t *count) noexcept {
    *count = 0;
    try {
        if (most < 1) return nullptr;
        factories[0] = std::make_unique<onefold::onnxruntime::factory>(*base).release();
        *count = 1;
        return nullptr;
    } catch (const std::exception &e) {
        return base->GetApi(1)->CreateStatus(ORT_FAIL, e.what());
    }
}

[[gnu::visibility("default")]] OrtStatus *ReleaseEpFactory(OrtEpFactory *factory) noexcept {
    delete static_cast<onefold::onnxruntime::factory *>(factory);
    return nullptr;
}
}
