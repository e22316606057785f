/** Every client that Sotto knows how to configure, in the order in which they are listed. */
import { agentClients } from "./agent-clients.js";
import { applicationClients } from "./application-clients.js";
import type { ClientGroup, ConnectClient } from "./client.js";
import { codeClients } from "./code-clients.js";

export const clientGroups: readonly ClientGroup[] = [
  "Libraries",
  "Coding agents",
  "Editors and applications",
];

export const connectClients: readonly ConnectClient[] = [
  ...codeClients,
  ...agentClients,
  ...applicationClients,
];

export const findClient = (id: string): ConnectClient | undefined =>
  connectClients.find((client) => client.id === id);
