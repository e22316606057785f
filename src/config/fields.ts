/** Every setting: environment name, default, what it does. `npm run docs` writes docs/configuration.md from it. */
import * as z from "zod";
import { graceDays } from "../core/bounds.js";
import { requiredFor } from "../core/factors/requirement.js";
import { defaultAliases } from "../core/model-aliases.js";
import { engineFields } from "./engine-fields.js";
import {
  choice,
  field,
  hostList,
  integer,
  modelAliases,
  number,
  optionalField,
  providerList,
  proxyAddresses,
  webAddress,
  yesOrNo,
  type Field,
} from "./kinds.js";
import { limitFields } from "./limit-fields.js";
import { chatModelFields, sourceFields } from "./model-fields.js";

const serviceFields = {
  host: field("SOTTO_HOST", {
    schema: z.string().min(1, "must be an address such as 127.0.0.1 or 0.0.0.0"),
    default: "127.0.0.1",
    doc: "Address to listen on. `0.0.0.0` accepts connections from other machines.",
  }),
  port: field(["SOTTO_PORT", "PORT"], {
    schema: integer(0, 65535),
    default: 8080,
    doc: "Port to listen on; `0` takes a free one.",
  }),
  processes: field("SOTTO_PROCESSES", {
    schema: z.union([z.literal("auto"), integer(1, 64)], {
      error: "must be a whole number from 1 to 64, or auto",
    }),
    default: 1,
    doc: "How many processes serve requests, on one port. More than one is for gateways: chat models must be served by engines on the network. `auto`: half of the cores, at most 8, where the configuration names such engines for every chat model; otherwise 1 ([more](operating.md#several-processes)).",
  }),
  tlsCert: optionalField("SOTTO_TLS_CERT", {
    schema: z.string().min(1, "must be a file"),
    doc: "File with the certificate, and those of its issuers, in PEM: the server then speaks HTTPS, with `SOTTO_TLS_KEY`. Taken up again when it changes ([more](operating.md#tls-without-a-proxy)). Default: HTTP, for a reverse proxy in front.",
  }),
  tlsKey: optionalField("SOTTO_TLS_KEY", {
    schema: z.string().min(1, "must be a file"),
    doc: "File with the private key of `SOTTO_TLS_CERT`, in PEM.",
  }),
  dataDir: field("SOTTO_DATA_DIR", {
    schema: z.string().min(1, "must be a folder"),
    default: "./data",
    doc: "Folder for the database and the model files.",
  }),
  ownerName: optionalField("SOTTO_OWNER_NAME", {
    schema: z.string().max(100),
    doc: "The operator's name, shown on the pages, in mails and as `owned_by` in the list of models. Default: what an admin entered at set-up or under Admin.",
  }),
  modelAliases: field("SOTTO_MODEL_ALIASES", {
    schema: modelAliases,
    default: defaultAliases,
    doc: "Other names for the models, such as `gpt-*=omega,gpt-4o-mini=lambda`; `*` stands for any characters. Exact names come before patterns, then the first match decides ([more](models.md#aliases)). Empty for none. Those of `sotto apply` count only while this is not set.",
  }),
  listAliases: field("SOTTO_LIST_ALIASES", {
    schema: yesOrNo,
    default: false,
    doc: "Whether `GET /v1/models` also lists the aliases. Patterns are never listed.",
  }),
  logLevel: field("SOTTO_LOG_LEVEL", {
    ...choice("silent", "error", "warn", "info", "debug", "trace"),
    default: "info" as const,
    doc: "How much is logged. No level logs what users send.",
  }),
  logFormat: field("SOTTO_LOG_FORMAT", {
    ...choice("auto", "text", "json"),
    doc: "How log lines look: `text` for people, `json` for programs, `auto` text on a terminal and JSON elsewhere. Both have the same fields.",
  }),
  bodyLimitBytes: field("SOTTO_BODY_LIMIT_BYTES", {
    schema: integer(1024, 256 * 1024 * 1024),
    default: 4 * 1024 * 1024,
    doc: "Largest request body, its images not counted.",
  }),
  imageBodyLimitBytes: field("SOTTO_IMAGE_BODY_LIMIT_BYTES", {
    schema: integer(1024, 256 * 1024 * 1024),
    default: 32 * 1024 * 1024,
    doc: "Largest request body with its images ([more](images.md)). Up to eight such bodies are held in memory until they are answered.",
  }),
  images: field("SOTTO_IMAGES", {
    ...choice("auto", "refuse", "omit"),
    doc: "What happens to images on a model that reads text only: `refuse` answers 400; `omit` puts a sentence in the place of each and says so in the header `sotto-ignored`; `auto` refuses in chat completions and omits in `/v1/messages` and `/v1/responses` ([more](images.md)).",
  }),
  imageFetch: field("SOTTO_IMAGE_FETCH", {
    ...choice("on", "off"),
    default: "off" as const,
    doc: "`on` fetches images that a request names by their address, from public addresses only, for models that can see. `off` refuses them.",
  }),
  itemMemory: field("SOTTO_ITEM_MEMORY", {
    ...choice("on", "off"),
    doc: "`on` keeps the items of a reply of `/v1/responses` in this server's memory, encrypted, for up to ten minutes after their last use, so that clients may refer to them by id, unless they set `store: false`. `off` refuses such references.",
  }),
  fairness: field("SOTTO_FAIRNESS", {
    ...choice("member", "team"),
    doc: "Who takes turns with whom in the queue, and whose cached conversations are kept apart: `member` treats each person as one party, whichever team they act for, and the service keys of a team as another; `team` treats a whole team as one ([more](teams.md)).",
  }),
  secretKey: optionalField("SOTTO_SECRET_KEY", {
    schema: z.string().min(32, "must have at least 32 characters"),
    doc: "Encrypts the service's own secrets in the database (the keys that sign statements and open encrypted bodies), and the summaries of compacted conversations, which clients keep. The same on all replicas. Default: the file `service.key` in the data directory, created at the first start; keep a copy apart from backups of the database.",
    secret: true,
  }),
  proofKeys: field("SOTTO_PROOF_KEYS", {
    ...choice("stored", "memory"),
    doc: "Where the keys that sign statements and open encrypted bodies live: `stored` in the database, encrypted; `memory` in this process only, with new ones at each start, for a single server.",
  }),
  encryptionKeyHours: field("SOTTO_ENCRYPTION_KEY_HOURS", {
    schema: integer(1, 8_760),
    default: 24,
    doc: "How often the key that clients encrypt bodies to is replaced, in hours; each is accepted for as long again, then deleted. The same on all replicas ([more](encryption.md)).",
  }),
  requireEncryption: field("SOTTO_REQUIRE_ENCRYPTION", {
    ...choice("off", "all"),
    doc: "`all` refuses requests for completions whose bodies are not encrypted, those of the playground too. `off` leaves it to each account's plan.",
  }),
  maxConnections: optionalField("SOTTO_MAX_CONNECTIONS", {
    schema: integer(1, 1_000_000),
    doc: "Most concurrent connections; one more replaces an idle one or is answered 503. Default: 16384, or fewer if the process may not open enough files (`ulimit -n`): two for each connection.",
  }),
  metricsToken: optionalField("SOTTO_METRICS_TOKEN", {
    schema: z.string().min(16, "must have at least 16 characters"),
    doc: "Serves Prometheus metrics at `/metrics` to requests that carry this bearer token. Without it, and without `SOTTO_METRICS_PORT`, there are no metrics to read.",
    secret: true,
  }),
  metricsPort: optionalField("SOTTO_METRICS_PORT", {
    schema: integer(0, 65535),
    doc: "Serves `/metrics` without a token on this port of 127.0.0.1.",
  }),
  otlpEndpoint: optionalField("OTEL_EXPORTER_OTLP_ENDPOINT", {
    schema: webAddress,
    doc: "Sends one OpenTelemetry span for each request to this collector, by OTLP over HTTP. A span has names and numbers, no content. Default: none.",
  }),
  otlpHeaders: optionalField("OTEL_EXPORTER_OTLP_HEADERS", {
    schema: z
      .string()
      .regex(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, "must be names and values, such as a=b,c=d"),
    doc: "Headers for the collector, such as `authorization=Bearer …`. Default: none.",
    secret: true,
  }),
  otlpServiceName: field("OTEL_SERVICE_NAME", {
    schema: z.string().min(1).max(100),
    default: "sotto",
    doc: "Name of this service in traces.",
  }),
};

