import { describe, expect, it } from "vitest";
import { emptyReply, type Turn } from "../conversation.ts";
import { defaultSettings } from "../settings.ts";
import { FileError, longestText, readSealed, seal, unseal } from "./encrypted-file.ts";
import { readConversation, settingsOf, type SavedConversation } from "./saved-conversation.ts";
import { withPreset } from "./presets.ts";

const passphrase = "a passphrase of some length";
/** Few iterations: how many there are by default is looked at once, in the browser. */
const sealed = (text: string, typed = passphrase) => seal(text, typed, 1_000);
const file = (text: string) => new Blob([text]);
const open = async (text: string, typed = passphrase) => unseal(await readSealed(file(text)), typed);
const failing = (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: unknown) => (error instanceof FileError ? `${error.field}: ${error.message}` : String(error)),
  );

describe("an encrypted file", () => {
  it("opens with its passphrase only, however that is composed, and shows nothing of the text", async () => {
    const text = "a secret: ü 🚀 مرحبا";
    const written = await sealed(text, "Fußgängerü 1234");
    expect(written).not.toContain("secret");
    expect(await open(written, "Fußgängeru\u0308 1234")).toBe(text);
    expect(await failing(open(written, "Fußgängerü 1235"))).toMatch(/^passphrase: The passphrase is wrong/);
  });

  it("differs each time, for the same text and passphrase", async () => {
    const [one, other] = [await sealed("x"), await sealed("x")].map(
      (text) => JSON.parse(text) as Record<string, string>,
    );
    for (const name of ["salt", "nonce", "data"]) expect(one?.[name]).not.toBe(other?.[name]);
  });

  it("is told from a damaged one, before the passphrase is asked", async () => {
    const written = await sealed("hello");
    const parsed = JSON.parse(written) as Record<string, string>;
    const changed = (part: object) => JSON.stringify({ ...parsed, ...part });
    for (const text of [
      written.slice(0, -9),
      changed({ data: `AA${parsed["data"]?.slice(2) ?? ""}` }),
      changed({ salt: "AAAAAAAAAAAAAAAAAAAAAA==" }),
      changed({ nonce: "%" }),
      changed({ checksum: 3 }),
      changed({ iterations: 1_001 }),
      changed({ iterations: 1e9 }),
    ]) {
      expect(await failing(readSealed(file(text)))).toMatch(/^file: The file is damaged/);
    }
  });

  it("is told from other files, newer ones and ones that are far too large", async () => {
    for (const text of ["", "hello", "[]", '{"format": 1}', '{"format": "other"}']) {
      expect(await failing(readSealed(file(text)))).toMatch(/^file: This is not a conversation/);
    }
    expect(await failing(readSealed(file('{"format": "sotto-conversation-2"}')))).toMatch(/newer version/);
    expect(await failing(readSealed(file(" ".repeat(6_300_000))))).toMatch(/larger than 6 MB/);
    expect(await failing(seal("x".repeat(longestText + 1), passphrase))).toMatch(/longer than 4 MB/);
  });
});

const turns: Turn[] = [
  { id: 4, role: "user", text: "How is it?" },
  {
    ...emptyReply(7, "omega"),
    ...{ state: "done", text: "Clear.", reasoning: "Let me look.", reason: "tool_calls" },
    calls: [{ id: "call_a", name: "get_weather", arguments: "{}" }],
    ...{ firstTokenMs: 12, totalMs: 30, tokens: { prompt: 3, completion: 4 } },
  },
  { id: 9, role: "tool", results: [{ callId: "call_a", name: "get_weather", text: "sun" }] },
  { ...emptyReply(11, "prism"), state: "failed", failure: "Busy.", retry: { seconds: 3, since: 1 } },
];
const settings = { ...defaultSettings("omega"), system: "Be brief.", temperature: 0.5, tools: "[]" };
const saved: SavedConversation = { settings, second: null, conversations: [turns] };

describe("a saved conversation", () => {
  it("is read as it was, with its turns numbered anew and no wait that is over", () => {
    const numbered = turns.map((turn, at) => ({
      ...turn,
      id: at + 1,
      ...("retry" in turn && { retry: null }),
    }));
    expect(readConversation(JSON.stringify(saved))).toEqual({ ...saved, conversations: [numbered] });
    const compared = { ...saved, second: "prism" as const, conversations: [turns, turns.slice(0, 2)] };
    expect(readConversation(JSON.stringify(compared))?.conversations.map(({ length }) => length)).toEqual([
      4, 2,
    ]);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "3"],
    ["an unknown model", JSON.stringify({ ...saved, settings: { ...settings, model: "gpt" } })],
    ["a missing column", JSON.stringify({ ...saved, second: "prism" })],
    ["an unknown turn", JSON.stringify({ ...saved, conversations: [[{ role: "system", text: "x" }]] })],
    ["text that is none", JSON.stringify({ ...saved, conversations: [[{ role: "user", text: {} }]] })],
    [
      "too many turns",
      JSON.stringify({ ...saved, conversations: [Array.from({ length: 10_001 }, () => turns[0])] }),
    ],
  ])("is refused with %s", (_, json) => {
    expect(readConversation(json)).toBeNull();
  });
});

describe("presets", () => {
  it("have one for each name, in order, and nothing but settings", () => {
    const presets = ["b", "a"].reduce(
      (list, name) => withPreset(list, { name, settings }),
      withPreset([], { name: "b", settings }),
    );
    expect(presets.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(settingsOf({ ...settings, extra: "x" })).toEqual(settings);
    expect(() => settingsOf({ ...settings, stop: 3 })).toThrow();
  });
});
