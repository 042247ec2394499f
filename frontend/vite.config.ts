import { defineConfig } from "vitest/config";

// The page is served by `recollect web` under a strict content policy: no inline script, no inline style element.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../src/recollect/web/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    chunkSizeWarningLimit: 700,
  },
  test: {
    css: true,
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