const accountFields = {
  signUp: field("SOTTO_SIGN_UP", {
    ...choice("open", "invite", "closed"),
    doc: "Who may create an account in the dashboard: everyone, whoever has an invitation, or nobody.",
  }),
  signIn: field("SOTTO_SIGN_IN", {
    ...choice("all", "oidc"),
    doc: "How people sign in: `oidc` with identity providers only, so that passwords and passkeys are neither asked for nor accepted; `all` with those, too. `sotto open` signs an admin in either way ([more](single-sign-on.md)).",
  }),
  oidcProviders: field("SOTTO_OIDC_PROVIDERS", {
    schema: providerList,
    default: [],
    doc: "Identity providers (OpenID Connect) that people can sign in with, a list: see [single-sign-on.md](single-sign-on.md). Admins can add others on a page. Default: none.",
    secret: true,
  }),
  publicUrl: optionalField("SOTTO_PUBLIC_URL", {
    schema: webAddress,
    doc: "Address at which people reach the service, for links in mails, feeds, the sitemap and link previews. The dashboard answers under this host name and the names of this machine; others are refused. Default: `http://` with host and port.",
  }),
  smtpUrl: optionalField("SOTTO_SMTP_URL", {
    schema: z.url({
      protocol: /^smtps?$/,
      error: "must be an address such as smtps://user:password@mail.example.com",
    }),
    doc: "Mail server for password links and invitations. Without it the operator hands them out. Default: none.",
    secret: true,
  }),
  mailFrom: field("SOTTO_MAIL_FROM", {
    schema: z.string().min(3).max(254),
    default: "Sotto <sotto@localhost>",
    doc: "Sender of mails.",
  }),
  secondFactor: optionalField("SOTTO_SECOND_FACTOR", {
    schema: z.enum(requiredFor, { error: "must be off, admins or all" }),
    doc: "Who must have a second factor to use the dashboard: nobody (`off`), admins, or `all`. Keys are not affected. Default: as chosen on the Accounts page of the admins.",
  }),
  secondFactorGraceDays: field("SOTTO_SECOND_FACTOR_GRACE_DAYS", {
    schema: integer(graceDays.min, graceDays.max),
    default: graceDays.usual,
    doc: "Days that accounts have to add a second factor once it is required, or since they were created.",
  }),
  sessionIdleDays: field("SOTTO_SESSION_IDLE_DAYS", {
    schema: number(0.01, 365),
    default: 7,
    doc: "Days without use after which people are signed out of the dashboard.",
  }),
  sessionDays: field("SOTTO_SESSION_DAYS", {
    schema: number(0.01, 365),
    default: 30,
    doc: "Days after which people are signed out even if they use it every day.",
  }),
  usageRetentionDays: field("SOTTO_USAGE_RETENTION_DAYS", {
    schema: integer(1, 36_500),
    default: 400,
    doc: "Days for which usage and the audit trail are kept.",
  }),
  trustProxy: optionalField("SOTTO_TRUST_PROXY", {
    schema: proxyAddresses,
    doc: "Reverse proxies whose `X-Forwarded-*` headers are trusted for the address of a client and TLS: `loopback`, `uniquelocal`, addresses or ranges such as `10.0.0.0/8`, separated by commas. Default: none.",
  }),
};

