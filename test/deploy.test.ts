/**
 * Holds the files of deploy/ against the program they run: a name that is misspelled there fails on someone's
 * server, at night. Kubernetes' schemas and the chart: test/deploy-chart.test.ts. The other formats are checked by their
 * own validators, by hand: deploy/README.md.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { eachField, loadConfig } from "../src/config.js";
import { Metrics } from "../src/metrics.js";
import { errorTable } from "../src/core/errors.js";
import { packageVersion } from "../src/adapters/program-files.js";
import { systemUnit } from "../src/cli/service/systemd.js";

const files = readdirSync("deploy", { recursive: true, encoding: "utf8" })
  .map((name) => join("deploy", name))
  .filter((name) => /\.[a-z]+$|file$/.test(name));
const isTemplate = (name: string): boolean => name.includes("/templates/");
const read = (name: string): string => readFileSync(name, "utf8");
const manifest = (name: string): unknown => parse(read(`deploy/kubernetes/${name}.yaml`));
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
const within = (folders: readonly string[]) => (path: string) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
/** From the working copy. */
const copiedIntoBuild = matches(read("deploy/Dockerfile"), /^COPY (?!--from)(.+) \S+$/gm).flatMap((text) =>
  text.split(" "),
);
const seconds = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]);

const settings = z.record(z.string(), z.string()).default({});
const compose = z
  .object({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string(),
        environment: settings,
        stop_grace_period: z.string().optional(),
      }),
    ),
  })
  .parse(parse(read("deploy/compose.yaml"), { merge: true }));
const ours = Object.entries(compose.services).filter(([, { image }]) => image.startsWith("sotto:"));

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal("http") }) });
const container = z.looseObject({
  image: z.string(),
  ports: z.tuple([z.object({ name: z.literal("http"), containerPort: z.number() })]),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }),
});
const pod = z
  .object({
    spec: z.object({
      replicas: z.number(),
      template: z.object({
        spec: z.looseObject({
          enableServiceLinks: z.boolean(),
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([container]),
        }),
      }),
    }),
  })
  .parse(manifest("deployment")).spec;
const podSpec = pod.template.spec;
const [sotto] = podSpec.containers;
const configMap = z.object({ data: settings }).parse(manifest("configmap")).data;

/** As compose does: what is required is given, the rest has its default. */
const filledIn = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:\?[^}]*\}/g, "secret").replace(/\$\{\w+:-([^}]*)\}/g, "$1"),
    ]),
  );

