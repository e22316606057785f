/**
 * Installs the prebuilt GPU library of the binding's own release: one file of an npm package, put where a library that
 * was built here would be. The package itself has a second copy of the CPU's libraries and is not kept.
 */
import type { GpuBackend } from "../../backends.js";
import { bindingVersion, platformName } from "../../binding-package.js";
import { unpackFrom, type DownloadPlace } from "./download-package.js";
import { inWorkFolder, keepLibrary, ownLibrary, type OwnLibrary } from "./own-library.js";
import { prebuiltLibrary, type CudaVersion, type PrebuiltLibrary } from "./pinned-packages.js";
import { ToolError } from "./run-tool.js";

export interface InstallOptions extends DownloadPlace {
  dataDir: string;
  backend: GpuBackend;
  cuda: CudaVersion;
  now: () => Date;
  /** Called with the name of what is about to be downloaded. */
  onPackage?: ((name: string) => void) | undefined;
  /** Replaced in tests. */
  library?: PrebuiltLibrary | null;
}

export interface Installed {
  library: OwnLibrary;
  /** Nothing had to be downloaded. */
  wasHere: boolean;
}

/** Rejects with a `ToolError`, or the signal's reason; then nothing has changed. */
export async function installLibrary(options: InstallOptions): Promise<Installed> {
  const { dataDir, backend, cuda, library = prebuiltLibrary(backend, cuda) } = options;
  if (library === null)
    throw new ToolError(
      `There is no prebuilt ${backend} library for ${platformName()}. Build one: sotto engine build ${backend}`,
    );
  if (bindingVersion() === "none")
    throw new ToolError(
      "The engine's package for this machine is missing: npm installs it as an optional one.",
    );
  const before = ownLibrary(dataDir, backend);
  if (before?.from === "installed" && before.made === library.made) return { library: before, wasHere: true };

  options.onPackage?.(library.package);
  return inWorkFolder(dataDir, `install-${backend}`, async (folder) => {
    const file = await unpackFrom(library.package, library.path, folder, options);
    const at = options.now().toISOString();
    const description = { backend, from: "installed", made: library.made, at } as const;
    return { library: keepLibrary(dataDir, description, file), wasHere: false };
  });
}
