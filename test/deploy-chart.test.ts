/**
 * The Helm chart and the manifests beside it, against Kubernetes' own schemas. What the chart renders to is stored in
 * test/fixtures/chart, so that it is checked where there is no helm; each file there names the chart that it was rendered
 * from. After a change to the chart, with helm installed: npx vitest run --project unit test/deploy-chart.test.ts -u
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import * as keda from "@kubernetes-models/keda";
import * as prometheus from "@kubernetes-models/prometheus-operator";
import { Ajv } from "ajv";
import * as kubernetes from "kubernetes-models";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import { loadConfig } from "../src/config.js";
import { packageVersion } from "../src/adapters/program-files.js";
import { noHelm } from "./support/processes/deployment-tools.js";

const chart = "deploy/helm/sotto";
const stored = "test/fixtures/chart";
const cases = readdirSync(stored)
  .filter((name) => name.endsWith(".values.yaml"))
  .map((name) => name.replace(".values.yaml", ""));
const read = (path: string): string => readFileSync(path, "utf8");

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Manifest = z.infer<typeof manifest>;

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [manifest.parse(value)];
  });

const render = (...options: string[]): string =>
  execFileSync("helm", ["template", "sotto", chart, "--namespace", "chat", ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** In an order and a style of our own: helm's differ between its versions. */
function canonical(text: string): string {
  const key = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
  const sorted = manifestsIn(text).sort((one, other) => key(one).localeCompare(key(other)));
  return sorted.map((one) => stringify(one, { lineWidth: 0 })).join("---\n");
}

/** Of everything that decides what is rendered. */
function digest(name: string): string {
  const files = readdirSync(chart, { recursive: true, encoding: "utf8" })
    .map((path) => join(chart, path))
    .filter((path) => statSync(path).isFile())
    .sort();
  const hash = createHash("sha256");
  for (const path of [...files, join(stored, `${name}.values.yaml`)]) hash.update(`${path}\0${read(path)}\0`);
  return `# Rendered by helm from chart ${hash.digest("hex")}\n`;
}

const groups: Record<string, object> = {
  v1: kubernetes.v1,
  "apps/v1": kubernetes.apps.v1,
  "autoscaling/v2": kubernetes.autoscaling.v2,
  "keda.sh/v1alpha1": keda.kedaSh.v1alpha1,
  "monitoring.coreos.com/v1": prometheus.monitoringCoreosCom.v1,
  "networking.k8s.io/v1": kubernetes.networkingK8sIo.v1,
  "policy/v1": kubernetes.policy.v1,
};
const modelClass = z.custom<new (value: Manifest) => { validate(): void }>(
  (value) => typeof value === "function",
);

function validate(value: Manifest): void {
  const Model = modelClass.parse(Reflect.get(groups[value.apiVersion] ?? {}, value.kind));
  new Model(value).validate();
}

/** Fields that Kubernetes does not know. Its schemas let them pass; the compiler, with the same packages' types, does not. */
function unknownFields(manifests: readonly Manifest[]): string[] {
  const file = resolve("manifests.ts");
  const packageOf = (apiVersion: string): string =>
    apiVersion.startsWith("keda.sh/")
      ? "@kubernetes-models/keda"
      : apiVersion.startsWith("monitoring.coreos.com/")
        ? "@kubernetes-models/prometheus-operator"
        : "kubernetes-models";
  const text = manifests
    .map(
      (one, index) =>
        `import type { I${one.kind} as T${index} } from "${packageOf(one.apiVersion)}/${one.apiVersion}/${one.kind}";
export const m${index}: T${index} = ${JSON.stringify(one)};`,
    )
    .join("\n");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, text, version) : onDisk(name, version);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("helm", () => {
  it.skipIf(noHelm).each(cases)("renders to %s", async (name) => {
    const text = render("--values", join(stored, `${name}.values.yaml`), "--kube-version", "1.30.0");
    await expect(digest(name) + canonical(text)).toMatchFileSnapshot(`fixtures/chart/${name}.yaml`);
  });
});

describe("manifests", () => {
  const plain = readdirSync("deploy/kubernetes")
    .filter((name) => name !== "kustomization.yaml")
    .map((name) => join("deploy/kubernetes", name));
  const service = manifest.parse(parse(read("deploy/kubernetes/service.yaml")));

  it.each([...plain, ...cases.map((name) => join(stored, `${name}.yaml`))])(
    "%s fits Kubernetes' schemas",
    (path) => {
      const found = manifestsIn(read(path));
      expect(found.length).toBeGreaterThan(0);
      for (const one of found) expect(() => validate(one), `${one.kind} ${one.metadata.name}`).not.toThrow();
    },
  );

  it("have no misspelled fields", () => {
    const all = [...plain, ...cases.map((name) => join(stored, `${name}.yaml`))].flatMap((path) =>
      manifestsIn(read(path)),
    );
    // With one that is misspelled, since this would also be quiet if it looked at nothing.
    const misspelled = { ...service, spec: { ports: [{ port: 80, targtPort: "http" }] } };
    expect(unknownFields([...all, misspelled])).toEqual([expect.stringContaining("targtPort")]);
  });

  it("would be refused with a wrong type", () => {
    expect(() => validate({ ...service, spec: { ports: "http" } })).toThrow();
  });
});

