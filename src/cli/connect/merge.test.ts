import fc from "fast-check";
import { parse as parseTomlText } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYamlText } from "yaml";
import type { FileFormat, Setting } from "../../connect/client.js";
import { mergeSettings } from "./merge.js";

const merged = (format: FileFormat, before: string, settings: readonly Setting[]) =>
  mergeSettings(before, format, settings, "the file");

describe("JSON with comments", () => {
  const settings: Setting[] = [
    { path: ["env", "URL"], value: "http://x" },
    { path: ["list", { key: "name", equals: "Sotto" }], value: { name: "Sotto", n: 1 } },
  ];

  it("adds to what is there and keeps comments and order", () => {
    const before = `// mine
{
    "theme": "dark", // as ever
    "env": {
        "OTHER": "1" // stays
    },
    /* one
       more */
    "list": [{ "name": "A" }],
}
`;
    expect(merged("json", before, settings)).toBe(`// mine
{
    "theme": "dark", // as ever
    "env": {
        "OTHER": "1",
        "URL": "http://x" // stays
    },
    /* one
       more */
    "list": [
        {
            "name": "A"
        },
        {
            "name": "Sotto",
            "n": 1
        }
    ],
}
`);
  });

  it("replaces its own values where they are, and a second time changes nothing", () => {
    const once = merged("json", '{\n\t"env": {"URL": "old"},\n\t"list": [\n\t]\n}', settings);
    expect(once).toBe(
      '{\n\t"env": {"URL": "http://x"},\n\t"list": [\n\t\t{\n\t\t\t"name": "Sotto",\n\t\t\t"n": 1\n\t\t}\n\t]\n}',
    );
    expect(merged("json", once, settings)).toBe(once);
  });

  it("adds a list's item at the root, and to nothing at all", () => {
    const item: Setting[] = [{ path: [{ key: "name", equals: "S" }], value: { name: "S" } }];
    expect(JSON.parse(merged("json", '[{"name":"A"}]', item))).toEqual([{ name: "A" }, { name: "S" }]);
    expect(JSON.parse(merged("json", "[]", item))).toEqual([{ name: "S" }]);
    expect(JSON.parse(merged("json", " \n", item))).toEqual([{ name: "S" }]);
  });

  it("keeps Windows line ends and a byte order mark", () => {
    const after = merged("json", '\ufeff{\r\n  "a": 1\r\n}\r\n', [{ path: ["b"], value: { c: 2 } }]);
    expect(after).toBe('\ufeff{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}\r\n');
  });

  it.each([
    ["broken", '{\n  "a": 1,\n  "secret": sk-1\n}', "line 3 is not valid JSON"],
    ["ambiguous", '{"env": {}, "env": {}}', "cannot be edited safely"],
    ["a list where an object belongs", '{"env": []}', 'the place of "URL" is not an object'],
    ["an object where a list belongs", '{"env": {}, "list": {}}', "where a list is expected there is none"],
    ["a plain value", "true", 'the place of "env" is not an object'],
  ])("refuses a file that is %s, without quoting it", (_, before, why) => {
    expect(() => merged("json", before, settings)).toThrow(why);
    expect(() => merged("json", before, settings)).not.toThrow("sk-1");
  });

  it("leaves any other settings as they were", () => {
    const name = fc.stringMatching(/^[a-z"\\/*é{}]{1,6}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(name, tie("tree"), { maxKeys: 3 }),
      ),
    }));
    const remark = fc.constantFrom("", " // {x", " /* ] */", '\n// , "env": {\n', "\r\n");
    fc.assert(
      fc.property(fc.dictionary(name, tree), fc.constantFrom(0, 2, "\t"), remark, (others, indent, text) => {
        const spread = JSON.stringify(others, null, indent);
        const commented = `${text}\n${spread.replace(/\}$/, `${text}\n}`)}\n${text}`;
        const after = merged("json", commented, settings);
        const [comment] = text.trim().split("\n");
        if (comment !== undefined && comment !== "")
          expect(after.split(comment)).toHaveLength(commented.split(comment).length);
        expect(merged("json", after, settings)).toBe(after);
        expect(JSON.parse(withoutComments(after, text))).toEqual({
          ...others,
          env: { URL: "http://x" },
          list: [{ name: "Sotto", n: 1 }],
        });
      }),
    );
  });

  const withoutComments = (text: string, remark: string) =>
    remark.trim() === "" ? text : text.split(remark.trim()).join("");
});

