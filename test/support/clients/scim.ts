/** A directory that manages accounts over SCIM. */
import { createKey } from "../../../src/core/keys/issue-keys.js";
import { systemClock } from "../../../src/core/clock.js";
import type { TestDashboard } from "../processes/dashboard-server.js";

export interface ScimAnswer {
  status: number;
  type: string | null;
  location: string | null;
  json: Record<string, unknown>;
}

export class ScimClient {
  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  /** With a key of the operator's. */
  static async of(dashboard: TestDashboard, scopes: string[] = ["scim"]): Promise<ScimClient> {
    const { store } = dashboard.app.dashboard;
    const operator = await store.findAccountByEmail("operator@example.com");
    if (operator === null) throw new Error("The service is not set up.");
    const request = { name: "scim", models: null, operations: null, expiresAt: null, scopes };
    const { text } = await createKey(store, systemClock, operator, request);
    return new ScimClient(dashboard.url, text);
  }

  /** The same directory, at another replica. */
  at(dashboard: TestDashboard): ScimClient {
    return new ScimClient(dashboard.url, this.secret);
  }

  async send(method: string, path: string, body?: object): Promise<ScimAnswer> {
    const response = await fetch(`${this.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${this.secret}`, "content-type": "application/scim+json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      location: response.headers.get("location"),
      json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  }

  /** The id of a new user. */
  async create(userName: string, more: object = {}): Promise<string> {
    const { status, json } = await this.send("POST", "/Users", { userName, ...more });
    if (status !== 201) throw new Error(`SCIM answered ${status}: ${JSON.stringify(json)}`);
    return String(json.id);
  }

  /** As Entra ID and Okta write it. */
  patch(path: string, ...operations: object[]): Promise<ScimAnswer> {
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    return this.send("PATCH", path, { schemas, Operations: operations });
  }
}
