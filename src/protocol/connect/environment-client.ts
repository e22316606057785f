import { baseUrl, keyPlaceholder, type ConnectClient } from "./client.js";

/** For programs that are not ours to edit: the variables that the OpenAI libraries read by themselves. */
export const environmentClient: ConnectClient = {
  id: "environment",
  name: "Environment variables",
  group: "Libraries",
  api: "Chat Completions",
  checked: { version: "openai 6.49.0", how: "run", source: "https://www.npmjs.com/package/openai" },
  configure: (target) => [
    {
      type: "code",
      title: "Shell",
      language: "bash",
      text: `export OPENAI_BASE_URL="${baseUrl(target)}"
export OPENAI_API_KEY="${target.key ?? keyPlaceholder}"`,
    },
    {
      type: "note",
      text: `Programs that use an OpenAI library for Python, Node or Go read them. They must also ask for one of the models, such as ${target.model}.`,
    },
  ],
};
