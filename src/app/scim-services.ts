/**
 * Users and groups of SCIM. A request may ask for several changes: they are made together or not at all. What other parts
 * of the service are told of them, they are told once everything is written.
 */
import { AccountAdmin, type AccountAdminParts } from "../core/accounts/account-admin.js";
import { ScimGroups } from "../core/scim/scim-groups.js";
import { ScimUsers } from "../core/scim/scim-users.js";
import { TeamAdmin } from "../core/teams/team-admin.js";
import type { FullStore } from "../store/full-store.js";

type ScimParts = Omit<AccountAdminParts, "store">;

export const createScim = (store: FullStore, parts: ScimParts) => ({
  ...scimOn(store, parts),
  atomically: async <T>(work: (inside: ReturnType<typeof scimOn>) => Promise<T>): Promise<T> => {
    const effects: (() => void)[] = [];
    const later =
      <Arguments extends unknown[]>(effect: (...args: Arguments) => void) =>
      (...args: Arguments): void =>
        void effects.push(() => effect(...args));
    const { keys, audit, cutStreams } = parts;
    const done = await store.atomically((inside) =>
      work(
        scimOn(inside, {
          ...parts,
          keys: {
            forget: later((id: string) => keys.forget(id)),
            forgetAccount: later((id: string) => keys.forgetAccount(id)),
            forgetAll: later(() => keys.forgetAll()),
          },
          audit: audit.within(inside.audit, later),
          cutStreams: later(cutStreams),
        }),
      ),
    );
    for (const effect of effects) effect();
    return done;
  },
});

function scimOn(store: FullStore, parts: ScimParts) {
  const { keys, audit, clock } = parts;
  const accountAdmin = new AccountAdmin({ ...parts, store });
  const teamAdmin = new TeamAdmin({ store, keys, audit, clock });
  return {
    users: new ScimUsers({ store, accountAdmin, keys, audit, clock }),
    groups: new ScimGroups({ store, teamAdmin }),
  };
}
