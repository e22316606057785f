import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds the dashboard into dist/web, which the service serves as it is. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy allows fonts and styles from this origin only, never from data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