describe("the chart", () => {
  it("has the program's version", () => {
    const { version, appVersion } = z
      .looseObject({ version: z.string(), appVersion: z.string() })
      .parse(parse(read(join(chart, "Chart.yaml"))));
    expect([version, appVersion]).toEqual([packageVersion(), packageVersion()]);
  });

  it("accepts its own values, and no others", () => {
    const accepts = new Ajv({ allowUnionTypes: true }).compile(
      z.looseObject({}).parse(JSON.parse(read(join(chart, "values.schema.json")))),
    );
    const values = z.looseObject({}).parse(parse(read(join(chart, "values.yaml"))));
    expect(accepts(values), JSON.stringify(accepts.errors)).toBe(true);
    for (const wrong of [
      { replica: 3 },
      { storage: "mysql" },
      { replicas: 0 },
      { settings: { sotto_port: "1" } },
      { networkPolicy: { enabled: true, from: [] } },
    ])
      expect(accepts({ ...values, ...wrong }), JSON.stringify(wrong)).toBe(false);
  });

  it.each(cases)("is what %s was rendered from", (name) => {
    expect(existsSync(join(stored, `${name}.yaml`)), "run it once with helm").toBe(true);
    expect(
      read(join(stored, `${name}.yaml`)).startsWith(digest(name)),
      "the chart has changed: run it with helm",
    ).toBe(true);
  });

  it.each(cases)("holds the pods of %s to a read-only root and no privileges", (name) => {
    const { spec } = podOf(name);
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it.each(cases)("gives %s settings that the program accepts, and time to end", (name) => {
    const { data } = z
      .object({ data: z.record(z.string(), z.string()) })
      .parse(manifestsIn(read(join(stored, `${name}.yaml`))).find(({ kind }) => kind === "ConfigMap"));
    const { limits, service } = loadConfig({ env: data });
    const { spec } = podOf(name);
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(limits.drainMs + 13_000);
    expect(spec.containers[0].ports[0].containerPort).toBe(service.port);
  });

  it("asks for the names of settings that exist", () => {
    const { env } = podOf("default").spec.containers[0];
    loadConfig({
      env: {
        SOTTO_DATABASE_URL: "postgres://a@b/c",
        SOTTO_REDIS_URL: "redis://d",
        SOTTO_METRICS_TOKEN: "m".repeat(16),
      },
    });
    expect(env?.map(({ name }) => name)).toEqual(["SOTTO_DATABASE_URL", "SOTTO_REDIS_URL"]);
  });

  it.skipIf(noHelm)("is linted", () => {
    const { status, stdout } = spawnSync("helm", ["lint", "--strict", chart], { encoding: "utf8" });
    expect(status, stdout).toBe(0);
  });

  it.skipIf(noHelm).each([
    ["two replicas on SQLite", ["--set", "storage=sqlite"], "one replica"],
    ["two autoscalers", ["--set", "autoscaling.enabled=true,autoscaling.keda.enabled=true"], "fight"],
    ["less time to end than replies may take", ["--set", "terminationGracePeriodSeconds=100"], "longer"],
    ["Postgres without its secret", ["--set", "postgres.existingSecret="], "postgres.existingSecret"],
    ["a value that is misspelled", ["--set", "replica=3"], "replica"],
  ])("refuses %s", (_, options, reason) => {
    expect(() => render("--kube-version", "1.30.0", ...options)).toThrow(reason);
  });
});

const podTemplate = z.looseObject({
  spec: z.looseObject({
    terminationGracePeriodSeconds: z.number(),
    containers: z.tuple([
      z.looseObject({
        ports: z.tuple([z.object({ name: z.literal("http"), containerPort: z.number() })]),
        env: z.array(z.looseObject({ name: z.string() })).optional(),
      }),
    ]),
  }),
});

function podOf(name: string): z.infer<typeof podTemplate> {
  const deployment = manifestsIn(read(join(stored, `${name}.yaml`))).find(
    ({ kind }) => kind === "Deployment",
  );
  return z.looseObject({ spec: z.looseObject({ template: podTemplate }) }).parse(deployment).spec.template;
}
