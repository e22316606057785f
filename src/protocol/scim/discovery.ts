/** What this service says about its SCIM: what it supports, which resources there are and what they consist of. */
import { groupSchema, userSchema } from "./resources.js";

/** Most resources in one answer. */
export const mostResults = 100;

export const serviceProviderConfig = (baseUrl: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A key with the scope scim.",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/ServiceProviderConfig` },
});

export const resourceTypes = (baseUrl: string) =>
  [
    { id: "User", endpoint: "/Users", description: "Accounts", schema: userSchema },
    { id: "Group", endpoint: "/Groups", description: "Teams", schema: groupSchema },
  ].map((type) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    ...type,
    name: type.id,
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${type.id}` },
  }));

interface AttributeFacts {
  type?: "string" | "boolean" | "complex";
  multiValued?: boolean;
  required?: boolean;
  mutability?: "readWrite" | "readOnly" | "immutable";
  uniqueness?: "none" | "server";
  caseExact?: boolean;
  subAttributes?: object[];
}

const attribute = (name: string, description: string, facts: AttributeFacts = {}) => ({
  name,
  description,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...facts,
});

const externalId = attribute("externalId", "What the client calls it.", { caseExact: true });

export const schemas = (baseUrl: string) =>
  [
    {
      id: userSchema,
      name: "User",
      description: "An account",
      attributes: [
        attribute("userName", "Unique name, by which it is looked up.", {
          required: true,
          uniqueness: "server",
        }),
        externalId,
        attribute("active", "Whether it may be used.", { type: "boolean" }),
        attribute("emails", "The address of the account: the primary one, or the first.", {
          type: "complex",
          multiValued: true,
          subAttributes: [
            attribute("value", "The address.", { uniqueness: "server" }),
            attribute("type", "Always work.", { mutability: "readOnly" }),
            attribute("primary", "Which one to use.", { type: "boolean" }),
          ],
        }),
      ],
    },
    {
      id: groupSchema,
      name: "Group",
      description: "A team",
      attributes: [
        attribute("displayName", "The name of the team.", { required: true }),
        externalId,
        attribute("members", "The users that are in it.", {
          type: "complex",
          multiValued: true,
          subAttributes: [
            attribute("value", "The id of a user.", { mutability: "immutable", caseExact: true }),
            attribute("display", "The userName.", { mutability: "readOnly" }),
          ],
        }),
      ],
    },
  ].map((schema) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    ...schema,
    meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${schema.id}` },
  }));
