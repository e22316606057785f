import type { Plugin, Rollup } from "vite";

/** Refuses chunks that import each other: one of them would run before what it uses is there, and no page would open. */
export function noCycles(): Plugin {
  return {
    name: "no-cycles",
    apply: "build",
    generateBundle(_options, bundle) {
      const done = new Set<string>();
      const visit = (name: string, path: readonly string[]): void => {
        if (path.includes(name)) this.error(`Chunks import each other: ${[...path, name].join(" → ")}`);
        if (done.has(name)) return;
        for (const imported of importsOf(bundle, name)) visit(imported, [...path, name]);
        done.add(name);
      };
      Object.keys(bundle).forEach((name) => visit(name, []));
    },
  };
}

function importsOf(bundle: Rollup.OutputBundle, name: string): string[] {
  const file = bundle[name];
  return file?.type === "chunk" ? file.imports : [];
}
