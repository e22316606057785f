/**
 * Markdown from others: an operator's notes, a model's reply. HTML stays text, images become their
 * description and are never loaded, links say nothing about where they were followed from.
 */
import type { ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { CodeBlock } from "./code-block.tsx";
import type { Language } from "./highlight.ts";

export function Markdown({ children }: { children: string }) {
  return (
    <div className="prose">
      <ReactMarkdown components={components}>{children}</ReactMarkdown>
    </div>
  );
}

const components: Components = {
  img: ({ alt }) => (
    <span className="text-muted">[image: {alt === undefined || alt === "" ? "no description" : alt}]</span>
  ),
  a: ({ href, children }) => (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  ),
  // The page has its own headings: those in the text start below them.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = textOf(children);
    const fence = /language-(\w+)/.exec(className ?? "")?.[1];
    if (fence === undefined && !text.includes("\n")) return <code>{children}</code>;
    return <CodeBlock code={text.replace(/\n$/, "")} language={languageOf(fence)} />;
  },
};

function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

function languageOf(fence: string | undefined): Language {
  return languages[fence ?? ""] ?? "text";
}

const languages: Record<string, Language | undefined> = {
  bash: "bash",
  sh: "bash",
  shell: "bash",
  py: "python",
  python: "python",
  js: "javascript",
  javascript: "javascript",
  jsx: "javascript",
  ts: "javascript",
  tsx: "javascript",
  typescript: "javascript",
  json: "json",
};
