/** The promises of `StatementLogStore`. */
import { expect, it } from "vitest";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

export function describeStatementLogContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps the statement log`, open, (opened) => {
    const time = at("08:00:00");

    it("returns entries in order, as they were appended", async () => {
      const { statementLog } = opened.store;
      for (const index of [0, 1, 2]) {
        expect(await statementLog.append(index, time, `{"entry":"é ${index}"}`)).toBe(true);
      }
      expect(await statementLog.read(0, 2)).toEqual([
        { index: 0, body: '{"entry":"é 0"}' },
        { index: 1, body: '{"entry":"é 1"}' },
      ]);
      expect(await statementLog.read(2, 10)).toEqual([{ index: 2, body: '{"entry":"é 2"}' }]);
      expect(await statementLog.read(3, 10)).toEqual([]);
    });

    it("lets exactly one of many callers have an index, and changes nothing for the others", async () => {
      const { statementLog } = opened.store;
      const bodies = Array.from({ length: 10 }, (_, index) => `"${index}"`);
      const won = await Promise.all(bodies.map((body) => statementLog.append(0, time, body)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await statementLog.read(0, 10)).toEqual([{ index: 0, body: bodies[won.indexOf(true)] }]);
    });
  });
}
