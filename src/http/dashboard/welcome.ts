/** What happens in a browser whose owner has proven who they are. */
import type { Account } from "../../core/entities.js";
import { deviceLifeMs } from "../../core/sign-in/known-devices.js";
import type { SessionMethod, SessionOrigin, SessionRecord } from "../../core/sign-in/ports.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardServices } from "./services.js";

export async function startSession(
  { clock, devices }: Pick<DashboardServices, "clock" | "devices">,
  visit: Visit,
  account: Account,
  method: SessionMethod,
  origin: SessionOrigin | null = null,
): Promise<SessionRecord> {
  const me = await visit.signIn(account.id, method, origin);
  const device = await devices.remember(visit.device, account.email);
  visit.knownDevice.set(device, new Date(clock.now().getTime() + deviceLifeMs));
  return me;
}
