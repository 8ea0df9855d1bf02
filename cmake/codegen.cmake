# Flow 9: the generator turns csrc/ops into sources and headers under <build>/generated.
# It runs at configure time, and every file it reads is a configure dependency: ninja configures
# again before it builds when one changed. The generator writes only what changed, so a changed
# entry rebuilds the units of its family and the includers of its header. (A custom command could
# not do that in one pass: ninja knows generated headers only once they are listed.)

set(CEPHEID_GENERATED "${CMAKE_BINARY_DIR}/generated")

file(GLOB generator_inputs CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/csrc/ops/*.yaml"
     "${CMAKE_CURRENT_SOURCE_DIR}/csrc/ops/rules/*.py"
     "${CMAKE_CURRENT_SOURCE_DIR}/csrc/kernels/generic/*.h" # the functions of scalar expressions
     "${CMAKE_CURRENT_SOURCE_DIR}/tools/codegen/*.py"
     "${CMAKE_CURRENT_SOURCE_DIR}/tools/codegen/*/*.py")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${generator_inputs})

set(generator_arguments --source csrc/ops --out "${CEPHEID_GENERATED}")
if(CEPHEID_SELECT)
  file(REAL_PATH "${CEPHEID_SELECT}" select_file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  list(APPEND generator_arguments --select "${select_file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${select_file}")
endif()

execute_process(COMMAND "${Python_EXECUTABLE}" -m tools.codegen ${generator_arguments}
                WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                COMMAND_ERROR_IS_FATAL ANY)
