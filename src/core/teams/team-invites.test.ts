import { expect, it } from "vitest";
import { callerWith } from "../../../test/support/clients/caller.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { memoryCounters } from "../../store/counters/counters.js";
import { noQuotas } from "../entities.js";
import { TeamInvites } from "./team-invites.js";

it("are mailed to a hundred addresses an hour at most, and links without an address are not counted", async () => {
  const clock = new FakeClock();
  const { account, plan } = callerWith({});
  const team = {
    ...account,
    kind: "team" as const,
    name: "Research",
    quotas: noQuotas,
    joinDomain: null,
    allowFrom: null,
    secondFactor: null,
  };
  const none = async () => null;
  let mails = 0;
  const invites = new TeamInvites({
    teams: { open: async () => ({ team, plan, role: "owner" }), requireRoom: async () => undefined },
    store: { find: none, listInvites: async () => [], revokeInvite: async () => false, acceptInvite: none },
    linkStore: { find: none },
    links: { team: async () => ({ id: "inv_1", path: "/join#token=x", expiresAt: clock.now() }) },
    audit: { record: async () => undefined },
    outbox: { post: () => void (mails += 1) },
    ...{ clock, ownerName: () => "", publicUrl: () => "", admissions: memoryCounters(clock).admissions },
  });
  const invite = (email: string | null) =>
    invites.create(account, team.id, { email, role: "member", days: 1 });
  for (let count = 0; count < 100; count++) await invite(`someone${count}@example.com`);
  await expect(invite("one-more@example.com")).rejects.toMatchObject({ code: "throttled" });
  await invite(null);
  expect(mails).toBe(100);
  clock.advance(2 * 60 * 60_000);
  await invite("one-more@example.com");
});
