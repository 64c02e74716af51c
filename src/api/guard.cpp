#include "api/guard.hpp"

#include <exception>
#include <new>
#include <string>

namespace onefold::impl::api {

namespace {

thread_local std::string last_message;

void keep(const char *message) noexcept {
    try {
        last_message = message;
    } catch (...) {
        last_message.clear(); // no memory for the sentence: the status has to do
    }
}

} // namespace

status report_current_exception() noexcept {
    try {
        throw;
    } catch (const error &e) {
        keep(e.what());
        return e.code();
    } catch (const std::bad_alloc &) {
        keep("out of memory");
        return onefold_out_of_memory;
    } catch (const std::exception &e) {
        keep(e.what());
        return onefold_runtime_error;
    } catch (...) {
        keep("an exception of an unknown type");
        return onefold_runtime_error;
    }
}

} // namespace onefold::impl::api

const char *onefold_last_error(void) { return onefold::impl::api::last_message.c_str(); }
