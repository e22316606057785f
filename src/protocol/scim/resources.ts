/** Users, groups, lists and errors as SCIM writes them. */
import type { ScimUser } from "../../core/scim/ports.js";
import type { GroupWithMembers } from "../../core/scim/scim-groups.js";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

export type Resource = Readonly<Record<string, unknown>> & {
  meta: { resourceType: string; created: string; location: string };
};

/** `baseUrl` ends in `/scim/v2`. */
export const userResource = ({ account, userName, externalId }: ScimUser, baseUrl: string): Resource => ({
  schemas: [userSchema],
  id: account.id,
  ...(externalId === null ? {} : { externalId }),
  userName,
  active: account.suspendedAt === null,
  emails: [{ value: account.email, type: "work", primary: true }],
  meta: {
    resourceType: "User",
    created: account.createdAt.toISOString(),
    location: `${baseUrl}/Users/${account.id}`,
  },
});

export const groupResource = (
  { id, name, externalId, createdAt, members }: GroupWithMembers,
  baseUrl: string,
  { withMembers = true } = {},
): Resource => ({
  schemas: [groupSchema],
  id,
  ...(externalId === null ? {} : { externalId }),
  displayName: name,
  ...(withMembers
    ? {
        members: members.map((member) => ({
          value: member.id,
          display: member.userName,
          type: "User",
          $ref: `${baseUrl}/Users/${member.id}`,
        })),
      }
    : {}),
  meta: { resourceType: "Group", created: createdAt.toISOString(), location: `${baseUrl}/Groups/${id}` },
});

export const listResponse = (resources: readonly unknown[], total: number, startIndex: number) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

export const scimError = (status: number, detail: string, scimType: string | null) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail,
});
