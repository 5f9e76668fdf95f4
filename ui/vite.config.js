// Built into dist/, from where `cargo build` takes the files into the binary. Names carry no hashes: the server says "no-cache".
import { defineConfig } from "vite";

export default defineConfig({
  base: "/page/",
  build: {
    outDir: "dist",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
