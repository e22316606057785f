/** Runs code that the pages show, as it stands, against a server. */
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { TestServer } from "../processes/server.js";

/** What the code prints. */
export async function runNode(server: TestServer, code: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    env: { ...process.env, SOTTO_API_KEY: server.apiKey },
    timeout: 30_000,
  });
  return stdout;
}

/** Sends what a shell would have curl send, since not every machine has curl. */
export async function runCurl(server: TestServer, code: string): Promise<Response> {
  const words = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${code}`], {
    encoding: "utf8",
    env: { ...process.env, SOTTO_API_KEY: server.apiKey },
  }).split("\0");
  const headers: [string, string][] = [];
  let address = "";
  let body: string | undefined;
  for (let at = 0; at < words.length - 1; at++) {
    const word = words[at] ?? "";
    if (word === "-H") headers.push(headerOf(words[++at] ?? ""));
    else if (word === "-d") body = words[++at];
    else if (!word.startsWith("-")) address = word;
    else if (!["-N", "--no-buffer"].includes(word)) throw new Error(`Unknown option ${word}`);
  }
  return fetch(address, { headers, ...(body === undefined ? {} : { method: "POST", body }) });
}

function headerOf(line: string): [string, string] {
  const [name = "", ...value] = line.split(": ");
  return [name, value.join(": ")];
}
