import type { Sample } from "../../../components/text/code-block.tsx";
import { baseUrl } from "../../../snippets.ts";

export function streamSamples(): Sample[] {
  return [
    {
      id: "curl",
      label: "curl",
      language: "bash",
      code: `curl --no-buffer ${baseUrl()}/chat/completions \\
  -H "Authorization: Bearer $SOTTO_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "omega",
    "stream": true,
    "messages": [{"role": "user", "content": "Count to five."}]
  }'`,
    },
    {
      id: "python",
      label: "Python",
      language: "python",
      code: `stream = client.chat.completions.create(
    model="omega",
    messages=[{"role": "user", "content": "Count to five."}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    },
    {
      id: "node",
      label: "Node",
      language: "javascript",
      code: `const stream = await client.chat.completions.create({
  model: "omega",
  messages: [{ role: "user", content: "Count to five." }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}`,
    },
  ];
}
