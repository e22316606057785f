/** Whether the client can work with each of the models, in words, and what to do where it cannot. */
import { Link } from "wouter";
import type { ConnectClient, ConnectTarget } from "../../../../src/connect/client.js";
import { betterModels, type Fit, fitOf, type FitLevel, fitWords } from "../../../../src/connect/fit.js";
import type { ChatModelId } from "../../../../src/core/models.js";
import { Badge, type Tone } from "../../../components/states/badge.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { useSite } from "../../../service/queries.ts";

interface ClientFitProps {
  client: ConnectClient;
  target: ConnectTarget;
  onModel: (model: ChatModelId) => void;
}

export function ClientFit({ client, target, onModel }: ClientFitProps) {
  const { plan } = useMe();
  if (client.needs === undefined) return null;
  const fits = target.models.map((model) => ({ model, fit: fitOf(client, model, plan.tokensPerMinute) }));
  const chosen = fits.find(({ model }) => model.id === target.model);
  return (
    <div className="flex flex-col gap-3">
      <ul
        aria-label={`${client.name} and the models`}
        className="divide-y divide-line rounded-md border border-line"
      >
        {fits.map(({ model, fit }) => (
          <li key={model.id} className="flex flex-col items-start gap-x-4 gap-y-1.5 px-4 py-3 sm:flex-row">
            <span className="flex w-full shrink-0 items-center justify-between gap-3 sm:w-44">
              <span className="font-mono text-sm">{model.id}</span>
              <FitBadge level={fit.level} />
            </span>
            <span className="min-w-0 text-sm text-muted">{fit.text}</span>
          </li>
        ))}
      </ul>
      {chosen !== undefined && chosen.fit.wanted !== null && (
        <WayOut
          wanted={chosen.fit.wanted}
          better={betterModels(client, chosen.model, target.models)[0]?.id}
          onModel={onModel}
        />
      )}
    </div>
  );
}

export function FitBadge({ level }: { level: FitLevel }) {
  return <Badge tone={tones[level]}>{fitWords[level]}</Badge>;
}

const tones: Record<FitLevel, Tone> = { works: "good", limited: "warn", fails: "bad" };

interface WayOutProps {
  wanted: NonNullable<Fit["wanted"]>;
  better: ChatModelId | undefined;
  onModel: (model: ChatModelId) => void;
}

function WayOut({ wanted, better, onModel }: WayOutProps) {
  const { account } = useMe();
  const { data: site } = useSite();
  const link = "text-accent underline underline-offset-3";
  if (better !== undefined) {
    return (
      <p className="text-sm">
        <button type="button" className={`cursor-pointer ${link}`} onClick={() => onModel(better)}>
          Use {better}
        </button>{" "}
        instead: it fits better.
      </p>
    );
  }
  if (account.role === "admin") {
    const isPlan = wanted.what === "plan";
    return (
      <p className="text-sm">
        It needs {wanted.text}:{" "}
        <Link href={isPlan ? "/admin/plans" : "/admin/models"} className={link}>
          {isPlan ? "change the plan" : "choose another model"}
        </Link>
        .
      </p>
    );
  }
  return (
    <p className="text-sm">
      Ask {site?.operator.name ?? "the operator"} for {wanted.text}.
    </p>
  );
}
