/** Counters that processes of one server share: the promises of any counters, and what is theirs alone. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { ProcessLink } from "../../../src/adapters/process-link.js";
import { systemClock } from "../../../src/core/clock.js";
import type { TestNote } from "../../../src/core/keys/connection-tests.js";
import { CountersOwner } from "../../../src/store/counters/counters-owner.js";
import {
  type CounterListeners,
  type OwnerCounters,
  sharedCounters,
} from "../../../src/store/counters/shared-counters.js";
import { eventually } from "../../support/eventually.js";
import { acquireLease } from "../../support/stores/acquire-lease.js";
import { describeAdmissionContract } from "./admissions.js";
import { describeCounterContract } from "./counter.js";
import { describeLeaseContract } from "./leases.js";

/** A process of the owner's, without the process: messages travel as they do through a pipe. */
function newProcess(owner: CountersOwner, answerMs = 60_000) {
  let waiting: unknown[] | null = null;
  const there: ProcessLink<CounterListeners, OwnerCounters> = new ProcessLink({
    send: (message) => here.receive(JSON.parse(JSON.stringify(message))),
    answerMs,
  });
  const here: ProcessLink<OwnerCounters, CounterListeners> = new ProcessLink({
    send: (message) => {
      const carried: unknown = JSON.parse(JSON.stringify(message));
      if (waiting === null) there.receive(carried);
      else waiting.push(carried);
    },
    answerMs,
  });
  owner.add(there);
  const end = () => {
    here.close();
    there.close();
    owner.remove(there);
  };
  const stopOwner = () => {
    waiting = [];
  };
  const continueOwner = () => {
    for (const message of waiting?.splice(0) ?? []) there.receive(message);
    waiting = null;
  };
  return { ...sharedCounters(here, systemClock), end, stopOwner, continueOwner };
}

const open = async () => {
  const owner = new CountersOwner(systemClock);
  const counters = newProcess(owner);
  const dispose = async () => {
    await counters.close();
    owner.close();
  };
  return { ...counters, dispose };
};
describeCounterContract("Shared by processes", open);
describeAdmissionContract("Shared by processes", open);
describeLeaseContract("Shared by processes", open);

const minute = 60_000;
const window = (name: string, amount: number, limit: number) => ({ name, amount, limit, windowMs: minute });
const nothing = { first: [], leases: [], then: [], read: [] };

async function withProcesses(
  count: number,
  use: (processes: ReturnType<typeof newProcess>[]) => Promise<void>,
): Promise<void> {
  const owner = new CountersOwner(systemClock);
  const processes = Array.from({ length: count }, () => newProcess(owner));
  try {
    await use(processes);
  } finally {
    for (const counters of processes) await counters.close();
    owner.close();
  }
}

it("admits exactly the limit of a burst over all processes", () =>
  withProcesses(4, async (processes) => {
    const asks = Array.from({ length: 175 }, () =>
      processes.map(({ admissions }) =>
        admissions.admit({ ...nothing, first: [window("requests:a", 1, 600)] }),
      ),
    );
    const answers = await Promise.all(asks.flat());
    expect(answers.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(600);
  }));

it("opens a quota once with the earlier count, whichever process asks", () =>
  withProcesses(3, async (processes) => {
    const tokens = { ...window("quota:a", 1, 100), initial: async () => 90 };
    const answers = await Promise.all(
      processes.flatMap(({ admissions }) =>
        Array.from({ length: 10 }, () => admissions.admit({ ...nothing, then: [tokens] })),
      ),
    );
    expect(answers.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(10);
  }));

it("returns the leases and reservations of a process that ended, and no others", () =>
  withProcesses(2, async ([one, two]) => {
    if (one === undefined || two === undefined) throw new Error("There are two.");
    const who = randomUUID();
    const ask = { ...nothing, leases: [{ name: who, limit: 3 }], then: [window(`tokens:${who}`, 40, 100)] };
    await one.admissions.admit(ask);
    await two.admissions.admit(ask);
    expect(await two.admissions.held(who)).toBe(2);
    one.end();
    await eventually(async () => (await two.admissions.held(who)) === 1);
    const { readings } = await two.admissions.admit({ ...nothing, read: [window(`tokens:${who}`, 0, 100)] });
    expect(readings.get(`tokens:${who}`)?.count).toBe(40);
    await expect(one.admissions.held(who)).rejects.toMatchObject({ status: 503 });
    expect(await acquireLease(two, who, 2)).not.toBeNull();
  }));

it("admits nothing while the owner hangs, and gives back what it grants too late", async () => {
  const owner = new CountersOwner(systemClock);
  const [hanging, other] = [newProcess(owner, 1), newProcess(owner)];
  const tokens = window("tokens:a", 40, 100);
  const ask = { ...nothing, first: [window("requests:a", 1, 10)], leases: [{ name: "a", limit: 3 }] };
  hanging.stopOwner();
  await expect(hanging.admissions.admit({ ...ask, then: [tokens] })).rejects.toMatchObject({ status: 503 });
  await expect(hanging.uses?.claim("used", minute)).rejects.toMatchObject({ status: 503 });
  hanging.continueOwner();
  await eventually(async () => {
    const { readings } = await other.admissions.admit({
      ...nothing,
      read: [tokens, window("requests:a", 0, 10)],
    });
    return readings.get("requests:a")?.count === 1 && readings.get("tokens:a")?.count === 0;
  });
  expect(await other.admissions.held("a")).toBe(0);
  await Promise.all([hanging.close(), other.close()]);
  owner.close();
});

it("wakes and tells the other processes, not the one that says so", () =>
  withProcesses(3, async (processes) => {
    const heard: string[] = [];
    processes.forEach(({ wakeUps }, index) => {
      wakeUps.onWakeUp(() => heard.push(`wake ${index}`));
      wakeUps.tests?.onNote((note) => heard.push(`${note.type} ${index}`));
    });
    const note: TestNote = { type: "began", accountId: "a", salt: "s", network: "n" };
    processes[0]?.wakeUps.wakeOthers();
    processes[1]?.wakeUps.tests?.tell(note);
    await eventually(() => heard.length >= 4);
    expect(heard.toSorted()).toEqual(["began 0", "began 2", "wake 1", "wake 2"]);
  }));

it("lets one process claim a use", () =>
  withProcesses(2, async (processes) => {
    const claims = await Promise.all(processes.map(async ({ uses }) => uses?.claim("used", minute)));
    expect(claims.toSorted()).toEqual([false, true]);
  }));
