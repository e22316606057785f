import { ArrowLink } from "../components/text/arrow-link.tsx";
import { ButtonLink } from "../components/controls/button.tsx";
import { ChatCode } from "../chat-code.tsx";
import { FadeFigure } from "../components/figures/fade-figure.tsx";
import { useTitle } from "../hooks/use-title.ts";
import { useSite } from "../service/queries.ts";
import { LandingDiff } from "./landing-diff.tsx";
import { LandingModels } from "./landing-models.tsx";
import { LandingProduct } from "./landing-product.tsx";
import { LandingPromise } from "./landing-promise.tsx";

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
