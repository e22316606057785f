/**
 * Validates the Kubernetes manifests against Kubernetes' own schemas. Run by hand, since the schemas are large:
 *
 *   npm install --no-save --prefix /tmp/schemas kubernetes-models @kubernetes-models/prometheus-operator yaml
 *   node deploy/check-manifests.mjs /tmp/schemas deploy/kubernetes/*.yaml
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { argv, exit, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [, , schemas = ".", ...files] = argv;
// By path: these packages are ESM-only and installed elsewhere, so Node does not find them by name.
const load = (name, file = "index.js") => import(pathToFileURL(resolve(schemas, "node_modules", name, file)));
const core = await load("kubernetes-models");
const operator = await load("@kubernetes-models/prometheus-operator");
const { parseAllDocuments } = await load("yaml", "dist/index.js");

const groups = {
  v1: core.v1,
  "apps/v1": core.apps.v1,
  "policy/v1": core.policy.v1,
  "networking.k8s.io/v1": core.networkingK8sIo.v1,
  "monitoring.coreos.com/v1": operator.monitoringCoreosCom.v1,
};
let failures = 0;
for (const file of files) {
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
    const manifest = document.toJS();
    if (manifest.kind === "Kustomization") continue;
    stdout.write(`${file}: ${manifest.apiVersion} ${manifest.kind} ${verdict(manifest)}\n`);
  }
}
exit(failures === 0 ? 0 : 1);

function verdict(manifest) {
  try {
    const Model = groups[manifest.apiVersion][manifest.kind];
    new Model(manifest).validate();
    return "is valid";
  } catch (error) {
    failures += 1;
    return `IS NOT VALID: ${error.message}`;
  }
}
