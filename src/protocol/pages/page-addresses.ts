/**
 * The pages, by address: the dashboard has one for each of these, and the service no other. With what the head of each
 * says: its title, and what search engines and link previews show of it. Pages that belong to an account have no
 * description, and ask not to be indexed.
 */

export interface PageHead {
  /** Before " · Sotto"; null on the first page, which has a title of its own. */
  title: string | null;
  /** Null on pages that belong to an account. */
  description: string | null;
}

const publicHeads = {
  "/": {
    title: null,
    description:
      "A private, OpenAI-compatible chat API. Requests are processed in memory: not stored, not logged, not used for training.",
  },
  "/docs": {
    title: "Quickstart",
    description: "From no account to the first reply: a key, the base URL, and code for the library you use.",
  },
  "/docs/models": {
    title: "Models",
    description: "omega, prism and lambda chat, iota embeds: what each can do, and how long a text may be.",
  },
  "/docs/aliases": {
    title: "Model aliases",
    description: "Other names for the models, for clients that insist on a name of their own.",
  },
  "/docs/streaming": {
    title: "Streaming",
    description: "Read the reply as it is generated: server-sent events, token counts, errors midway.",
  },
  "/docs/tools": {
    title: "Tools",
    description: "Let the model call your functions: definitions, results, an agent loop, reasoning.",
  },
  "/docs/responses": {
    title: "Responses API",
    description: "POST /v1/responses, stateless: what is accepted, what is refused, and the stream's events.",
  },
  "/docs/messages": {
    title: "Messages API",
    description: "POST /v1/messages for Anthropic's libraries and Claude Code, and counting tokens.",
  },
  "/docs/embeddings": {
    title: "Embeddings",
    description: "POST /v1/embeddings and /v1/rerank: vectors of texts, and documents ranked by relevance.",
  },
  "/docs/ollama": {
    title: "Ollama API",
    description: "For programs that speak Ollama's API only: /api/chat, /api/generate, models and vectors.",
  },
  "/docs/endpoints": {
    title: "Endpoints",
    description:
      "Every endpoint of OpenAI's, Anthropic's and Ollama's APIs: supported, refused or not planned.",
  },
  "/docs/api": {
    title: "API reference",
    description: "Every operation, parameter and response, with examples for curl, Python and Node.",
  },
  "/docs/errors": {
    title: "Errors",
    description: "Every error code with its status, what it means, and whether to retry.",
  },
  "/docs/limits": {
    title: "Limits",
    description: "Requests and tokens per minute, concurrency, the headers that report them, and 429.",
  },
  "/docs/key": {
    title: "Your key",
    description: "GET /v1/key: what a key may use, and how much of its limits is left.",
  },
  "/docs/privacy": {
    title: "Privacy & trust",
    description: "What is stored, what stays in memory and for how long, and how the promise is tested.",
  },
  "/changelog": {
    title: "Changelog",
    description: "What is new in this service, and planned maintenance. Also as a feed.",
  },
  "/status": {
    title: "Status",
    description:
      "Which models are available now, 90 days of availability, incidents and maintenance. Also as a feed.",
  },
  "/verify": {
    title: "Verify",
    description: "Check what a service proves about itself: its signed statement, its log, its keys.",
  },
  "/transparency": {
    title: "Transparency log",
    description: "Every statement that this service has signed about itself, and what changed, in words.",
  },
  "/sign-up": {
    title: "Create your account",
    description: "Create an account with an email address and a password. Every plan includes an API key.",
  },
  "/sign-in": { title: "Sign in", description: "Sign in to the dashboard: keys, usage, limits, playground." },
} satisfies Record<string, PageHead>;

const privateTitles = {
  "/sign-in/join": "Link your account",
  "/sign-in/confirmed": "Confirm that it is you",
  "/setup": "Welcome to Sotto",
  "/reset": "Reset your password",
  "/confirm": "Confirm your email address",
  "/join": "Join a team",
  "/app": "Overview",
  "/app/keys": "Keys",
  "/app/connect": "Connect",
  "/app/usage": "Usage",
  "/app/playground": "Playground",
  "/app/limits": "Limits",
  "/app/account": "Account",
  "/app/security": "Security",
  "/app/teams/:team": "Team",
  "/app/teams/:team/keys": "Keys",
  "/app/teams/:team/usage": "Usage",
  "/app/teams/:team/playground": "Playground",
  "/app/teams/:team/limits": "Limits",
  "/admin": "Dashboard",
  "/admin/usage": "Service usage",
  "/admin/accounts": "Accounts",
  "/admin/accounts/:id": "Dashboard",
  "/admin/teams": "Teams",
  "/admin/teams/:id": "Dashboard",
  "/admin/plans": "Plans",
  "/admin/models": "Models",
  "/admin/engines": "Engines",
  "/admin/changelog": "Changelog",
  "/admin/maintenance": "Maintenance",
  "/admin/sign-in": "Single sign-on",
  "/admin/webhooks": "Webhooks",
  "/admin/audit": "Audit trail",
};

type PublicAddress = keyof typeof publicHeads;
export type PageAddress = PublicAddress | keyof typeof privateTitles;

/** Those that anyone may read, and search engines may show. */
export const publicAddresses = Object.keys(publicHeads) as readonly PublicAddress[];

export const pageAddresses = Object.keys({ ...publicHeads, ...privateTitles }) as readonly PageAddress[];

export const pageHead = (address: PageAddress): PageHead =>
  isPublic(address) ? publicHeads[address] : { title: privateTitles[address], description: null };

const isPublic = (address: PageAddress): address is PublicAddress => address in publicHeads;
