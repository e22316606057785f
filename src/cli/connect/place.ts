/** Where a client's file is on this machine. */
import { isAbsolute, join } from "node:path";
import type { FilePlace } from "../../protocol/connect/client.js";

export interface Machine {
  home: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}

export function pathOf({ variable, folder, file }: FilePlace, { home, platform, env }: Machine): string {
  const named = variable === undefined ? undefined : env[variable];
  // A relative one would depend on where the client is started.
  if (named !== undefined && isAbsolute(named)) return join(named, file);
  if (typeof folder === "string") return join(home, folder, file);
  const below = platform === "darwin" || platform === "win32" ? folder[platform] : folder.linux;
  return join(home, below, file);
}
