/** docs/schemas.md, generated from the compiler's own table of keywords. */
import { format } from "prettier";
import { formatNames } from "../src/engines/structured-output/json-schema/strings/formats.js";
import { keywords, type KeywordFacts } from "../src/engines/structured-output/json-schema/keywords.js";

const kinds: Record<KeywordFacts["of"], string> = {
  any: "Any value",
  object: "Objects",
  array: "Arrays",
  string: "Strings",
  number: "Numbers",
};

export async function schemasPage(): Promise<string> {
  const sections = Object.entries(kinds).map(([of, title]) => {
    const rows = Object.entries(keywords)
      .filter(([, facts]) => facts.of === of)
      .map(([name, { enforced, how, instead = "" }]) => {
        const advice = enforced === "yes" ? "" : instead.replaceAll("'", "`");
        return `| \`${name}\` | ${enforced} | ${how} | ${advice} |`;
      });
    return `## ${title}\n\n| keyword | enforced | how | with \`strict\`, instead |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  const page = `# JSON schemas

With \`response_format\` of type \`json_schema\` the reply is sampled under a grammar that is compiled from the schema, so
that it follows the schema whatever the model would say. What zod 4, Pydantic, the AI SDK and the OpenAI SDKs write is
accepted. \`{ "type": "json_object", "schema": … }\` means the same. Schemas are read as JSON Schema 2020-12; what draft
4, draft 7 and OpenAPI 3.0 write differently is understood too.

- Without \`strict\`, or with \`strict: false\`, a keyword that cannot be enforced is ignored, and everything else holds.
- With \`strict: true\` such a keyword is refused with 400 \`invalid_value\`: the message names its place by keywords and
  positions (\`….properties[3].items\`; names are never repeated) and says what to write instead.
- Refused always: a schema that nothing can satisfy, one that is malformed or too large, a \`$ref\` that leads nowhere,
  and a pattern whose groups are nested more than 50 levels deep.
- Other words (\`title\`, \`description\`, \`default\`, \`examples\`, \`readOnly\`, \`discriminator\`, a library's own) are
  annotations: accepted, without effect.

Replies keep to a part of what a schema allows: properties come in the order in which it declares them, other names come
up only where it declares none, and strings and arrays end at 1,000 characters or items.

${sections.join("\n")}
## Formats

Enforced are ${formatNames.map((name) => `\`${name}\``).join(", ")}. Beside a \`pattern\` that can be enforced, the
pattern is, and the format is not; beside one that cannot, the format is enforced instead.

_Generated from \`src/engines/structured-output/json-schema/keywords.ts\` by \`npm run docs\`._
`;
  return format(page, { parser: "markdown", printWidth: 110 });
}
