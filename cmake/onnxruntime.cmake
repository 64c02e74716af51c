# Finds the headers of ONNX Runtime (1.23 or newer) for the execution provider in integrations/onnxruntime: sets
# ONEFOLD_ONNXRUNTIME_INCLUDE_DIR and ONEFOLD_WITH_ONNXRUNTIME_EP. Nothing of ONNX Runtime is linked.
set(ONEFOLD_BUILD_ONNXRUNTIME_EP AUTO CACHE STRING "Build the execution provider for ONNX Runtime: AUTO (if its headers are found), ON or OFF")
set_property(CACHE ONEFOLD_BUILD_ONNXRUNTIME_EP PROPERTY STRINGS AUTO ON OFF)

set(ONEFOLD_WITH_ONNXRUNTIME_EP OFF)
if(ONEFOLD_BUILD_ONNXRUNTIME_EP STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL)
    return()
elseif(NOT ONEFOLD_BUILD_ONNXRUNTIME_EP STREQUAL "AUTO" AND NOT ONEFOLD_BUILD_ONNXRUNTIME_EP)
    message(STATUS "ONNX Runtime: off (ONEFOLD_BUILD_ONNXRUNTIME_EP)")
    return()
endif()

# Where scripts/fetch_onnxruntime_headers puts them.
if(DEFINED ENV{XDG_CACHE_HOME})
    set(cache $ENV{XDG_CACHE_HOME})
else()
    set(cache $ENV{HOME}/.cache)
endif()
find_path(ONEFOLD_ONNXRUNTIME_INCLUDE_DIR onnxruntime_ep_c_api.h
    PATH_SUFFIXES onnxruntime onnxruntime/core/session
    HINTS ${cache}/onefold/onnxruntime_headers
    DOC "The folder of onnxruntime_c_api.h and onnxruntime_ep_c_api.h, 1.23 or newer")
set(reason)
if(NOT ONEFOLD_ONNXRUNTIME_INCLUDE_DIR)
    set(reason "its headers are not found")
elseif(NOT EXISTS ${ONEFOLD_ONNXRUNTIME_INCLUDE_DIR}/onnxruntime_c_api.h)
    set(reason "${ONEFOLD_ONNXRUNTIME_INCLUDE_DIR} has no onnxruntime_c_api.h")
else()
    file(STRINGS ${ONEFOLD_ONNXRUNTIME_INCLUDE_DIR}/onnxruntime_c_api.h version REGEX "^#define ORT_API_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" version "${version}")
    if(NOT version OR version LESS 23)
        set(reason "${ONEFOLD_ONNXRUNTIME_INCLUDE_DIR} has version 1.${version}; 1.23 is needed")
    endif()
endif()
if(NOT reason)
    set(ONEFOLD_WITH_ONNXRUNTIME_EP ON)
    message(STATUS "ONNX Runtime: headers of 1.${version} in ${ONEFOLD_ONNXRUNTIME_INCLUDE_DIR}")
elseif(ONEFOLD_BUILD_ONNXRUNTIME_EP STREQUAL "AUTO")
    message(STATUS "ONNX Runtime: no execution provider, because ${reason}. scripts/fetch_onnxruntime_headers gets them; or give "
                   "their folder as ONEFOLD_ONNXRUNTIME_INCLUDE_DIR")
else()
    message(FATAL_ERROR "ONNX Runtime: ${reason}. scripts/fetch_onnxruntime_headers gets the headers; or give their folder as "
                        "ONEFOLD_ONNXRUNTIME_INCLUDE_DIR, or -DONEFOLD_BUILD_ONNXRUNTIME_EP=OFF")
endif()
