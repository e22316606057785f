/** Which files of a repository on Hugging Face make up a model, from the list that its API gives. */
import { basename } from "node:path";
import * as z from "zod";
import { parseStored } from "../../adapters/json-file.js";
import { splitFiles } from "../gguf/gguf.js";
import type { Reference } from "./reference.js";
import { statusError, type Answer, type DownloadClient } from "./download-request.js";
import { WeightsError } from "../weights-error.js";

export interface RemoteFile {
  url: URL;
  name: string;
  bytes: number | null;
  sha256: string | null;
}

type HuggingFaceReference = Extract<Reference, { type: "hugging-face" }>;

const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number().optional(),
    lfs: z.object({ oid: z.string(), size: z.number() }).optional(),
  }),
);
type TreeFile = z.infer<typeof treeSchema>[number];

const maxPageChars = 8 * 1024 * 1024;
const maxPages = 20;

/** In the order of their parts. Rejects with `WeightsError`. */
export async function findRemoteFiles(
  client: DownloadClient,
  reference: HuggingFaceReference,
  signal: AbortSignal,
): Promise<RemoteFile[]> {
  const { repository } = reference;
  const files = (await readTree(client, repository, signal)).filter(
    ({ type, path }) => type === "file" && path.endsWith(".gguf"),
  );
  const first = chooseFile(
    files.map(({ path }) => path),
    reference,
  );
  return splitFiles(first).map((path) => {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined) throw new WeightsError(`${repository} lacks ${path}, a part of the model.`);
    return remoteFile(client.settings.endpoint, repository, file);
  });
}

/** A part of a split model stands for all of them. */
function chooseFile(
  paths: readonly string[],
  { repository, quantisation, file }: HuggingFaceReference,
): string {
  const firsts = paths.filter((path) => !/-\d{5}-of-\d{5}\.gguf$/.test(path) || /-00001-of-/.test(path));
  if (file !== null) {
    const wanted = file.replace(/-\d{5}-of-(\d{5}\.gguf)$/, "-00001-of-$1");
    if (paths.includes(wanted)) return wanted;
    throw new WeightsError(`${repository} has no ${file}. It has: ${listed(firsts)}.`);
  }
  const models = firsts.filter((path) => !/mmproj|imatrix/i.test(path));
  for (const wanted of quantisation === null ? ["Q4_K_M", "Q4_0", "Q5_K_M", "Q8_0"] : [quantisation]) {
    const [found, ...more] = models.filter((path) => hasQuantisation(path, wanted));
    // The shortest name is the plain one, where others have a suffix.
    if (found !== undefined) return [found, ...more].sort((a, b) => a.length - b.length)[0] ?? found;
  }
  const [only, ...others] = models;
  if (quantisation === null && only !== undefined && others.length === 0) return only;
  throw new WeightsError(
    models.length === 0
      ? `${repository} has no GGUF files. Look for a repository whose name ends in -GGUF.`
      : `${repository} has ${quantisation === null ? "several models" : `no ${quantisation}`}. Choose one of: ${listed(models)}.`,
  );
}

/** Not within a longer one: Q4_K is not Q4_K_M. */
const hasQuantisation = (path: string, wanted: string): boolean =>
  new RegExp(`(^|[-._/])${wanted.replaceAll(/[.-]/g, "\\$&")}(?=[-./]|$)`, "i").test(path);

const listed = (paths: readonly string[]): string =>
  paths.length <= 30 ? paths.join(", ") : `${paths.slice(0, 30).join(", ")} and ${paths.length - 30} more`;

/** The list comes in pages, each with the address of the next. */
async function readTree(
  client: DownloadClient,
  repository: string,
  signal: AbortSignal,
): Promise<TreeFile[]> {
  const first = new URL(`/api/models/${repository}/tree/main?recursive=true`, client.settings.endpoint);
  const files: TreeFile[] = [];
  let next: URL | null = first;
  for (let pages = 0; next !== null && pages < maxPages; pages++) {
    const answer = await client.get(next, { accept: "application/json" }, signal);
    if (answer.status !== 200) {
      await answer.body.dump();
      throw statusError(answer.status, `${repository} on ${first.host}`);
    }
    files.push(...(await readPage(answer, first.host)));
    next = nextPage(answer, first);
  }
  return files;
}

async function readPage({ body }: Answer, host: string): Promise<TreeFile[]> {
  let text = "";
  for await (const chunk of body.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > maxPageChars) throw new WeightsError(`${host} sent a list of files that is too long.`);
  }
  const files = parseStored(treeSchema, text);
  if (files !== null) return files;
  throw new WeightsError(`${host} did not respond like Hugging Face. Check SOTTO_HF_ENDPOINT.`);
}

function nextPage(answer: Answer, first: URL): URL | null {
  const [, address = ""] = /<([^>]+)>;\s*rel="next"/.exec(answer.header("link") ?? "") ?? [];
  if (!URL.canParse(address, first.href)) return null;
  const url = new URL(address, first);
  return address !== "" && url.origin === first.origin ? url : null;
}

function remoteFile(endpoint: string, repository: string, { path, size, lfs }: TreeFile): RemoteFile {
  const name = basename(path);
  if (!isWeightsName(name)) {
    throw new WeightsError(
      `${repository} calls a file by a name that is not used here: ${JSON.stringify(name)}.`,
    );
  }
  return {
    url: new URL(
      `/${repository}/resolve/main/${path.split("/").map(encodeURIComponent).join("/")}`,
      endpoint,
    ),
    name,
    bytes: lfs?.size ?? size ?? null,
    sha256: lfs?.oid ?? null,
  };
}

/** What a server calls a file becomes a name in the models folder: no way out of it, nothing hidden. */
export const isWeightsName = (name: string): boolean => /^[^\p{C}/\\.-][^\p{C}/\\]{0,199}\.gguf$/u.test(name);
