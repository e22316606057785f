import { describe, expect, it } from "vitest";
import { callerWith } from "../../../test/support/clients/caller.js";
import { noKeyLimits } from "../entities.js";
import { partyOf } from "./party.js";

describe("who takes turns", () => {
  const person = callerWith();
  const service = { ...person, account: { ...person.account, id: "team_1", kind: "team" as const } };
  const member = { ...service, member: { id: "acc_1", suspendedAt: null, limits: noKeyLimits } };

  it("is the person, in every team, and a team's service keys, unless whole teams do", () => {
    expect([person, service, member].map((caller) => partyOf(caller, "member"))).toEqual([
      "acc_1",
      "team_1",
      "acc_1",
    ]);
    expect([person, service, member].map((caller) => partyOf(caller, "team"))).toEqual([
      "acc_1",
      "team_1",
      "team_1",
    ]);
    expect(partyOf(member)).toBe("acc_1");
  });
});
