import { useEffect, useState, type RefObject } from "react";

interface Part {
  id: string;
  title: string;
}

/** The page's second-level headings, read from the page itself, since its content arrives later. */
export function OnThisPage({ article }: { article: RefObject<HTMLElement | null> }) {
  const [parts, setParts] = useState<readonly Part[]>([]);
  useEffect(() => {
    const element = article.current;
    if (element === null) return undefined;
    const read = () => {
      const headings = element.querySelectorAll<HTMLElement>("h2[id]");
      setParts([...headings].map((heading) => ({ id: heading.id, title: heading.innerText })));
    };
    const watcher = new MutationObserver(read);
    watcher.observe(element, { childList: true, subtree: true });
    read();
    return () => watcher.disconnect();
  }, [article]);
  if (parts.length < 2) return null;
  return (
    <nav aria-label="On this page" className="sticky top-15 hidden h-fit pt-3 xl:block">
      <p className="mb-2 text-xs font-medium text-muted">On this page</p>
      <ul className="flex flex-col gap-2 text-sm">
        {parts.map((part) => (
          <li key={part.id}>
            <a href={`#${part.id}`} className="text-muted hover:text-ink">
              {part.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
