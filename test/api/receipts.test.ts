/** Receipts: what a client gets when it asks for one, checked as a stranger to this code would. */
import { createHash, createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { SealedSettings, settingsInMemory } from "../../src/core/proof/sealed-settings.js";
import { openSigner } from "../../src/core/proof/signer.js";
import { ask, question, type Sent } from "../support/clients/chat.js";
import { postEncrypted } from "../support/clients/encrypting-client.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const nonce = "0123456789abcdef-nonce";
const facts = { weights: "aa".repeat(32), statement: "bb".repeat(32) };
const settings = settingsInMemory();

let server: TestServer;
let publicKey: Buffer;
let keyId: string;
beforeAll(async () => {
  server = await startServer({ proof: { settings, facts: () => facts }, clock: new FakeClock() });
  ({ publicKey, keyId } = await openSigner(new SealedSettings(settings, Buffer.alloc(32, 7))));
});
afterAll(() => server.close());

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

interface Receipt {
  header: { alg: string; kid: string };
  claims: Record<string, unknown>;
}

/** Throws where the signature is wrong. */
function opened(jws: string): Receipt {
  const [header = "", claims = "", signature = ""] = jws.split(".");
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: publicKey.toString("base64url") },
    format: "jwk",
  });
  const isSigned = verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url"));
  if (!isSigned) throw new Error("The signature is wrong.");
  const parse = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  return { header: parse(header), claims: parse(claims) } as Receipt;
}

/** The reply's bytes before its receipt, and the receipt. */
function split(stream: string): { before: string; jws: string; after: string } {
  const [, before = "", jws = "", after = ""] =
    /^([^]*\n)?: sotto-receipt (\S+)\n\n([^]*)$/.exec(stream) ?? [];
  return { before, jws, after };
}

/** With the event that comes after the receipt. The stream of a response ends without one. */
const apis: [path: string, body: Record<string, unknown>, last: string][] = [
  ["/v1/chat/completions", question, "data: [DONE]"],
  ["/v1/responses", { model: "omega", input: "What is two plus two?" }, ""],
  ["/v1/messages", { ...question, max_tokens: 50 }, "event: message_stop"],
];

const expected = (request: string, response: string) => ({
  iat: new FakeClock().now().getTime() / 1000,
  nonce,
  model: "omega",
  ...facts,
  request_sha256: sha256(request),
  response_sha256: sha256(response),
});

describe.each(apis)("a receipt of %s", (path, body, last) => {
  const headers = { "sotto-receipt": nonce };
  const whole = JSON.stringify(body);
  const streamed = JSON.stringify({ ...body, stream: true });

  it("is in a header of a whole reply", async () => {
    const answer = await ask(server, { path, body: whole, headers });
    const { header, claims } = opened(answer.headers.get("sotto-receipt") ?? "");
    expect(header).toMatchObject({ alg: "EdDSA", kid: keyId });
    expect(claims).toEqual(expected(whole, answer.body));
  });

  it("is a comment before the end of a stream", async () => {
    const answer = await ask(server, { path, body: streamed, headers });
    const { before, jws, after } = split(answer.body);
    expect(opened(jws).claims).toEqual(expected(streamed, before));
    expect(after.startsWith(last)).toBe(true);
    expect(after === "" ? [] : after.trimEnd().split("\n\n")).toHaveLength(last === "" ? 0 : 1);
  });

  it("is of the plain bytes where bodies are encrypted", async () => {
    const to = { url: server.url, key: server.apiKey, path, headers };
    const answer = await postEncrypted(to, whole);
    expect(opened(answer.headers.get("sotto-receipt") ?? "").claims).toEqual(expected(whole, answer.text));
    const stream = await postEncrypted(to, streamed);
    const { before, jws } = split(stream.text);
    expect(opened(jws).claims).toEqual(expected(streamed, before));
    expect(stream.raw.toString("latin1")).not.toContain("sotto-receipt");
  });

  it("is not given where none is asked for, and leaves the reply as it is", async () => {
    expect((await ask(server, { path, body: whole })).headers.get("sotto-receipt")).toBeNull();
    expect((await ask(server, { path, body: streamed })).body).not.toContain("receipt");
  });
});

describe("a receipt", () => {
  it.each([
    ["shorter than 16 characters", "short"],
    ["longer than 128 characters", "n".repeat(129)],
    ["with a space", "0123456789 abcdef"],
  ])("is refused for a nonce %s", async (_, bad) => {
    const { status, json } = await ask(server, { headers: { "sotto-receipt": bad } });
    expect([status, json]).toMatchObject([400, { error: { code: "invalid_value", param: "Sotto-Receipt" } }]);
  });

  it("is not given for an error, whole or in a stream that breaks off", async () => {
    const sent: Sent = { headers: { "sotto-receipt": nonce } };
    const refused = await ask(server, { ...sent, body: { ...question, temperature: 9 } });
    expect([refused.status, refused.headers.get("sotto-receipt")]).toEqual([400, null]);
    server.engine.script = () => ({
      fragments: ["one", "two"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    const broken = await ask(server, { ...sent, body: { ...question, stream: true } });
    expect(broken.body).toContain("engine_unavailable");
    expect(broken.body).not.toContain("sotto-receipt");
  });

  it("is refused by a server that cannot sign", async () => {
    const other = await startServer();
    const { status, json } = await ask(other, { headers: { "sotto-receipt": nonce } });
    await other.close();
    expect([status, json]).toMatchObject([400, { error: { code: "unsupported_parameter" } }]);
  });
});
