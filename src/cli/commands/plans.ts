/** `sotto plans`: the limits of accounts. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { countOrNone, parseCount, quotaOrNone } from "../option-values.js";
import {
  changed,
  changedQuotas,
  describeQuotas,
  limitsJson,
  quotaOptions,
  type QuotaOptions,
} from "../limits.js";
import { tableOf } from "../output.js";
import { storeCommand } from "../store-command.js";
import { defaultPlanId } from "../../core/accounts/accounts.js";
import { deletePlan, listPlans, requirePlan, savePlan } from "../../core/accounts/plans.js";
import { planWeight } from "../../core/bounds.js";
import { DashboardError } from "../../core/dashboard-error.js";
import type { Plan } from "../../core/entities.js";
import { isModelId, type ModelId, modelIds } from "../../core/models.js";

export function plansCommand(program: Command): void {
  const plans = program.command("plans").description("create, list, change and delete plans");
  listCommand(plans);
  createCommand(plans);
  setCommand(plans);
  deleteCommand(plans);
}

interface PlanOptions extends QuotaOptions {
  name?: string;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  concurrent?: number;
  keys?: number;
  /** "none" and "all" become null in `changedPlan`. */
  maxTokens?: number | "none";
  models?: ModelId[] | "all";
  requireEncryption?: "on" | "off";
  weight?: number;
}

function listCommand(plans: Command): void {
  storeCommand(plans, "list", "list all plans").onStore(async ({ store }) => {
    const listed = await listPlans(store);
    const text = tableOf(listed, {
      id: ({ plan }) => plan.id,
      name: ({ plan }) => plan.name,
      "requests/min": ({ plan }) => plan.requestsPerMinute,
      "tokens/min": ({ plan }) => plan.tokensPerMinute,
      concurrent: ({ plan }) => plan.concurrentRequests,
      keys: ({ plan }) => plan.maxKeys,
      max_tokens: ({ plan }) => plan.maxTokens ?? "the context",
      quotas: ({ plan }) => describeQuotas(plan).join(", ") || "none",
      models: ({ plan }) => plan.models?.join(", ") ?? "all",
      encryption: ({ plan }) => (plan.requiresEncryption ? "required" : "optional"),
      weight: ({ plan }) => plan.weight,
      accounts: ({ accounts }) => accounts,
    });
    return [listed.map(({ plan, accounts }) => ({ ...toJson(plan), accounts })), text];
  });
}

function createCommand(plans: Command): void {
  planOptions(
    storeCommand(plans, "create <id>", "create a plan; what is not given is copied from the plan 'free'"),
  )
    .notes(
      `
Examples:
  sotto plans create team --name Team --requests-per-minute 3000 --tokens-per-minute 1000000 --concurrent 64
  sotto accounts set-plan ada@example.com team`,
    )
    .onStore(async ({ store, record }, id: string, options: PlanOptions) => {
      if ((await store.findPlan(id)) !== null) {
        throw new DashboardError("conflict", `There is a plan '${id}' already. Change it: sotto plans set`);
      }
      const base = await requirePlan(store, defaultPlanId);
      const plan = await savePlan(store, changedPlan({ ...base, id, name: id }, options));
      await record("saved plan", id);
      return [toJson(plan), `Created the plan ${plan.id}: ${describe(plan)}.`];
    });
}

function setCommand(plans: Command): void {
  planOptions(storeCommand(plans, "set <id>", "change a plan, for all its accounts"))
    .notes(
      `
Examples:
  sotto plans set free --requests-per-minute 60 --concurrent 4
  sotto plans set free --max-tokens none --models omega,prism
  sotto plans set free --tokens-per-day 200000 --tokens-per-month none

A running server follows within 2 seconds.`,
    )
    .onStore(async ({ store, record }, id: string, options: PlanOptions) => {
      const plan = await savePlan(store, changedPlan(await requirePlan(store, id), options));
      await record("saved plan", id);
      return [toJson(plan), `The plan ${plan.id} is: ${describe(plan)}.`];
    });
}

