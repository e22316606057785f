/** The code on the page about `GET /v1/key`. */

export const keyCurl = (baseUrl: string): string =>
  `curl ${baseUrl}/key -H "Authorization: Bearer $SOTTO_API_KEY"`;

export const keyPython = (baseUrl: string): string => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key=os.environ["SOTTO_API_KEY"],
)

key = client.get("/key", cast_to=object)
for limit in key["limits"]:
    print(f'{limit["name"]} ({limit["scope"]}): {limit["remaining"]} of {limit["limit"]}')`;

export const keyNode = (baseUrl: string): string => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}",
  apiKey: process.env.SOTTO_API_KEY,
});

const key = await client.get("/key");
for (const { name, scope, limit, remaining } of key.limits) {
  console.log(\`\${name} (\${scope}): \${remaining} of \${limit}\`);
}`;

export const keyReply = `{
  "id": "key_…",
  "object": "key",
  "name": "laptop",
  "last_four": "x7Qa",
  "plan": { "id": "free", "name": "Free" },
  "models": ["omega", "prism", "lambda"],
  "operations": ["chat", "models"],
  "scopes": [],
  "created": 1763164800,
  "expires_at": null,
  "limits": [
    {
      "name": "requests_per_minute",
      "scope": "account",
      "limit": 60,
      "remaining": 59,
      "resets_at": 1763164860
    },
    …
  ]
}`;