const folder = mkdtempSync(join(tmpdir(), "sotto-deploy-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("deploy", () => {
  it("has only YAML and JSON that can be read", () => {
    const structured = files.filter((name) => /\.(ya?ml|json)$/.test(name) && !isTemplate(name));
    expect(structured.length).toBeGreaterThan(12);
    for (const name of structured) {
      for (const document of parseAllDocuments(read(name), { merge: true })) {
        expect(document.errors, name).toEqual([]);
      }
    }
  });

  it("uses only settings that exist, its guide included", () => {
    const known = new Set<string>(eachField().flatMap(({ spec }) => spec.env));
    for (const name of [...files, "docs/operating.md"]) {
      const unknown = matches(read(name), /\b(?:SOTTO|OTEL)_[A-Z0-9_]+/g).filter((used) => !known.has(used));
      expect(unknown, name).toEqual([]);
    }
  });

  it("gives values that the program accepts", () => {
    for (const [, { environment }] of ours) loadConfig({ env: filledIn(environment) });
    const secrets = parseAllDocuments(read("deploy/kubernetes/secret.example.yaml")).map((document) =>
      z.object({ stringData: settings }).parse(document.toJS()),
    );
    const [env, engines] = secrets.map(({ stringData }) => stringData);
    const file = join(folder, "sotto.yaml");
    writeFileSync(file, engines?.["sotto.yaml"] ?? "");
    const config = loadConfig({ env: { ...configMap, ...env }, file });
    expect(config.storage.replicas).toBe(pod.replicas);
    expect(config.models.prism.upstreams).toHaveLength(2);
  });

  it("makes a key for the engine that the replicas' configuration has, once", () => {
    const file = join(folder, "sotto.json");
    const env = { SOTTO_DATA_DIR: folder, PROGRAM: "dist/main.js" };
    const run = () => execFileSync(process.execPath, ["deploy/engine-key.mjs", file], { env });
    run();
    const first = read(file);
    const key: unknown = expect.stringMatching(/^sk-sotto-/);
    for (const { upstreams } of Object.values(loadConfig({ env: {}, file }).models)) {
      expect(upstreams).toMatchObject([{ key }]);
    }
    run();
    expect(read(file)).toBe(first);
  });

  it("shows and alerts on metrics and error codes that exist", async () => {
    const none = {
      sequencesActive: () => 0,
      sequencesCapacity: () => 0,
      engineRestarts: () => 0,
      engineMemoryBytes: () => 0,
    };
    const { body } = await new Metrics({
      ...none,
      queueWaiting: () => 0,
      isStoreUp: () => true,
      isRedisUp: () => true,
    }).text();
    const known = new Set(matches(body, /^# HELP (\S+)/gm));
    const queries = [
      "deploy/grafana/sotto.json",
      "deploy/prometheus/alerts.yaml",
      "deploy/helm/sotto/templates/autoscaling.yaml",
    ]
      .map(read)
      .join("\n");
    const used = matches(queries, /\b((?:sotto|nodejs|process)_[a-z0-9_]+)(?=[[{,)]|\\?"|$)/gm);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !known.has(name.replace(/_bucket$/, "")))).toEqual([]);
    for (const name of [...known].filter((metric) => metric.startsWith("sotto_"))) {
      expect(queries, "a metric that nobody sees").toContain(name);
    }
    const codes = matches(queries, /code!?=~?\\?"([a-z_|]+)/g).flatMap((text) => text.split("|"));
    expect(codes.filter((code) => code !== "none" && !(code in errorTable))).toEqual([]);
  });

  it("explains each alert in the guide", () => {
    const alerts = matches(read("deploy/prometheus/alerts.yaml"), /alert: (\w+)/g);
    const explained = matches(read("docs/operating.md"), /^\| `(Sotto\w+)`/gm);
    expect(explained).toEqual(alerts);
  });

  it("asks on the port and the paths where the program answers", () => {
    const { port } = loadConfig({ env: {} }).service;
    expect(matches(read("deploy/Dockerfile"), /^EXPOSE (\d+)/gm)).toEqual([String(port)]);
    expect(matches(read("deploy/Caddyfile"), /sotto-\d:(\d+)/g)).toEqual([String(port), String(port)]);
    expect(matches(read("deploy/Caddyfile"), /sotto-\d/g).every((name) => name in compose.services)).toBe(
      true,
    );
    expect(matches(read("deploy/engine-key.mjs"), /http:\/\/engine:(\d+)\/v1/g)).toEqual([String(port)]);
    expect(sotto.ports[0].containerPort).toBe(port);
    const routes = new Set(matches(read("src/http/routes.ts"), /url: "([^"]+)"/g));
    const { startupProbe, readinessProbe, livenessProbe } = sotto;
    const probes = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
    const asked = [...probes, ...matches(read("deploy/Caddyfile"), /(?:health_uri|respond) (\/\w+)/g)];
    expect(asked).toEqual(["/healthz", "/readyz", "/healthz", "/metrics", "/readyz"]);
    expect(asked.filter((path) => !routes.has(path))).toEqual([]);
  });

  it("waits longer for a replica to end than its replies may take", () => {
    expect(ours.map(([name]) => name)).toEqual(["sotto-1", "sotto-2", "engine-key", "engine"]);
    for (const [name, { environment, stop_grace_period = "10s" }] of ours) {
      const { drainMs } = loadConfig({ env: filledIn(environment) }).limits;
      expect(seconds(stop_grace_period) * 1000, name).toBeGreaterThan(drainMs + 5000);
    }
    const { drainMs } = loadConfig({ env: configMap }).limits;
    const pauseMs = sotto.lifecycle.preStop.sleep.seconds * 1000;
    expect(podSpec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(pauseMs + drainMs + 5000);
  });

  it("holds every container to a read-only root and no privileges", () => {
    const held = { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] };
    for (const service of Object.values(compose.services)) expect(service).toMatchObject(held);
    expect(podSpec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(sotto.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("has a load balancer that passes hang-ups on", () => {
    // Set to -1 for streams, as many guides say, it keeps a request alive that its client has left.
    expect(read("deploy/Caddyfile")).not.toMatch(/^\s*flush_interval/m);
  });

  it("keeps the cluster from setting SOTTO_PORT for a service of that name", () => {
    expect(podSpec.enableServiceLinks).toBe(false);
  });

  it("names images by version", () => {
    const arguments_ = matches(read("deploy/Dockerfile"), /^ARG \w+_IMAGE=(\S+)/gm);
    const images = [...Object.values(compose.services).map(({ image }) => image), sotto.image, ...arguments_];
    // Distroless has no tags for versions of Node below the major one.
    const loose = images.filter((image) => !/:v?\d+\.\d+|@sha256:|nodejs24-debian12:nonroot$/.test(image));
    expect(loose).toEqual([]);
  });

  it("has the unit that the program installs", () => {
    const command = ["/usr/bin/node", "/opt/sotto/dist/main.js", "serve"];
    expect(read("deploy/sotto.service")).toBe(systemUnit(command, "/etc/sotto.env"));
  });

  it("labels the image with the program's version", () => {
    const labels = matches(read("deploy/Dockerfile"), /image\.version="([^"]+)"/g);
    expect(labels).toEqual([packageVersion()]);
  });

  it("has what the sources import from outside in the build", () => {
    const sources = ["src", "web"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
        .map((name) => join(folder, name)),
    );
    const outside = sources.flatMap((name) =>
      matches(read(name), /from "(\.[^"]+)"/g)
        .map((target) => join(dirname(name), target))
        .filter((path) => !/^(src|web)\//.test(path)),
    );
    expect(outside).toContain("bin/start-progress.js");
    expect(outside.filter((path) => !within(copiedIntoBuild)(path))).toEqual([]);
  });

  it("copies into the image only what exists, and lets it through", () => {
    expect(copiedIntoBuild).toContain("src");
    expect(copiedIntoBuild.filter((name) => !existsSync(name))).toEqual([]);
    const allowed = new Set(matches(read(".dockerignore"), /^!(.+)$/gm));
    expect(copiedIntoBuild.filter((name) => !allowed.has(name))).toEqual([]);
  });

  it("has the program's own files in the package and in the image", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
      /(?<!\.test)\.ts$/.test(name),
    );
    const readAtRunTime = sources.flatMap((name) =>
      matches(read(join("src", name)), /\bpackageFile\("([^"]+)"\)/g).filter(
        (path) => !path.startsWith("src/"),
      ),
    );
    expect(readAtRunTime).toContain("docs/openapi.yaml");
    const [, contents = ""] = /^const contents = \[(.*?)\]/ms.exec(read("scripts/pack.js")) ?? [];
    const packed = matches(contents, /"([^"]+)"/g);
    expect(readAtRunTime.filter((path) => !within(["package.json", ...packed])(path))).toEqual([]);
    expect(packed.filter((path) => !within(["dist", ...copiedIntoBuild])(path))).toEqual([]);
    expect(read("deploy/Dockerfile")).toContain("\nCOPY --from=build /app/pack/package ./\n");
  });

  it("links only to files that exist", () => {
    for (const name of ["deploy/README.md", "docs/operating.md"]) {
      const targets = matches(read(name), /\]\(([^)#:]+)(?:#[^)]*)?\)/g);
      expect(targets.filter((target) => !existsSync(join(dirname(name), target)))).toEqual([]);
    }
  });
});