function deleteCommand(plans: Command): void {
  storeCommand(plans, "delete <id>", "delete a plan that no account is on").onStore(
    async ({ store, record }, id: string) => {
      await deletePlan(store, id);
      await record("deleted plan", id);
      return [{ id, deleted: true }, `Deleted the plan ${id}.`];
    },
  );
}

function planOptions<C extends Command>(command: C): C {
  command
    .option("--name <name>", "what people see", parseName)
    .option("--requests-per-minute <n>", "requests per minute, for the whole account", parseCount)
    .option("--tokens-per-minute <n>", "tokens per minute, prompts and replies together", parseCount)
    .option("--concurrent <n>", "concurrent requests", parseCount)
    .option("--keys <n>", "keys", parseCount)
    .option("--max-tokens <n>", "the largest max_tokens; 'none' for no limit but the context", countOrNone);
  return quotaOptions(command, quotaOrNone, "; 'none' for none")
    .option("--models <list>", "only these models, such as omega,prism; 'all' for every model", parseModels)
    .addOption(
      new Option("--require-encryption <on|off>", "refuse requests whose bodies are not encrypted").choices([
        "on",
        "off",
      ]),
    )
    .option("--weight <n>", "share of a busy engine beside other plans, 1 to 100", parseWeight);
}

const changedPlan = (plan: Plan, options: PlanOptions): Plan => ({
  id: plan.id,
  name: options.name ?? plan.name,
  requestsPerMinute: options.requestsPerMinute ?? plan.requestsPerMinute,
  tokensPerMinute: options.tokensPerMinute ?? plan.tokensPerMinute,
  concurrentRequests: options.concurrent ?? plan.concurrentRequests,
  maxKeys: options.keys ?? plan.maxKeys,
  maxTokens: changed(plan.maxTokens, options.maxTokens),
  ...changedQuotas(plan, options),
  models: options.models === "all" ? null : (options.models ?? plan.models),
  requiresEncryption:
    options.requireEncryption === undefined ? plan.requiresEncryption : options.requireEncryption === "on",
  weight: options.weight ?? plan.weight,
});

function parseWeight(text: string): number {
  const weight = parseCount(text);
  if (weight <= planWeight.max) return weight;
  throw new InvalidArgumentError(`Write a whole number from ${planWeight.min} to ${planWeight.max}.`);
}

function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 80 && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidArgumentError("Write 1 to 80 characters.");
}

function parseModels(text: string): ModelId[] | "all" {
  if (text === "all") return text;
  const names = text.split(",").map((name) => name.trim());
  const models = names.filter(isModelId);
  if (models.length > 0 && models.length === names.length) return models;
  throw new InvalidArgumentError(`Write one or more of ${modelIds.join(", ")} with commas, or 'all'.`);
}

const describe = (plan: Plan): string =>
  [
    `${plan.requestsPerMinute} requests and ${plan.tokensPerMinute} tokens per minute`,
    `${plan.concurrentRequests} concurrent`,
    `${plan.maxKeys} keys`,
    plan.maxTokens === null ? "replies as long as the context" : `replies up to ${plan.maxTokens} tokens`,
    ...describeQuotas(plan),
    plan.models === null ? "every model" : plan.models.join(", "),
    ...(plan.requiresEncryption ? ["encrypted requests only"] : []),
    ...(plan.weight === planWeight.usual ? [] : [`weight ${plan.weight}`]),
  ].join(", ");

const toJson = (plan: Plan) => ({
  id: plan.id,
  name: plan.name,
  ...limitsJson(plan),
  max_keys: plan.maxKeys,
  max_tokens: plan.maxTokens,
  models: plan.models,
  requires_encryption: plan.requiresEncryption,
  weight: plan.weight,
});
