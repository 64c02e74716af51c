# Provides onefold_onnx_proto: the protobuf classes of ONNX (Debian: libonnx-dev, libprotobuf-dev, protobuf-compiler). Without
# them, or with ONEFOLD_ONNX off, the program reads JSON graph files only; the library itself never needs them.
option(ONEFOLD_ONNX "Read ONNX models in the program onefold" ON)

if(NOT ONEFOLD_ONNX)
    message(STATUS "ONNX: off (ONEFOLD_ONNX); the program onefold reads JSON graph files only")
    return()
endif()

find_package(Protobuf QUIET)
find_path(ONEFOLD_ONNX_INCLUDE_DIR onnx/onnx_pb.h)
find_library(ONEFOLD_ONNX_PROTO_LIBRARY onnx_proto)
find_library(ONEFOLD_ONNX_LIBRARY onnx) # for tests: ONNX's own op schemas
mark_as_advanced(ONEFOLD_ONNX_INCLUDE_DIR ONEFOLD_ONNX_PROTO_LIBRARY ONEFOLD_ONNX_LIBRARY)
if(NOT Protobuf_FOUND OR NOT ONEFOLD_ONNX_INCLUDE_DIR OR NOT ONEFOLD_ONNX_PROTO_LIBRARY)
    message(WARNING "ONNX: not found, so the program onefold reads JSON graph files only. scripts/bootstrap installs what is "
                    "missing (libonnx-dev, libprotobuf-dev, protobuf-compiler); -DONEFOLD_ONNX=OFF silences this")
    return()
endif()

add_library(onefold_onnx_proto INTERFACE)
target_include_directories(onefold_onnx_proto SYSTEM INTERFACE ${ONEFOLD_ONNX_INCLUDE_DIR})
target_compile_definitions(onefold_onnx_proto INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(onefold_onnx_proto INTERFACE ${ONEFOLD_ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
message(STATUS "ONNX: ${ONEFOLD_ONNX_PROTO_LIBRARY}, protobuf ${Protobuf_VERSION}")
