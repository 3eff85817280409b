# How a target of ours is made: warnings are errors, includes are root-relative, sanitizers everywhere.
add_library(plimsoll_flags INTERFACE)
target_include_directories(plimsoll_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(plimsoll_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fno-omit-frame-pointer
  -Wno-missing-field-initializers  # members have defaults: leaving one out is how they are used
  -Wno-maybe-uninitialized  # g++ 12 sees ghosts in std::variant at -O2; the sanitizers look for the real ones
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>  # g++ 12 again (bug 105651): "x" + std::string overlaps nothing
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
target_compile_definitions(plimsoll_flags INTERFACE
  PLIMSOLL_VERSION="${PROJECT_VERSION}" $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(PLIMSOLL_SANITIZE)
  target_compile_options(plimsoll_flags INTERFACE
    -fsanitize=${PLIMSOLL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(plimsoll_flags INTERFACE -fsanitize=${PLIMSOLL_SANITIZE})
endif()

# plimsoll_library(NAME SOURCES a.cpp … [PUBLIC libs…] [PRIVATE libs…])
function(plimsoll_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC plimsoll_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# plimsoll_executable(NAME OUTPUT file-name SOURCES … LIBS …)
function(plimsoll_executable name)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE plimsoll_flags ${ARG_LIBS})
  if(ARG_OUTPUT)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${ARG_OUTPUT})
  endif()
endfunction()

# plimsoll_test(NAME SOURCES … LIBS …): one Catch2 binary; every TEST_CASE becomes a test of its own.
function(plimsoll_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE plimsoll_flags ${ARG_LIBS} Catch2::Catch2WithMain)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 300
                       SKIP_REGULAR_EXPRESSION "SKIPPED:")
endfunction()

# Tells the named test files a path of this checkout. Only them: a path in every command line would make a
# compiler cache useless to another checkout.
function(plimsoll_tell_path name path)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS "${name}=\"${path}\"")
endfunction()
