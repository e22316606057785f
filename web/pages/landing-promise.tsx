import { ArrowLink } from "../components/text/arrow-link.tsx";

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

export function LandingPromise() {
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
