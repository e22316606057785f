import { useQuery } from "@tanstack/react-query";
import { chatModelIds } from "../../src/core/models.js";
import { ChatCode } from "../chat-code.tsx";
import { ButtonLink } from "../components/controls/button.tsx";
import { FadeFigure } from "../components/figures/fade-figure.tsx";
import { ModelFactList, StarterNote } from "../components/models/model-facts.tsx";
import { ModelMark } from "../components/models/model-name.tsx";
import { StateBadge } from "../components/states/state-badge.tsx";
import { ArrowLink } from "../components/text/arrow-link.tsx";
import { useTitle } from "../hooks/use-title.ts";
import { useSite, queries } from "../service/queries.ts";
import { LandingDiff } from "./landing-diff.tsx";
import { LandingProduct } from "./landing-product.tsx";

export default function Landing() {
  useTitle(null);
  return (
    <div className="mx-auto max-w-7xl px-5 sm:px-8">
      <Hero />
      <Quickstart />
      <LandingProduct />
      <LandingPromise />
      <LandingModels />
      <Closing />
    </div>
  );
}

function Hero() {
  return (
    <section aria-labelledby="hero" className="pt-16 sm:pt-24">
      <div className="grid gap-x-16 gap-y-8 lg:grid-cols-12 lg:items-end">
        <h1 id="hero" className="max-w-[8em] text-4xl sm:text-5xl lg:col-span-7">
          The chat API that forgets.
        </h1>
        <div className="lg:col-span-5">
          <p className="text-lg text-muted">
            Sotto speaks the OpenAI format, so the libraries you already use work with it. What you write is
            processed in memory and never written to disk. Sotto’s own engine drops a conversation’s cached
            state ten minutes after its last turn; engines on the network keep theirs by their own rules.
          </p>
          <SignUpButtons />
        </div>
      </div>
      <Fade />
    </section>
  );
}

const stations = [
  { title: "You ask", text: "with your key, in the OpenAI format" },
  { title: "It is answered", text: "in memory, on hardware the operator controls" },
  { title: "You read", text: "as it streams, word by word" },
  { title: "Nothing is stored", text: "not on disk, not in logs, not trained on" },
];

