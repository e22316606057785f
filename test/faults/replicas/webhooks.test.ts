/** Webhooks of two replicas on one Postgres. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebhookWithSecret } from "../../../src/protocol/dashboard/webhooks.js";
import { verify, WebhookReceiver } from "../../support/clients/webhook-receiver.js";
import { systemClock } from "../../../src/core/clock.js";
import {
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";
import { TestPostgres } from "../../support/stores/postgres.js";

describe("two replicas", () => {
  let postgres: TestPostgres;
  let replicas: TestDashboard[];
  let receiver: WebhookReceiver;
  let operator: Browser;
  beforeAll(async () => {
    [postgres, receiver] = await Promise.all([TestPostgres.start(), new WebhookReceiver().listen()]);
    const env = {
      SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      SOTTO_SECRET_KEY: "the same secret key on all of the replicas",
    };
    replicas = [await startDashboard({ env }), await startDashboard({ env })];
    const [one] = replicas;
    if (one === undefined) throw new Error("There is no replica.");
    operator = await one.setUp();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await receiver.close();
    await postgres.dispose();
  });

  it("deliver each event once, and what both of them see once", async () => {
    const { secret } = await operator.post<WebhookWithSecret>("/api/admin/webhooks", {
      ...{ url: receiver.url, events: null },
    });
    const count = 40;
    for (let number = 0; number < count; number += 1) {
      for (const { app } of replicas) {
        app.dashboard.events.publish(
          { type: "account.deleted", data: { account_id: `acc_${number}` } },
          { once: String(number) },
        );
      }
    }
    await Promise.all(replicas.map(({ app }) => app.dashboard.events.close()));
    await Promise.all(replicas.map(({ app }) => app.dashboard.deliverer.wake()));
    const received = await receiver.first(count);
    for (const message of received) expect(verify(secret, message, systemClock)).toBeTruthy();
    await Promise.all(replicas.map(({ app }) => app.dashboard.deliverer.wake()));
    await Promise.all(replicas.map(({ app }) => app.dashboard.deliverer.idle()));
    expect(receiver.received).toHaveLength(count);
    expect(new Set(receiver.received.map(({ data }) => data.account_id)).size).toBe(count);
  });

  it("take over what the other was sending when it ended", async () => {
    receiver.received.length = 0;
    receiver.answers = ["nothing"];
    const [, two] = replicas;
    if (two === undefined) throw new Error("There is no replica.");
    two.app.dashboard.events.publish({ type: "account.deleted", data: { account_id: "acc_late" } });
    const [cut] = await receiver.first(1);
    receiver.answers = [204];
    await two.close();
    replicas.pop();
    await replicas[0]?.app.dashboard.deliverer.wake();
    const [, again] = await receiver.first(2);
    expect(again?.id).toBe(cut?.id);
  });
});
