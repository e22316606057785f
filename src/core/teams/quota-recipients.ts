/** Who is warned that a quota is nearly used up: the owners of a team, or the member whose limit or key it is. */
import type { KeyRecord } from "../entities.js";
import type { QuotaMeter } from "../limits/quota-book.js";
import type { TeamStore } from "./ports.js";

export async function quotaRecipients(
  teams: Pick<TeamStore, "members">,
  { account, member }: KeyRecord,
  { keyId, memberId }: Pick<QuotaMeter, "keyId" | "memberId">,
): Promise<string[]> {
  if (account.kind === "person") return [account.email];
  const whose = memberId ?? (keyId === null ? undefined : member?.id);
  const members = await teams.members(account.id);
  return members
    .filter(({ suspendedAt }) => suspendedAt === null)
    .filter(({ accountId, role }) => (whose === undefined ? role === "owner" : accountId === whose))
    .map(({ email }) => email);
}
