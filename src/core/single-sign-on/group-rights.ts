/**
 * What someone's groups at the provider give, applied each time they sign in, so that leaving a group takes it away
 * again. Plan and role are only touched where a rule of the provider is about them, teams: `group-teams.ts`. The last
 * admin stays one.
 */
import { defaultPlanId } from "../accounts/accounts.js";
import type { AccountStore } from "../accounts/ports.js";
import type { Audit } from "../audit.js";
import type { Account } from "../entities.js";
import type { Clock } from "../clock.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { Store } from "../store.js";
import type { TeamStore } from "../teams/ports.js";
import { applyTeams } from "./group-teams.js";
import type { Provider } from "./provider.js";

export interface GroupRightsParts {
  store: Store & { readonly accounts: AccountStore; readonly teams: TeamStore };
  keys: Pick<KeyRing, "forgetAccount">;
  audit: Audit;
  clock: Clock;
}

export async function applyGroups(
  parts: GroupRightsParts,
  provider: Provider,
  account: Account,
  groups: readonly string[] | null,
): Promise<Account> {
  const { store, keys, audit } = parts;
  const { groupClaim, groups: rules } = provider;
  if (groupClaim === null || groups === null) return account;
  const matched = rules.filter(({ group }) => groups.includes(group));
  let { planId, role } = account;
  if (rules.some((rule) => rule.planId !== null)) {
    const wanted = matched.find((rule) => rule.planId !== null)?.planId ?? defaultPlanId;
    // A plan that was deleted since changes nothing.
    if (wanted !== planId && (await store.findPlan(wanted)) !== null) {
      await store.setAccountPlan(account.id, wanted);
      await audit.record({ accountId: account.id }, "changed plan of account", account.id);
      planId = wanted;
    }
  }
  if (rules.some(({ isAdmin }) => isAdmin)) {
    const wanted = matched.some(({ isAdmin }) => isAdmin) ? "admin" : "user";
    if (wanted !== role && (await store.accounts.setRole(account.id, wanted))) {
      await audit.record({ accountId: account.id }, "changed role of account", account.id);
      role = wanted;
    }
  }
  await applyTeams(parts, provider.id, account.id, matched);
  if (planId !== account.planId || role !== account.role) keys.forgetAccount(account.id);
  return { ...account, planId, role };
}
