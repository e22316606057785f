/**
 * What SCIM needs from the store. Its users are the accounts that it created and those that are linked to an identity
 * provider; accounts with a password alone are not its business. Its groups are the teams.
 */
import type { Account } from "../entities.js";

export interface ScimUser {
  account: Account;
  /** The address where SCIM has not named the account. */
  userName: string;
  externalId: string | null;
  /** The time of the suspension that SCIM asked for; null without one. */
  inactiveSince: Date | null;
}

export interface ScimGroup {
  id: string;
  name: string;
  externalId: string | null;
  createdAt: Date;
}

export interface ScimMember {
  groupId: string;
  id: string;
  userName: string;
}

/** Users and groups are found by one attribute; `email` and `userName` compare without regard to case. */
interface ScimFilter<Attribute extends string> {
  attribute: Attribute;
  value: string;
}
export type UserFilter = ScimFilter<"id" | "userName" | "externalId" | "email">;
export type GroupFilter = ScimFilter<"id" | "displayName" | "externalId">;

export interface ScimPage {
  offset: number;
  limit: number;
}

export interface NewScimUser {
  email: string;
  userName: string;
  externalId: string | null;
  planId: string;
}

export interface ScimStore {
  findUser(id: string): Promise<ScimUser | null>;
  /** Oldest first. */
  listUsers(filter: UserFilter | null, page: ScimPage): Promise<{ users: ScimUser[]; total: number }>;
  /** An account without a password. Rejects with `DuplicateEmail` or `DuplicateUserName`. */
  createUser(user: NewScimUser, now: Date): Promise<ScimUser>;
  /** Of a user that exists. Rejects with `DuplicateUserName`. */
  nameUser(user: Pick<ScimUser, "userName" | "externalId" | "inactiveSince"> & { id: string }): Promise<void>;

  findGroup(id: string): Promise<ScimGroup | null>;
  /** Oldest first. */
  listGroups(filter: GroupFilter | null, page: ScimPage): Promise<{ groups: ScimGroup[]; total: number }>;
  setExternalId(groupId: string, externalId: string | null): Promise<void>;
  /** Those that are users of SCIM. */
  members(groupIds: readonly string[]): Promise<ScimMember[]>;
}

/** Another user has this name. */
export class DuplicateUserName extends Error {
  constructor() {
    super("Another user has this userName.");
    this.name = "DuplicateUserName";
  }
}