describe("TOML", () => {
  const settings: Setting[] = [
    { path: ["model"], value: "omega" },
    { path: ["model_context_window"], value: 4096 },
    { path: ["model_providers", "sotto", "name"], value: "Sotto" },
    { path: ["model_providers", "sotto", "base_url"], value: "http://x/v1" },
  ];

  it("puts values above the first table, tables to the end, and keeps comments and order", () => {
    const before = `# my settings
model = "gpt" # the best
notify = [
  "a", # ] not the end
  "model = 1",
]
text = """
[not a table]
"""

# projects
[projects."/home/a.b"]
trust_level = "trusted"
`;
    expect(merged("toml", before, settings)).toBe(`# my settings
model = "omega" # the best
notify = [
  "a", # ] not the end
  "model = 1",
]
text = """
[not a table]
"""

# projects
model_context_window = 4096
[projects."/home/a.b"]
trust_level = "trusted"

[model_providers]

[model_providers.sotto]
name = "Sotto"
base_url = "http://x/v1"
`);
  });

  it("changes its own table where it is, and a second time nothing", () => {
    const before = `[model_providers.sotto] # mine\r\nname = 'Old'\r\n\r\n[tui]\r\nx = 1`;
    const once = merged("toml", before, settings);
    expect(once).toBe(
      `model = "omega"\r\nmodel_context_window = 4096\r\n\r\n[model_providers.sotto] # mine\r\nname = "Sotto"\r\nbase_url = "http://x/v1"\r\n\r\n[tui]\r\nx = 1`,
    );
    expect(merged("toml", once, settings)).toBe(once);
  });

  it.each([
    [
      "dotted keys and quoted ones",
      `"model" = "a"\nmodel_providers.sotto.name = "b"\nmodel_providers.sotto."base_url" = "c"\n`,
    ],
    ["inline tables", 'model_providers = { sotto = { name = "x" } }\n'],
  ])("follows %s", (_, before) => {
    expect(parseTomlText(merged("toml", before, settings))).toEqual({
      model: "omega",
      model_context_window: 4096,
      model_providers: { sotto: { name: "Sotto", base_url: "http://x/v1" } },
    });
  });

  it.each([
    ["broken", 'a = 1\nkey = "sk-secret', "line 2 is not valid TOML"],
    ["a list of tables", '[[model_providers]]\nname = "x"', "was not changed"],
    ["a plain value", "model_providers = 3", "was not changed"],
  ])("refuses a file with %s, without quoting it", (_, before, why) => {
    expect(() => merged("toml", before, settings)).toThrow(why);
    expect(() => merged("toml", before, settings)).not.toThrow("sk-secret");
  });

  it("leaves any other settings as they were", () => {
    const line = fc.constantFrom(
      "a = 1",
      'b = "x # y"',
      "c = '''\n[model]\n'''",
      'd = """a \\"""\n" b"""',
      "e = [1, [2, # ]\n 3]]",
      "f = { g = 1, h = [2] }",
      "i.j = 2020-01-01T00:00:00Z",
      "# a comment",
      "   ",
    );
    const table = fc.tuple(
      fc.constantFrom("[t]", "[t.u]", '[ "v w" . x ] # remark', "[[list]]", "[model_providers.other]"),
      fc.uniqueArray(line, { maxLength: 4 }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { maxLength: 6 }),
        fc.uniqueArray(table, { maxLength: 4, selector: ([header]) => header }),
        (root, tables) => {
          const before = `${[...root, ...tables.map(([header, lines]) => [header, ...lines].join("\n"))].join("\n")}\n`;
          const after = merged("toml", before, settings);
          const { model_providers: providers, ...others } = parseTomlText(before);
          expect(parseTomlText(after)).toEqual({
            ...others,
            model: "omega",
            model_context_window: 4096,
            model_providers: {
              ...(Object(providers) as object),
              sotto: { name: "Sotto", base_url: "http://x/v1" },
            },
          });
          const withoutSpace = (text: string) => text.replaceAll(/\s/g, "");
          for (const kept of before.split("\n")) {
            expect(withoutSpace(after)).toContain(withoutSpace(kept));
          }
          expect(merged("toml", after, settings)).toBe(after);
        },
      ),
    );
  });
});

