// Names and the version. The names are string literals, so the views end in a NUL.
#include "onefold/onefold.h"

#include "graph/schema.hpp"

#ifndef ONEFOLD_VERSION_STRING
#define ONEFOLD_VERSION_STRING "0.1.0"
#endif

using namespace onefold::impl;

const char *onefold_version(void) { return ONEFOLD_VERSION_STRING; }

const char *onefold_op_kind_name(onefold_op_kind kind) {
    try {
        return schema_of(kind).name.data();
    } catch (...) {
        return nullptr;
    }
}

const char *onefold_op_attr_name(onefold_op_attr attr) { return name_of(attr).data(); }
const char *onefold_data_type_name(onefold_data_type type) { return name_of(type).data(); }
const char *onefold_status_name(onefold_status status) { return name_of(status).data(); }