const storageFields = {
  databaseUrl: optionalField("SOTTO_DATABASE_URL", {
    schema: z.url({
      protocol: /^postgres(ql)?$/,
      error: "must be an address such as postgres://user:password@db.example.com/sotto",
    }),
    doc: "Postgres database for the rows, which several replicas may share. `?sslmode=` is `disable` (default), `require`, `verify-ca` or `verify-full`; `&sslrootcert=` names a file with the issuer's certificate. Default: SQLite in the data directory.",
    secret: true,
  }),
  databasePoolSize: field("SOTTO_DATABASE_POOL_SIZE", {
    schema: integer(1, 1000),
    default: 10,
    doc: "Most concurrent connections to Postgres.",
  }),
  upgradeCopyDays: field("SOTTO_UPGRADE_COPY_DAYS", {
    schema: integer(0, 365),
    default: 30,
    doc: "How long the copies of the SQLite database are kept that are taken before a new version migrates it, at most three, in `upgrade-copies` in the data directory. `0` takes none ([more](upgrading.md)).",
  }),
  redisUrl: optionalField("SOTTO_REDIS_URL", {
    schema: z.url({
      protocol: /^rediss?$/,
      error: "must be an address such as redis://cache.example.com:6379/0",
    }),
    doc: "Redis or Valkey that counts limits for all replicas together (`rediss://` for TLS). Default: each process counts for itself.",
    secret: true,
  }),
  replicas: field("SOTTO_REPLICAS", {
    schema: integer(1, 10_000),
    default: 1,
    doc: "How many replicas share the limits, used until Redis has been reached once: each then allows its share.",
  }),
};

