/** The code on the page about the Responses API. */

export const responsesCurl = (baseUrl: string): string => `curl ${baseUrl}/responses \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "instructions": "Answer in one sentence.",
    "input": "Why is the sky blue?"
  }'`;

export const responsesPython = (baseUrl: string): string => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key=os.environ["SOTTO_API_KEY"],
)

response = client.responses.create(
    model="omega",
    instructions="Answer in one sentence.",
    input="Why is the sky blue?",
)
print(response.output_text)`;

export const responsesNode = (baseUrl: string): string => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}",
  apiKey: process.env.SOTTO_API_KEY,
});

const response = await client.responses.create({
  model: "omega",
  instructions: "Answer in one sentence.",
  input: "Why is the sky blue?",
});
console.log(response.output_text);`;

export const responsesStreamCurl = (baseUrl: string): string => `curl --no-buffer ${baseUrl}/responses \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "input": "Count to five.",
    "stream": true
  }'`;

export const responsesStreamPython = (baseUrl: string): string => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key=os.environ["SOTTO_API_KEY"],
)

with client.responses.stream(model="omega", input="Count to five.") as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)
    print()
    print(stream.get_final_response().usage.total_tokens, "tokens")`;

export const responsesStreamNode = (baseUrl: string): string => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}",
  apiKey: process.env.SOTTO_API_KEY,
});

const stream = client.responses.stream({ model: "omega", input: "Count to five." });
for await (const event of stream) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
}
const response = await stream.finalResponse();
console.log(\`\\n\${response.usage.total_tokens} tokens\`);`;

export const responsesConversation = (baseUrl: string): string => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}",
  apiKey: process.env.SOTTO_API_KEY,
});

const input = [{ role: "user", content: "My name is Ada." }];
const first = await client.responses.create({ model: "omega", input });
input.push(...first.output, { role: "user", content: "What is my name?" });
const second = await client.responses.create({ model: "omega", input });
console.log(second.output_text);`;

export const responsesEvents = `event: response.created
data: {"type": "response.created", "sequence_number": 0, "response": {…}}

event: response.output_text.delta
data: {"type": "response.output_text.delta", "delta": "One", "output_index": 0, …}

event: response.completed
data: {"type": "response.completed", "response": {…, "usage": {…}}, …}`;
