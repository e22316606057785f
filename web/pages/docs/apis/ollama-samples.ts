/** The code on the page about Ollama's API. Its libraries append `/api` to the address themselves. */

export const ollamaCurl = (origin: string): string => `curl ${origin}/api/chat \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "messages": [{"role": "user", "content": "Why is the sky blue?"}],
    "stream": false
  }'`;

export const ollamaPython = (origin: string): string => `import os
from ollama import Client

client = Client(
    host="${origin}",
    headers={"Authorization": "Bearer " + os.environ["SOTTO_API_KEY"]},
)

reply = client.chat(
    model="omega",
    messages=[{"role": "user", "content": "Why is the sky blue?"}],
)
print(reply.message.content)`;

export const ollamaNode = (origin: string): string => `import { Ollama } from "ollama";

const client = new Ollama({
  host: "${origin}",
  headers: { Authorization: \`Bearer \${process.env.SOTTO_API_KEY}\` },
});

const reply = await client.chat({
  model: "omega",
  messages: [{ role: "user", content: "Why is the sky blue?" }],
});
console.log(reply.message.content);`;

export const ollamaLines = `{"model":"omega","created_at":"…","message":{"role":"assistant","content":"Because"},"done":false}
{"model":"omega","created_at":"…","message":{"role":"assistant","content":" of the air."},"done":false}
{"model":"omega","created_at":"…","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",
 "total_duration":1250000000,"load_duration":50000000,"prompt_eval_count":26,"prompt_eval_duration":200000000,
 "eval_count":8,"eval_duration":1000000000}`;
