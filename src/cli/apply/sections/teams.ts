/**
 * Teams, by their names; those with the same name by their ids. Members are people who have an account, by their addresses.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { mostMembers } from "../../../core/bounds.js";
import { noKeyLimits, noQuotas } from "../../../core/entities.js";
import { howToWriteNetworks, parseNetworks } from "../../../core/networks.js";
import type { Membership, Team } from "../../../core/teams/ports.js";
import { TeamAdmin } from "../../../core/teams/team-admin.js";
import type { TeamSecurity } from "../../../core/teams/team-fields.js";
import { keyLimits, quotas } from "../../../protocol/dashboard/api.js";
import { putMemberBody, teamBody, teamSecurityBody } from "../../../protocol/dashboard/teams.js";
import { allTeams } from "../../find-team.js";
import { byNameOrId, keyedSection } from "./keyed.js";
import { isFields } from "./fields.js";
import { EntryError, type Section, type SectionParts } from "./section.js";

const { role } = putMemberBody.shape;

/** A role, or a role and limits, of which those that are not given do not limit. */
const memberEntry = z.preprocess(
  (value) => {
    const { limits = {}, ...member } = isFields(value) ? value : { role: value };
    return { ...member, limits: isFields(limits) ? { ...noKeyLimits, ...limits } : limits };
  },
  z.strictObject({ role, limits: z.strictObject(keyLimits.shape) }),
);

/** As it is written. */
export const writtenMember = z.union([
  role,
  z.strictObject({ role, limits: z.strictObject(keyLimits.shape).partial().optional() }),
]);

/** In the usual notation, so that what is written another way is no change. */
const networks = teamSecurityBody.shape.allowFrom.transform((texts, context) => {
  const parsed = parseNetworks(texts ?? []);
  if (parsed === null) context.addIssue({ code: "custom", message: howToWriteNetworks });
  return parsed === null || parsed.length === 0 ? null : parsed;
});

export const teamEntry = z.strictObject({
  name: teamBody.shape.name,
  planId: z.string("Enter the id of a plan.").max(64),
  quotas: z.strictObject(quotas),
  joinDomain: teamBody.shape.joinDomain,
  allowFrom: networks,
  secondFactorDays: teamSecurityBody.shape.secondFactorDays,
  members: z
    .record(z.string(), memberEntry)
    .refine((members) => Object.keys(members).length <= mostMembers, `Use at most ${mostMembers} members.`),
});

type TeamEntry = z.output<typeof teamEntry>;
type MemberEntry = z.output<typeof memberEntry>;