const downloadFields = {
  npmRegistry: field(["SOTTO_NPM_REGISTRY", "npm_config_registry"], {
    schema: webAddress,
    default: "https://registry.npmjs.org",
    doc: "Where `sotto engine install` finds packages. What it downloads must have a known hash, wherever it comes from.",
  }),
  starterSource: optionalField("SOTTO_STARTER_SOURCE", {
    schema: z.url({ protocol: /^(https?|file)$/, error: "must be an https or file address" }),
    doc: "Where the starter weights are if their packages are not installed: a folder that `sotto models mirror` wrote, as an `https:` or `file:` address. They must have their known hashes, wherever they come from. Default: none.",
  }),
  hfEndpoint: field("SOTTO_HF_ENDPOINT", {
    schema: webAddress,
    default: "https://huggingface.co",
    doc: "Where `sotto models pull` finds models: Hugging Face or a mirror of it.",
  }),
  hfToken: optionalField("SOTTO_HF_TOKEN", {
    schema: z.string().min(1),
    doc: "Token for models that ask for one. Sent to that address only. Default: none.",
    secret: true,
  }),
  hosts: optionalField("SOTTO_DOWNLOAD_HOSTS", {
    schema: hostList,
    doc: "Hosts that weights may be downloaded from, redirects included: names, with a port where it is not the default, or `*.example.com` for all subdomains, separated by commas. Default: for the dashboard the host of `SOTTO_HF_ENDPOINT`, `huggingface.co`, `hf.co` and their subdomains; for the command line any.",
  }),
};

/** Every field by group, as documented and as written in the file. */
export const configFields = {
  service: serviceFields,
  accounts: accountFields,
  storage: storageFields,
  engine: engineFields,
  downloads: downloadFields,
  limits: limitFields,
  omega: chatModelFields("omega"),
  prism: chatModelFields("prism"),
  lambda: chatModelFields("lambda"),
  iota: sourceFields(
    "iota",
    "GGUF file of an embedding model or a reranker that answers for `iota`, `starter` for the embedding model that comes with Sotto, or `off` for no such model. Default: what `sotto models use` chose, or else the starter; this setting takes precedence ([more](embeddings.md)).",
  ),
} satisfies Record<string, Record<string, Field<never> | Field<unknown>>>;
