import { expect, it } from "vitest";
import { Drafts } from "./drafts.js";

it("keeps one draft for each model until it is published or discarded", async () => {
  const rows = new Map<string, string>();
  const published: string[] = [];
  const drafts = new Drafts(
    {
      getSetting: async (name) => rows.get(name) ?? null,
      setSetting: async (name, value) => void rows.set(name, value),
    },
    {
      publish: async (_actor, title, body) => {
        published.push(`${title}: ${body}`);
        return { id: "1", title, body, publishedAt: new Date(0), updatedAt: new Date(0) };
      },
    },
  );
  await drafts.write({ model: "omega", title: "Old", body: "" });
  await drafts.write({ model: "omega", title: "New weights", body: "One.\n\nTwo." });
  expect(await drafts.list()).toEqual([{ model: "omega", title: "New weights", body: "One.\n\nTwo." }]);
  await drafts.publish("command line", { model: "omega", title: "Edited", body: "Text" });
  expect(published).toEqual(["Edited: Text"]);
  expect(await drafts.list()).toEqual([]);
  await expect(drafts.publish("command line", { model: "omega", title: "x", body: "" })).rejects.toThrow(
    "There is no such draft any more.",
  );
});
