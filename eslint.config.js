import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "pack/", "data/", "coverage/", "node_modules/"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ["**/*.ts", "**/*.tsx"] })),
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Template literals are the readable way to put a number in a message.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // An interface's implementation may be synchronous today and still be a promise by contract.
      "@typescript-eslint/require-await": "off",
      "no-console": "error",
    },
  },
  {
    // What people read on a terminal is printed on purpose.
    files: ["src/cli/**", "bench/**", "scripts/**", "bin/**", "test/**"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        setInterval: "readonly",
        clearInterval: "readonly",
      },
    },
    rules: { "no-console": "off" },
  },
  {
    // What people's programs still call.
    files: ["test/clients/**"],
    rules: { "@typescript-eslint/no-deprecated": "off" },
  },
  {
    // Every command's file is read before any command runs: what is large is imported by the action that needs it.
    files: ["src/cli/**"],
    ignores: ["src/cli/doctor/**"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          paths: [
            { name: "../../app.js", allowTypeImports: true },
            "../../store/open-store.js",
            "../../store/sql/sqlite.js",
          ],
        },
      ],
    },
  },
);
