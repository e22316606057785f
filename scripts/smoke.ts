/**
 * The least that must work on every Node that is supported: the built program starts, replies, streams, takes a new
 * account and stops. The engine is the real one, on tiny random weights. Run by `npm run smoke` with each of them.
 */
import { strict as assert } from "node:assert";
import { startTinySotto } from "../test/support/processes/tiny-sotto.js";

const startedMs = performance.now();
const sotto = await startTinySotto();
try {
  const headers = {
    authorization: `Bearer ${await sotto.newKey()}`,
    "content-type": "application/json",
  };
  const ask = (fields: object) =>
    fetch(`${sotto.baseURL}/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        model: "omega",
        messages: [{ role: "user", content: "Hello" }],
        max_tokens: 8,
        ...fields,
      }),
    });

  const reply = await ask({});
  assert.equal(reply.status, 200);
  assert.match(await reply.text(), /"object":"chat\.completion"/);

  const stream = await ask({ stream: true });
  assert.equal(stream.status, 200);
  assert.match(await stream.text(), /data: \[DONE\]\n\n$/);

  const signUp = await fetch(`${sotto.url}/api/sign-up`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sotto.url },
    body: JSON.stringify({ email: "smoke@example.com", password: "correct horse battery" }),
  });
  assert.equal(signUp.status, 200, await signUp.text());
  assert.match(signUp.headers.get("set-cookie") ?? "", /sotto_session=/);
} catch (error) {
  console.error(sotto.output());
  throw error;
} finally {
  assert.equal(await sotto.stop(), 0, "it did not stop in order");
}
console.log(
  `Node ${process.versions.node}: start, reply, stream, sign-up, stop in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
);
