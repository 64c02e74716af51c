# ONEFOLD_PYTHON_ENVIRONMENT: a virtual environment in the build tree with what building and testing the Python package takes, from
# PyPI. It is made once, now; where it cannot be, the package is not built, and each configure tries again.
set(ONEFOLD_PYTHON_ENVIRONMENT ${PROJECT_BINARY_DIR}/python_environment)
set(ONEFOLD_IN_PYTHON ${PROJECT_SOURCE_DIR}/tests/conformance/python_environment.py ${ONEFOLD_PYTHON_ENVIRONMENT}) # arguments of python3

if(ONEFOLD_BUILD_PYTHON AND ONEFOLD_SANITIZE)
    message(STATUS "Python: no interpreter loads what sanitizers instrument; the package is not built")
    set(ONEFOLD_BUILD_PYTHON OFF)
endif()
if(NOT ONEFOLD_BUILD_PYTHON OR SKBUILD) # a wheel's builder brings an environment of its own
    return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
message(STATUS "Python: ${ONEFOLD_PYTHON_ENVIRONMENT}")
execute_process(COMMAND ${Python3_EXECUTABLE} ${ONEFOLD_IN_PYTHON}
                OUTPUT_VARIABLE skipped OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(skipped)
    message(WARNING "Python: the package is not built. ${skipped}")
    set(ONEFOLD_BUILD_PYTHON OFF)
endif()
