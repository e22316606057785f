/** Scripts that use sources of the program in a process of their own, to be killed or raced. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** What Node is started with. */
export const scriptArguments = (script: string): string[] => [
  "--import",
  "tsx",
  "--input-type=module",
  "--eval",
  script,
];

/** How a script names a source of the program in an import, by its path from src/. */
export const sourceModule = (path: string): string =>
  JSON.stringify(pathToFileURL(resolve("src", path)).href);
