# Read by llama.cpp's CMake after its first project() (.cargo/config.toml): its kernels for AMX
# crash where weights stay as they are in the file (GGML_CPU_REPACK=OFF), and a compiler that builds
# for this machine turns them on by itself.
add_compile_options(-U__AMX_INT8__)