describe("YAML", () => {
  const settings: Setting[] = [
    { path: ["version"], value: "1.3.8", onlyIfAbsent: true },
    {
      path: ["endpoints", "custom", { key: "name", equals: "Sotto" }],
      value: { name: "Sotto", models: { default: ["omega"], fetch: false } },
    },
  ];

  it("adds to a list and keeps comments, blank lines, quotes and the style of lists and text", () => {
    const before = `# LibreChat
version: 1.2.1   # mine

endpoints:
    custom:
        # the first
        - name:   'Mistral'
          models: {default: ["a",   "b"]}   # on one line

        - name: Other
          text: >-
            folded
            text
# the end
cache: true
`;
    expect(merged("yaml", before, settings)).toBe(`# LibreChat
version: 1.2.1 # mine

endpoints:
    custom:
        # the first
        - name: 'Mistral'
          models: {default: ["a", "b"]} # on one line

        - name: Other
          text: >-
              folded text
        - name: Sotto
          models:
              default:
                  - omega
              fetch: false
# the end
cache: true
`);
  });

  it("replaces its own item where it is, and a second time changes nothing", () => {
    const before = `version: 1\nendpoints:\n  custom:\n  - name: A\n  # ours\n  - name: Sotto\n    models:\n      default: [old]\n  - name: B\n`;
    const once = merged("yaml", before, settings);
    expect(once).toBe(
      `version: 1\nendpoints:\n  custom:\n  - name: A\n  # ours\n  - name: Sotto\n    models:\n      default:\n      - omega\n      fetch: false\n  - name: B\n`,
    );
    expect(merged("yaml", once, settings)).toBe(once);
  });

  it.each([
    ["nothing but comments", "# version: 1\n# endpoints:\n"],
    ["a key without a value", "version: 1\nendpoints:\n  custom: # none yet\nother: 1\n"],
    ["a key without a value at the end", "endpoints:"],
    ["an empty list", "endpoints:\n  custom: []\n"],
    ["an empty map", "endpoints: {}\nother: 1\n"],
    ["no end of line", "a: 1"],
    ["Windows line ends", "a: 1\r\nendpoints:\r\n  azure: 2\r\n"],
    ["a document's start", "---\na: 1\n"],
    ["a map on one line", "a: 1\nendpoints: {azure: 1}\n"],
  ])("adds to a file with %s", (_, before) => {
    const after = merged("yaml", before, settings);
    const others = Object(parseYamlText(before)) as { endpoints?: object | null };
    expect(parseYamlText(after)).toEqual({
      version: "1.3.8",
      ...others,
      endpoints: {
        ...others.endpoints,
        custom: [{ name: "Sotto", models: { default: ["omega"], fetch: false } }],
      },
    });
    for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
    expect(merged("yaml", after, settings)).toBe(after);
  });

  it("changes a plain value and keeps the comment behind it", () => {
    expect(merged("yaml", 'model: "gpt" # best\n', [{ path: ["model"], value: "openai/omega" }])).toBe(
      "model: openai/omega # best\n",
    );
  });

  it.each([
    ["broken", "a: 1\n key: sk-secret\n  - b", "is not valid YAML"],
    ["of two documents", "a: 1\n---\nb: 2\n", "more than one YAML document"],
    ["using an alias", "x: &x\n  custom: []\nendpoints: *x\n", "cannot be edited safely"],
    ["a list", "- a\n", 'the place of "version" is not an object'],
    ["a list of another kind", "endpoints:\n  custom: 3\n", "where a list is expected"],
  ])("refuses a file that is %s, without quoting it", (_, before, why) => {
    expect(() => merged("yaml", before, settings)).toThrow(why);
    expect(() => merged("yaml", before, settings)).not.toThrow("sk-secret");
  });

  it("leaves any other settings as they were", () => {
    const block = fc.constantFrom(
      "a: 1 # one",
      "b:\n  - x: 1\n    y: [1, 2]\n\n  - z # last",
      'c: "sk: # no comment"',
      "d: |\n  text\n   more\n",
      "e:\n    f:\n        g: 2020-01-01",
      "# a comment\n#   more",
      "",
      "endpoints:\n  azure:\n    k: v\n  # nothing else",
      "h: >+\n  kept\n\n",
    );
    fc.assert(
      fc.property(fc.uniqueArray(block, { maxLength: 8 }), (blocks) => {
        const before = `${blocks.join("\n")}\n`;
        const after = merged("yaml", before, settings);
        const { endpoints, ...others } = Object(parseYamlText(before)) as { endpoints?: object };
        expect(parseYamlText(after)).toEqual({
          version: "1.3.8",
          ...others,
          endpoints: {
            ...endpoints,
            custom: [{ name: "Sotto", models: { default: ["omega"], fetch: false } }],
          },
        });
        for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
        expect(merged("yaml", after, settings)).toBe(after);
      }),
    );
  });
});
