/**
 * Pictures of the dashboard with example data (`npm run pictures`), one for each theme and for narrow screens. Only the
 * one that is shown is loaded.
 */

const frames = [
  {
    name: "playground",
    title: "Try a prompt before you write code",
    text: "The playground streams replies, calls tools and shows the same request as code.",
    alt: "The playground: a conversation with the model, and its settings beside it.",
  },
  {
    name: "usage",
    title: "See counts, never content",
    text: "Requests, tokens and latency by model and key, without any prompts.",
    alt: "The usage page: requests, tokens and latency of the last days as charts.",
  },
];

export function LandingProduct() {
  return (
    <section aria-labelledby="product" className="mt-28 sm:mt-40">
      <h2 id="product" className="text-3xl">
        A dashboard for people
      </h2>
      <div className="mt-10 flex flex-col gap-16">
        {frames.map((frame) => (
          <figure key={frame.name} className="grid gap-x-16 gap-y-6 lg:grid-cols-12 lg:items-center">
            <div className="overflow-clip rounded-lg border border-line bg-surface shadow-float lg:col-span-9">
              <Picture {...frame} theme="light" />
              <Picture {...frame} theme="dark" />
            </div>
            <figcaption className="lg:col-span-3">
              <p className="text-xl font-[520]">{frame.title}</p>
              <p className="mt-2 text-muted">{frame.text}</p>
              <p className="mt-2 text-sm text-muted">Example data: replies, speeds and counts are made up.</p>
            </figcaption>
          </figure>
        ))}
      </div>
    </section>
  );
}

function Picture({ name, alt, theme }: { name: string; alt: string; theme: "light" | "dark" }) {
  return (
    <picture className={theme === "light" ? "only-light" : "only-dark"}>
      <source
        media="(width < 40rem)"
        srcSet={`/pictures/${name}-phone-${theme}.webp`}
        width={780}
        height={1200}
      />
      <img
        src={`/pictures/${name}-${theme}.webp`}
        width={2000}
        height={1250}
        alt={alt}
        loading="lazy"
        decoding="async"
        className="h-auto w-full"
      />
    </picture>
  );
}
