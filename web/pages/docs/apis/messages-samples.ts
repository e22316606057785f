/** The code on the page about the Messages API. Its libraries append `/v1` to the address themselves. */

export const messagesCurl = (origin: string): string => `curl ${origin}/v1/messages \\
  -H "x-api-key: $SOTTO_API_KEY" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "max_tokens": 256,
    "system": "Answer in one sentence.",
    "messages": [{"role": "user", "content": "Why is the sky blue?"}]
  }'`;

export const messagesPython = (origin: string): string => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${origin}",
    api_key=os.environ["SOTTO_API_KEY"],
)

message = client.messages.create(
    model="omega",
    max_tokens=256,
    system="Answer in one sentence.",
    messages=[{"role": "user", "content": "Why is the sky blue?"}],
)
print(message.content[0].text)`;

export const messagesNode = (origin: string): string => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${origin}",
  apiKey: process.env.SOTTO_API_KEY,
});

const message = await client.messages.create({
  model: "omega",
  max_tokens: 256,
  system: "Answer in one sentence.",
  messages: [{ role: "user", content: "Why is the sky blue?" }],
});
console.log(message.content[0].text);`;

export const messagesStreamCurl = (origin: string): string => `curl --no-buffer ${origin}/v1/messages \\
  -H "x-api-key: $SOTTO_API_KEY" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "max_tokens": 256,
    "messages": [{"role": "user", "content": "Count to five."}],
    "stream": true
  }'`;

export const messagesStreamPython = (origin: string): string => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${origin}",
    api_key=os.environ["SOTTO_API_KEY"],
)

with client.messages.stream(
    model="omega",
    max_tokens=256,
    messages=[{"role": "user", "content": "Count to five."}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
    print()
    print(stream.get_final_message().usage.output_tokens, "tokens")`;

export const messagesStreamNode = (origin: string): string => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${origin}",
  apiKey: process.env.SOTTO_API_KEY,
});

const stream = client.messages.stream({
  model: "omega",
  max_tokens: 256,
  messages: [{ role: "user", content: "Count to five." }],
});
stream.on("text", (text) => process.stdout.write(text));
const message = await stream.finalMessage();
console.log(\`\\n\${message.usage.output_tokens} tokens\`);`;

export const countTokensNode = (origin: string): string => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${origin}",
  apiKey: process.env.SOTTO_API_KEY,
});

const { input_tokens } = await client.messages.countTokens({
  model: "omega",
  messages: [{ role: "user", content: "Why is the sky blue?" }],
});
console.log(input_tokens);`;

export const messagesEvents = `event: message_start
data: {"type": "message_start", "message": {…, "content": [], "usage": {…}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "One"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", …}, "usage": {…}}

event: message_stop
data: {"type": "message_stop"}`;

export const messagesErrorBody = `{
  "type": "error",
  "error": { "type": "not_found_error", "message": "This model does not exist. …" },
  "request_id": "req_…"
}`;