export function teamsSection({ store, audit, actor, clock }: SectionParts): Section {
  const admin = new TeamAdmin({ store, audit, clock });
  let teams = new Map<string, Team>();

  const idOf = (name: string): string => teams.get(name)?.id ?? "";

  const accountOf = async (email: string): Promise<string> => {
    const account = await store.findAccountByEmail(email);
    if (account !== null) return account.id;
    throw new EntryError("No account has this address. Create or invite it first.", ["members", email]);
  };

  const create = async ({ name, planId, members }: TeamEntry): Promise<string> => {
    const [owner] = Object.entries(members).find(([, member]) => member.role === "owner") ?? [];
    if (owner === undefined)
      throw new EntryError("A new team needs a member with the role owner.", ["members"]);
    await accountOf(owner);
    return (await admin.create(actor, { name, planId, ownerEmail: owner })).id;
  };

  /** Owners first, so that there is one at every moment. */
  const saveMembers = async (
    id: string,
    wanted: TeamEntry["members"],
    before: TeamEntry["members"],
  ): Promise<void> => {
    const changed = Object.entries(wanted).sort(([, a], [, b]) => ownerFirst(a) - ownerFirst(b));
    for (const [email, { role: wantedRole, limits }] of changed) {
      const member = before[email];
      if (isDeepStrictEqual(member, wanted[email])) continue;
      const accountId = await accountOf(email);
      if (member?.role !== wantedRole) await admin.putMember(actor, id, accountId, wantedRole);
      if (!isDeepStrictEqual(member?.limits ?? noKeyLimits, limits))
        await admin.setMemberLimits(actor, id, accountId, limits);
    }
    for (const email of Object.keys(before).filter((known) => !(known in wanted)))
      await admin.removeMember(actor, id, await accountOf(email));
  };

  return keyedSection<TeamEntry>({
    name: "teams",
    kind: "team",
    schema: teamEntry,
    read: async () => {
      const listed = (await allTeams(store.teams)).map(({ team }) => team);
      teams = byNameOrId(listed, ({ name }) => name);
      return new Map(
        await Promise.all(
          [...teams].map(
            async ([name, team]) => [name, entryOf(team, await store.teams.members(team.id))] as const,
          ),
        ),
      );
    },
    nameOf: (written) => [...teams].find(([, { id }]) => id === written)?.[0] ?? written,
    fresh: (name) => ({ name, quotas: noQuotas, ...openToAll, members: {} }),
    merge: (before, given, name, { prune, problem }) => {
      if (before === undefined && name.startsWith("team_"))
        problem(["teams", name], "There is no team with this id. Write a name to create one.");
      if (!isFields(given.members)) return given;
      const known = before?.members ?? {};
      const written = Object.entries(given.members).map(([email, member]) => [
        sameAddress(email, known),
        member,
      ]);
      return { ...given, members: { ...(prune ? {} : known), ...Object.fromEntries(written) } };
    },
    save: async (name, entry, before) => {
      const id = before === undefined ? await create(entry) : idOf(name);
      if (before !== undefined && before.name !== entry.name) await admin.rename(actor, id, entry.name);
      if (before !== undefined && before.planId !== entry.planId)
        await admin.setPlan(actor, id, entry.planId);
      if (!isDeepStrictEqual(before?.quotas ?? noQuotas, entry.quotas))
        await admin.setQuotas(actor, id, entry.quotas);
      if ((before?.joinDomain ?? null) !== entry.joinDomain)
        await admin.setJoinDomain(actor, id, entry.joinDomain);
      if (!isDeepStrictEqual(securityOf(before ?? openToAll), securityOf(entry)))
        await admin.secure(actor, id, securityOf(entry));
      const { members } = before ?? entryOf(await admin.require(id), await store.teams.members(id));
      await saveMembers(id, entry.members, withAddresses(members, entry.members));
    },
    remove: (name) => admin.remove(actor, idOf(name)),
    losses: async (name) => {
      const { members, liveKeys } = await store.teams.count(idOf(name), clock.now());
      return [
        { field: "members", from: members },
        { field: "keys", from: liveKeys },
      ];
    },
    shown: (name, { name: shownName, members, ...team }) => ({
      ...(shownName === name ? {} : { name: shownName }),
      ...team,
      members: Object.fromEntries(
        Object.entries(members).map(([email, member]) => [email, shownMember(member)]),
      ),
    }),
  });
}

const openToAll = { joinDomain: null, allowFrom: null, secondFactorDays: null };

const securityOf = ({ allowFrom, secondFactorDays }: TeamSecurity): TeamSecurity => ({
  allowFrom,
  secondFactorDays,
});

const entryOf = (
  { name, planId, quotas: own, joinDomain, allowFrom, secondFactor }: Team,
  members: readonly Membership[],
): TeamEntry => ({
  ...{ name, planId, quotas: own, joinDomain },
  allowFrom: allowFrom && [...allowFrom],
  secondFactorDays: secondFactor?.graceDays ?? null,
  members: Object.fromEntries(members.map(({ email, role: its, limits }) => [email, { role: its, limits }])),
});

const ownerFirst = (member: MemberEntry): number => (member.role === "owner" ? 0 : 1);

/** Addresses are the same in any letter case: as it is known, or as it was written. */
const sameAddress = (email: string, known: object): string =>
  Object.keys(known).find((other) => other.toLowerCase() === email.toLowerCase()) ?? email;

/** Members by the addresses that the others have them by. */
const withAddresses = (members: TeamEntry["members"], others: object): TeamEntry["members"] =>
  Object.fromEntries(Object.entries(members).map(([email, member]) => [sameAddress(email, others), member]));

const shownMember = ({ role: its, limits }: MemberEntry): unknown => {
  const set = Object.entries(limits).filter(([, limit]) => limit !== null);
  return set.length === 0 ? its : { role: its, limits: Object.fromEntries(set) };
};
