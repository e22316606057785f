/** Notes in dist/ which packages are part of the built files, for the list of what is shipped and its licences. */
import { readFileSync, writeFileSync } from "node:fs";

/** `paths`: of the files that went into the build. Each is of the package whose folder is the innermost. */
export function noteBundled(file, paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  const names = [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return `${name}@${version}`;
  });
  writeFileSync(
    file,
    [...new Set(names)]
      .sort()
      .map((name) => `${name}\n`)
      .join(""),
  );
}
