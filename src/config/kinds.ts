/** The kinds of values that settings have, each with what is said about one that is wrong. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import * as z from "zod";
import type { Provider } from "../core/single-sign-on/provider.js";
import { engineMemberSchema } from "../protocol/engine-member.js";
import { configuredProvider } from "../protocol/identity-provider.js";
import { readAliases } from "../core/model-aliases.js";

interface Spec<T> {
  schema: z.ZodType<T>;
  default: T;
  doc: string;
  secret?: boolean;
}

type Names = readonly [string, ...string[]];

export interface Field<T> extends Spec<T> {
  /** Environment names, the first wins; also the source of the name in the file (`SOTTO_A_B` → `a_b`). */
  env: Names;
}

export const field = <T>(env: string | Names, spec: Spec<T>): Field<T> => ({
  ...spec,
  env: typeof env === "string" ? [env] : env,
});

/** Without a default. Empty means "choose for me", so that a deployment file can leave the variable blank. */
export const optionalField = <T>(
  env: string | Names,
  { schema, ...spec }: Omit<Spec<T>, "default">,
): Field<T | undefined> =>
  field(env, {
    ...spec,
    schema: z.preprocess(
      (value) => (value === "" || value === "auto" ? undefined : value),
      schema.optional(),
    ),
    default: undefined,
  });

/** One of these words, the first where none is given. */
export const choice = <Word extends string>(...words: [Word, ...Word[]]) => {
  const error = `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return { schema: z.enum(words, { error }), default: words[0] };
};

export const number = (min: number, max: number) =>
  z.coerce
    .number({ error: "must be a number" })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
export const integer = (min: number, max: number) => number(min, max).int("must be a whole number");
export const webAddress = z
  .url({ protocol: /^https?$/, error: "must be an address such as https://chat.example.com" })
  .transform((url) => url.replace(/\/+$/, ""));
/** A list in the file; the same as JSON in the environment. */
const listOf = <Item extends z.ZodType>(item: Item, of: string) =>
  z.preprocess((value, context) => {
    if (typeof value !== "string") return value;
    if (value === "") return [];
    try {
      const parsed: unknown = JSON.parse(value);
      return parsed;
    } catch {
      context.addIssue({ code: "custom", message: `must be a list of ${of} as JSON` });
      return z.NEVER;
    }
  }, z.array(item).max(64));
export const upstreamList = listOf(engineMemberSchema, "engines");
/** With secrets that are in files read from there. */
export const providerList = listOf(
  z.record(z.string(), z.unknown(), { error: "must be a list of identity providers" }),
  "identity providers",
).transform((list, context) => {
  const providers = list.flatMap((given): Provider[] => {
    const { data, error } = configuredProvider.safeParse(given);
    if (data !== undefined) return [withSecret(data, context)];
    const [{ path, message } = { path: [], message: "" }] = error.issues;
    const where = path.length === 0 ? "" : ` at '${path.join(".")}'`;
    const why = message.replace(/\.$/, "");
    context.addIssue({ code: "custom", message: `has a provider that is not valid${where} (${why})` });
    return [];
  });
  if (new Set(providers.map(({ id }) => id)).size < providers.length)
    context.addIssue({ code: "custom", message: "has two providers with the same 'id'" });
  return providers;
});
/** `name=model`, with commas between, in the environment; names and models in the file. */
export const modelAliases = z
  .union(
    [z.string().transform(aliasPairs), z.record(z.string(), z.string()).transform(Object.entries<string>)],
    {
      error: "must be aliases such as gpt-*=omega, with commas between",
    },
  )
  .transform((pairs, context) => {
    const read = readAliases(pairs);
    if ("aliases" in read) return read.aliases;
    context.addIssue({ code: "custom", message: read.problem });
    return z.NEVER;
  });
/** With commas between in the environment; a list in the file. */
export const hostList = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((host) => host.trim()) : value),
  z
    .array(
      z
        .string()
        .regex(
          /^(\*\.)?([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i,
          "must be hosts such as huggingface.co or *.example.com, with commas between",
        ),
    )
    .max(100),
);
/** Those that this machine knows. */
export const timeZone = z.string().refine(isTimeZone, {
  error: "must be a time zone such as UTC or Europe/Berlin",
});
export const yesOrNo = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean({ error: "must be true or false" }),
);
export const proxyAddresses = z.string().refine((text) => text.split(",").every(isProxyAddress), {
  error: "must be loopback, linklocal, uniquelocal or addresses such as 10.0.0.0/8, with commas between",
});

function withSecret(
  { clientSecret, clientSecretFile, ...provider }: z.output<typeof configuredProvider>,
  context: z.RefinementCtx,
): Provider {
  if (clientSecretFile === undefined) return { ...provider, clientSecret: clientSecret ?? null };
  try {
    return { ...provider, clientSecret: readFileSync(clientSecretFile, "utf8").trim() };
  } catch {
    context.addIssue({
      code: "custom",
      message: `has a provider whose 'clientSecretFile' cannot be read (${clientSecretFile})`,
    });
    return { ...provider, clientSecret: null };
  }
}

/** One without a '=' becomes a pair without a model, which is refused. */
function aliasPairs(text: string): [string, string][] {
  if (text.trim() === "") return [];
  return text.split(",").map((pair) => {
    const [name = "", ...model] = pair.split("=");
    return [name.trim(), model.join("=").trim()];
  });
}

function isProxyAddress(text: string): boolean {
  const item = text.trim();
  if (["loopback", "linklocal", "uniquelocal"].includes(item)) return true;
  const [address = "", bits, more] = item.split("/");
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  return family !== 0 && isPrefix && more === undefined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return name !== "";
  } catch {
    return false;
  }
}
