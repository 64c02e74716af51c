# What a wheel holds besides the sources in python/onefold: the extension module and its stub; in the folder lib, libonefold and
# the libraries that it was built with, but for those that every Linux has (of the manylinux policies).
set(on_every_linux "^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\\+\\+|libz|ld-linux-x86-64)\\.so")

# Wheels hold no symbolic links: the library's file has the name that it is looked for by.
set_target_properties(onefold PROPERTIES VERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
set_target_properties(onefold_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
install(TARGETS onefold_python LIBRARY DESTINATION onefold COMPONENT python)
install(TARGETS onefold LIBRARY DESTINATION onefold/lib COMPONENT python NAMELINK_SKIP)
if(TARGET onefold_onnxruntime_ep) # what onefold.onnxruntime.register() registers
    set_target_properties(onefold_onnxruntime_ep PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS onefold_onnxruntime_ep LIBRARY DESTINATION onefold/lib COMPONENT python)
endif()
install(FILES ${package_dir}/_core.pyi DESTINATION onefold COMPONENT python)
install(CODE "
    set(on_every_linux [==[${on_every_linux}]==])
    set(module [==[$<TARGET_FILE_NAME:onefold_python>]==])" COMPONENT python)
install(CODE [==[
    set(package ${CMAKE_INSTALL_PREFIX}/onefold)
    file(GET_RUNTIME_DEPENDENCIES MODULES ${package}/${module}
         RESOLVED_DEPENDENCIES_VAR libraries PRE_EXCLUDE_REGEXES ${on_every_linux})
    foreach(library IN LISTS libraries)
        cmake_path(GET library FILENAME name)
        if(NOT name MATCHES "^libonefold")
            file(REAL_PATH ${library} file)
            file(COPY_FILE ${file} ${package}/lib/${name})
        endif()
    endforeach()]==] COMPONENT python)
