/**
 * The code on the page about tools: agent loops, in which the model calls functions until it can reply, and streams.
 */

export const pythonLoop = (baseUrl: string): string => `import json
import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key=os.environ["SOTTO_API_KEY"],
)

def get_weather(city):
    return {"city": city, "sky": "clear", "celsius": 21}

functions = {"get_weather": get_weather}
tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Current weather in a city",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    },
]
messages = [{"role": "user", "content": "What is the weather in Paris?"}]

for step in range(8):
    reply = client.chat.completions.create(
        model="omega", messages=messages, tools=tools
    )
    message = reply.choices[0].message
    if not message.tool_calls:
        print(message.content)
        break
    messages.append(message)
    for call in message.tool_calls:
        try:
            arguments = json.loads(call.function.arguments)
            result = functions[call.function.name](**arguments)
        except Exception as error:
            result = {"error": str(error)}
        messages.append(
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": json.dumps(result),
            }
        )`;

export const nodeLoop = (baseUrl: string): string => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}",
  apiKey: process.env.SOTTO_API_KEY,
});

const functions = {
  get_weather: async ({ city }) => ({ city, sky: "clear", celsius: 21 }),
};
const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Current weather in a city",
      strict: true,
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
  },
];
const messages = [{ role: "user", content: "What is the weather in Paris?" }];

for (let step = 0; step < 8; step++) {
  const reply = await client.chat.completions.create({
    model: "omega",
    messages,
    tools,
  });
  const { message } = reply.choices[0];
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  messages.push(message);
  for (const call of message.tool_calls) {
    let result;
    try {
      const args = JSON.parse(call.function.arguments);
      result = await functions[call.function.name](args);
    } catch (error) {
      result = { error: String(error) };
    }
    messages.push({
      role: "tool",
      tool_call_id: call.id,
      content: JSON.stringify(result),
    });
  }
}`;

export const streamedCall = `data: {… "delta": {"role": "assistant", "content": null, "tool_calls": [
        {"index": 0, "id": "call_…", "type": "function",
         "function": {"name": "get_weather", "arguments": ""}}]} …}

data: {… "delta": {"tool_calls": [
        {"index": 0, "function": {"arguments": "{\\"city\\":"}}]} …}

data: {… "delta": {"tool_calls": [
        {"index": 0, "function": {"arguments": "\\"Paris\\"}"}}]} …}

data: {… "delta": {}, "finish_reason": "tool_calls" …}

data: [DONE]`;

export const pythonStream = `calls = {}
for chunk in stream:
    if not chunk.choices:
        continue
    for part in chunk.choices[0].delta.tool_calls or []:
        call = calls.setdefault(part.index, {"arguments": ""})
        if part.id:
            call.update(id=part.id, name=part.function.name)
        call["arguments"] += part.function.arguments or ""`;

export const nodeStream = `const calls = [];
for await (const chunk of stream) {
  for (const part of chunk.choices[0]?.delta.tool_calls ?? []) {
    const call = (calls[part.index] ??= { arguments: "" });
    if (part.id) Object.assign(call, { id: part.id, name: part.function.name });
    call.arguments += part.function.arguments ?? "";
  }
}`;
