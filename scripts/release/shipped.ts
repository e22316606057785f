/** Every package that someone who installs Sotto gets: part of its files, or installed beside them. */
import { readFileSync } from "node:fs";
import { z } from "zod";

export interface Shipped {
  name: string;
  version: string;
  how: "bundled" | "installed";
  /** Of its folder, from the root of the checkout; it may be for another platform and not be there. */
  path: string;
}

const dependencies = z.record(z.string(), z.string()).default({});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      dependencies,
      optionalDependencies: dependencies,
    }),
  ),
});
export type Lock = z.infer<typeof lockSchema>["packages"];

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

export const readLock = (file: string): Lock => lockSchema.parse(readJson(file)).packages;

export const nameOf = (path: string, entry: Lock[string] | undefined): string =>
  entry?.name ?? path.replace(/^.*node_modules\//, "");

/** `manifest` is the package.json that is published, beside its lockfile if it has one. */
export function shippedPackages(manifest: string, lock: Lock): Shipped[] {
  const bundled = ["dist/bundled-program.txt", "dist/bundled-pages.txt"].flatMap((file) =>
    readFileSync(file, "utf8").trim().split("\n"),
  );
  const installed = reachable(manifest, lock);
  const known = Object.entries(lock).map(([path, entry]) => ({
    path,
    id: `${nameOf(path, entry)}@${entry.version}`,
  }));
  const found = [...new Set(bundled)].map((id): Shipped => {
    const at = known.find((one) => one.id === id);
    if (at === undefined) throw new Error(`${id} is bundled and not in the lockfile.`);
    return { ...split(id), how: "bundled", path: at.path };
  });
  const ids = new Set(found.map(idOf));
  return [...found, ...installed.filter((one) => !ids.has(idOf(one)))].sort((a, b) =>
    idOf(a) < idOf(b) ? -1 : 1,
  );
}

export const idOf = ({ name, version }: Pick<Shipped, "name" | "version">): string => `${name}@${version}`;

const split = (id: string) => ({
  name: id.slice(0, id.lastIndexOf("@")),
  version: id.slice(id.lastIndexOf("@") + 1),
});

/** What npm installs beside the package, on any platform. */
function reachable(manifest: string, lock: Lock): Shipped[] {
  const wanted = z.object({ dependencies, optionalDependencies: dependencies }).parse(readJson(manifest));
  const found = new Map<string, Shipped>();
  const reach = (from: string, names: readonly string[]): void => {
    for (const name of names) {
      const path = placeOf(name, from, lock);
      const entry = path === undefined ? undefined : lock[path];
      if (path === undefined || entry === undefined || found.has(path)) continue;
      found.set(path, { name: nameOf(path, entry), version: entry.version ?? "", how: "installed", path });
      reach(path, Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }));
    }
  };
  reach("", Object.keys({ ...wanted.dependencies, ...wanted.optionalDependencies }));
  return [...found.values()];
}

/** As Node looks for it: beside the package that wants it, then further out. */
function placeOf(name: string, from: string, lock: Lock): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (path in lock) return path;
  if (from === "") return undefined;
  return placeOf(name, from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ""), lock);
}
