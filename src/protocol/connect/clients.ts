/** Every client that Sotto knows how to configure, in the order in which they are listed. */
import { agentClients } from "./agent-clients.js";
import { applicationClients } from "./application-clients.js";
import type { ClientGroup, ConnectClient } from "./client.js";
import { codeClients } from "./code-clients.js";
import { editorClients } from "./editor-clients.js";
import { environmentClient } from "./environment-client.js";
import { goClient } from "./go-client.js";

export const clientGroups: readonly ClientGroup[] = [
  "Libraries",
  "Coding agents",
  "Editors",
  "Applications and gateways",
];

export const connectClients: readonly ConnectClient[] = [
  ...codeClients,
  goClient,
  environmentClient,
  ...agentClients,
  ...editorClients,
  ...applicationClients,
];

export const findClient = (id: string): ConnectClient | undefined =>
  connectClients.find((client) => client.id === id);
