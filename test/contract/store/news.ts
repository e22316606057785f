/** The promises of `NewsStore`. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { ChangelogItem } from "../../../src/core/admin/ports.js";
import type { MaintenanceWindow } from "../../../src/core/serving/maintenance-gate.js";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

const newItem = (item: Partial<ChangelogItem> = {}): ChangelogItem => ({
  id: randomUUID(),
  title: "Faster 🚀",
  body: "It's **faster**.",
  publishedAt: at("08:00:00"),
  updatedAt: at("08:00:00"),
  ...item,
});

const newWindow = (window: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: randomUUID(),
  title: "New disks",
  body: "",
  startsAt: at("10:00:00"),
  endsAt: at("12:00:00"),
  endedAt: null,
  publishedAt: at("08:00:00"),
  updatedAt: at("08:00:00"),
  ...window,
});

export function describeNewsContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps news`, open, (opened) => {
    it("lists entries newest first, up to a number", async () => {
      const { news } = opened.store;
      const items = ["09:00:00", "11:00:00", "10:00:00"].map((time) => newItem({ publishedAt: at(time) }));
      for (const item of items) await news.createItem(item);
      expect(await news.listItems(2)).toEqual([items[1], items[2]]);
    });

    it("changes an entry's text and time, not when it was published", async () => {
      const { news } = opened.store;
      const item = newItem();
      await news.createItem(item);
      const change = { title: "Faster still", body: "", updatedAt: at("09:00:00") };
      expect(await news.updateItem(item.id, change)).toEqual({ ...item, ...change });
      expect(await news.listItems(10)).toEqual([{ ...item, ...change }]);
      expect(await news.updateItem("none", change)).toBeNull();
    });

    it("deletes an entry once", async () => {
      const { news } = opened.store;
      const item = newItem();
      await news.createItem(item);
      expect(await news.deleteItem(item.id)).toBe(true);
      expect(await news.deleteItem(item.id)).toBe(false);
      expect(await news.listItems(10)).toEqual([]);
    });

    it("lists windows with the latest start first, and those that are not over by their start", async () => {
      const { news } = opened.store;
      const early = newWindow();
      const late = newWindow({ startsAt: at("15:00:00"), endsAt: at("16:00:00") });
      const ended = newWindow({ endedAt: at("10:30:00") });
      for (const window of [early, late, ended]) await news.createWindow(window);
      expect((await news.listWindows(10)).at(0)).toEqual(late);
      expect(await news.listWindows(10)).toHaveLength(3);
      expect(await news.listCurrentWindows(at("11:00:00"))).toEqual([early, late]);
      expect(await news.listCurrentWindows(at("12:00:00"))).toEqual([late]);
      expect(await news.findWindow(late.id)).toEqual(late);
      expect(await news.findWindow("none")).toBeNull();
    });

    it("changes a window that is planned, and none that began, was called off or is not there", async () => {
      const { news } = opened.store;
      const [planned, calledOff] = [newWindow(), newWindow()];
      await news.createWindow(planned);
      await news.createWindow(calledOff);
      await news.endWindow(calledOff.id, at("08:30:00"));
      const change = { title: "Later", body: "b", startsAt: at("11:00:00"), endsAt: at("13:00:00") };
      const changed = { ...planned, ...change, updatedAt: at("09:00:00") };
      expect(await news.updatePlannedWindow(planned.id, change, at("09:00:00"))).toEqual(changed);
      expect(
        await news.updatePlannedWindow(planned.id, { ...change, title: "No" }, at("11:00:00")),
      ).toBeNull();
      expect(await news.findWindow(planned.id)).toEqual(changed);
      expect(await news.updatePlannedWindow(calledOff.id, change, at("09:00:00"))).toBeNull();
      expect(await news.updatePlannedWindow("none", change, at("09:00:00"))).toBeNull();
    });

    it("ends a window once, and not after it is over", async () => {
      const { news } = opened.store;
      const [window, over] = [newWindow(), newWindow()];
      await news.createWindow(window);
      await news.createWindow(over);
      await news.endWindow(window.id, at("11:00:00"));
      await news.endWindow(window.id, at("11:30:00"));
      await news.endWindow(over.id, at("12:00:00"));
      expect(await news.findWindow(window.id)).toMatchObject({
        endedAt: at("11:00:00"),
        updatedAt: at("11:00:00"),
      });
      expect(await news.findWindow(over.id)).toEqual(over);
    });
  });
}