/** What happens to a request, from left to right. */
function Fade() {
  return (
    <div className="mt-16 sm:mt-24">
      <div className="flex items-center gap-1">
        <FadeFigure className="h-28 min-w-0 flex-1 sm:h-44" />
        <span className="size-4 shrink-0 rounded-full border-2 border-accent sm:size-5" />
      </div>
      <ol className="mt-6 grid grid-cols-2 gap-x-6 gap-y-5 md:grid-cols-4">
        {stations.map((station) => (
          <li key={station.title} className="md:last:text-right">
            <p className="font-medium">{station.title}</p>
            <p className="text-sm text-muted">{station.text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Quickstart() {
  return (
    <section aria-labelledby="quickstart" className="mt-28 grid gap-x-16 gap-y-8 sm:mt-40 lg:grid-cols-12">
      <div className="lg:col-span-4">
        <h2 id="quickstart" className="text-3xl">
          Change two lines
        </h2>
        <p className="mt-4 text-lg text-muted">
          Point your library at this address and give it your key. Requests, replies, streams and errors have
          the format it expects.
        </p>
        <p className="mt-6">
          <ArrowLink href="/docs#clients">Coding agents, editors and other clients</ArrowLink>
        </p>
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:col-span-8">
        <LandingDiff />
        <p className="mt-4 text-muted">Then call one of the three models. The complete first request:</p>
        <ChatCode />
      </div>
    </section>
  );
}

function Closing() {
  return (
    <section
      aria-labelledby="closing"
      className="mt-28 grid gap-x-16 gap-y-6 border-t border-line pt-16 sm:mt-40 lg:grid-cols-12"
    >
      <h2 id="closing" className="text-3xl lg:col-span-7">
        A working key in a minute
      </h2>
      <div className="lg:col-span-5">
        <p className="text-lg text-muted">
          Accounts are free: an email address and a password, no payment card. Every plan includes an API key.
        </p>
        <SignUpButtons />
      </div>
    </section>
  );
}

function SignUpButtons() {
  const { data: site } = useSite();
  const open = site === undefined || site.signUp === "open";
  return (
    <div className="mt-7 flex flex-wrap gap-3">
      {site?.me != null ? (
        <ButtonLink href="/app" variant="primary" size="lg">
          Open the dashboard
        </ButtonLink>
      ) : (
        <ButtonLink href={open ? "/sign-up" : "/sign-in"} variant="primary" size="lg">
          {open ? "Create a free account" : "Sign in"}
        </ButtonLink>
      )}
      <ButtonLink href="/docs" size="lg">
        Read the docs
      </ButtonLink>
    </div>
  );
}

function LandingModels() {
  const { data: status } = useQuery(queries.status);
  const models = useQuery(queries.models).data?.models ?? [];
  return (
    <section aria-labelledby="models" className="mt-28 sm:mt-40">
      <div className="grid gap-x-16 gap-y-4 lg:grid-cols-12 lg:items-end">
        <h2 id="models" className="text-3xl lg:col-span-7">
          Three models, one API
        </h2>
        <p className="text-lg text-muted lg:col-span-5">
          The same endpoint, the same parameters, the same promise. Choose by name.
        </p>
      </div>
      <ul className="mt-10 grid overflow-clip rounded-lg border border-line bg-line sm:grid-cols-3 sm:gap-px">
        {chatModelIds.map((id) => {
          const state = status?.models.find((model) => model.id === id)?.state;
          const facts = models.find((model) => model.id === id);
          return (
            <li
              key={id}
              className="flex flex-col border-b border-line bg-surface p-6 last:border-0 sm:border-0 sm:p-8"
            >
              <div className="flex items-start justify-between">
                <ModelMark model={id} className="size-9 text-accent" />
                {state !== undefined && <StateBadge state={state} />}
              </div>
              <h3 className="mt-10 text-2xl">{id}</h3>
              <code className="mt-1 font-mono text-sm text-muted">"model": "{id}"</code>
              {facts?.description != null && <p className="mt-4 wrap-anywhere">{facts.description}</p>}
              {facts !== undefined && <ModelFactList facts={facts} className="mt-6" />}
            </li>
          );
        })}
      </ul>
      <StarterNote models={models} className="mt-4" />
    </section>
  );
}

const promises = [
  {
    title: "Processed in memory",
    text: "Requests are answered on hardware the operator controls, and exist only in the memory of the API server and the engine.",
  },
  {
    title: "Never stored",
    text: "The database has tables for accounts, keys and counts. It has no column for a prompt or a reply.",
  },
  {
    title: "Never logged",
    text: "A log line is built from a closed list of fields: ids, model, status, token counts, durations. None of them holds content.",
  },
  {
    title: "Never used for training",
    text: "Data that is not kept cannot be trained on.",
  },
];

function LandingPromise() {
  return (
    <section aria-labelledby="promise" className="mt-28 grid gap-x-16 gap-y-10 sm:mt-40 lg:grid-cols-12">
      <div className="lg:col-span-4">
        <h2 id="promise" className="text-3xl">
          The promise, and its proof
        </h2>
        <p className="mt-4 text-lg text-muted">
          It applies to every endpoint and every model. A test sends marked text through replies, streams,
          rejected requests, hang-ups and an engine killed midway, then searches the logs, the database and
          the files for it.
        </p>
        <p className="mt-6 flex flex-col items-start gap-2">
          <ArrowLink href="/docs/privacy#tested">How it is tested</ArrowLink>
          <ArrowLink href="/docs/privacy">What is stored, and for how long</ArrowLink>
        </p>
      </div>
      <dl className="border-t border-line lg:col-span-8">
        {promises.map((promise) => (
          <div
            key={promise.title}
            className="grid gap-x-8 gap-y-1 border-b border-line py-6 sm:grid-cols-2 sm:items-baseline"
          >
            <dt className="text-xl font-[520]">{promise.title}</dt>
            <dd className="text-muted">{promise.text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
