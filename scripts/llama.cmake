# Read by llama.cpp's CMake after its first project() (.cargo/config.toml): its kernels for AMX
# crash where weights stay as they are in the file (GGML_CPU_REPACK=OFF), and a compiler that builds
# for this machine turns them on by itself.
add_compile_options(-U__AMX_INT8__)

# Without llama.cpp's helpers for chats and tools, which take as long to build as the rest. Only the
# example `grammars` of quipu-model has use for them: GGML_LLAMA_COMMON=ON builds them.
if(NOT GGML_LLAMA_COMMON)
    set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
endif()

# A quick build: its own code, which waits for the kernels of ggml, is optimised less.
if(GGML_LLAMA_QUICK AND PROJECT_NAME STREQUAL "llama.cpp")
    cmake_language(DEFER CALL target_compile_options llama PRIVATE -O1)
endif()
