/** The frame of the documentation: pages at the left, the page's parts at the right, the next page below. */
import { ArrowLeft, ArrowRight, ChevronDown } from "lucide-react";
import { Suspense, useRef } from "react";
import { Link, useParams } from "wouter";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { cx } from "../../cx.ts";
import { useTitle } from "../../hooks/use-title.ts";
import NotFound from "../not-found.tsx";
import { docsAddress, docsPages, type DocsPage } from "./docs-pages.ts";
import { OnThisPage } from "./on-this-page.tsx";
import { DocsSearch, useSearchKey } from "./search/docs-search.tsx";

export default function Docs() {
  const { page: slug = "" } = useParams<{ page?: string }>();
  const page = docsPages.find((candidate) => candidate.slug === slug);
  return page === undefined ? <NotFound /> : <DocsFrame key={page.slug} page={page} />;
}

function DocsFrame({ page }: { page: DocsPage }) {
  useTitle(page.title);
  useSearchKey();
  const article = useRef<HTMLElement>(null);
  return (
    <div className="mx-auto max-w-7xl px-5 sm:px-8 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)] lg:gap-14">
      <PhoneNavigation page={page} />
      <div className="sticky top-15 hidden max-h-[calc(100dvh-3.75rem)] flex-col gap-6 self-start overflow-y-auto pt-14 lg:flex">
        <DocsSearch />
        <nav aria-label="Documentation">
          <PageList page={page} />
        </nav>
      </div>
      <div
        className={cx(
          "pt-8 lg:pt-14",
          page.wide !== true && "xl:grid xl:grid-cols-[minmax(0,1fr)_12rem] xl:gap-14",
        )}
      >
        <div className="min-w-0">
          <article ref={article} className={cx(page.wide !== true && "max-w-[44rem]")}>
            <h1 className="mb-6 text-3xl sm:text-4xl">{page.title}</h1>
            <Suspense fallback={<SkeletonLines lines={5} />}>
              <page.Content />
              <Neighbours page={page} />
            </Suspense>
          </article>
        </div>
        {page.wide !== true && <OnThisPage article={article} />}
      </div>
    </div>
  );
}

const groups = ["Start", "Reference", "Trust"] as const;

function PageList({ page }: { page: DocsPage }) {
  return groups.map((group) => (
    <div key={group} className="mb-6">
      <p className="mb-1.5 text-xs font-medium text-muted">{group}</p>
      <ul className="border-l border-line">
        {docsPages
          .filter((candidate) => candidate.group === group)
          .map((candidate) => (
            <li key={candidate.slug}>
              <Link
                href={docsAddress(candidate)}
                aria-current={candidate === page ? "page" : undefined}
                className={cx(
                  "-ml-px block border-l py-1.5 pl-4 text-sm transition-colors",
                  candidate === page
                    ? "border-accent font-medium text-accent"
                    : "border-transparent text-muted hover:border-edge hover:text-ink",
                )}
              >
                {candidate.title}
              </Link>
            </li>
          ))}
      </ul>
    </div>
  ));
}

function PhoneNavigation({ page }: { page: DocsPage }) {
  return (
    <div
      data-screen-only
      className="-mx-5 flex flex-wrap items-start border-b border-line sm:-mx-8 lg:hidden"
    >
      <DocsSearch className="order-last mx-5 mb-3 w-full sm:mx-8" />
      <PhonePages page={page} />
    </div>
  );
}

function PhonePages({ page }: { page: DocsPage }) {
  return (
    <details className="group w-full">
      <summary className="flex list-none items-center justify-between px-5 py-3.5 text-sm sm:px-8 [&::-webkit-details-marker]:hidden">
        <span>
          <span className="text-muted">Documentation / </span>
          <span className="font-medium">{page.title}</span>
        </span>
        <ChevronDown className="size-4 text-muted transition-transform group-open:rotate-180" aria-hidden />
      </summary>
      <nav aria-label="Documentation" className="px-5 pt-2 pb-1 sm:px-8">
        <PageList page={page} />
      </nav>
    </details>
  );
}

function Neighbours({ page }: { page: DocsPage }) {
  const position = docsPages.indexOf(page);
  const before = docsPages[position - 1];
  const after = docsPages[position + 1];
  const look = "flex flex-col gap-1 rounded-lg border border-line p-4 hover:border-edge";
  return (
    <nav aria-label="Next and previous" className="mt-20 grid max-w-[44rem] grid-cols-2 gap-4">
      {before !== undefined && (
        <Link href={docsAddress(before)} className={look}>
          <span className="flex items-center gap-1.5 text-sm text-muted">
            <ArrowLeft className="size-3.5" aria-hidden /> Previous
          </span>
          <span className="font-medium">{before.title}</span>
        </Link>
      )}
      {after !== undefined && (
        <Link href={docsAddress(after)} className={cx(look, "col-start-2 items-end text-right")}>
          <span className="flex items-center gap-1.5 text-sm text-muted">
            Next <ArrowRight className="size-3.5" aria-hidden />
          </span>
          <span className="font-medium">{after.title}</span>
        </Link>
      )}
    </nav>
  );
}
