/**
 * Markdown from others: an operator's notes, a model's reply. HTML stays text, images become their
 * description and are never loaded, links send no referrer.
 */
import { Square, SquareCheck } from "lucide-react";
import type { ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { footnotes, hasManyMarks, headingLevels } from "../../../src/protocol/pages/markdown-rules.js";
import { CodeBlock } from "./code-block.tsx";
import { languageOf } from "./highlight.ts";
import { longCode } from "./long-code.ts";

export function Markdown({ children }: { children: string }) {
  // Code has marks of its own, which cost nothing.
  if (hasManyMarks(children.replace(fencedCode, ""), mostMarks)) {
    return (
      <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        {children}
      </p>
    );
  }
  return (
    <div className="prose">
      <ReactMarkdown
        remarkPlugins={[withoutFootnotes, remarkGfm]}
        rehypePlugins={[arranged]}
        components={components}
      >
        {children}
      </ReactMarkdown>
    </div>
  );
}

/** A long reply has two thousand; with these, parsing takes about a second. */
const mostMarks = 10_000;
const fencedCode = /^ {0,3}(```|~~~)[^]*?^ {0,3}\1/gm;

const components: Components = {
  img: ({ alt }) => (
    <span className="text-muted">[image: {alt === undefined || alt === "" ? "no description" : alt}]</span>
  ),
  a: ({ href, children }) => (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = textOf(children);
    const fence = /language-(\S+)/.exec(className ?? "")?.[1];
    if (fence === undefined) {
      return text.includes("\n") ? (
        <CodeBlock code={text.replace(/\n$/, "")} />
      ) : (
        <code data-long={longCode(text)}>{children}</code>
      );
    }
    return <CodeBlock code={text.replace(/\n$/, "")} {...languageOf(fence)} />;
  },
  // Wide ones scroll inside, reachable by keyboard.
  table: ({ dir, children }) => (
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table dir={dir}>{children}</table>
    </div>
  ),
  // The only ones there are belong to task lists.
  input: ({ checked }) => {
    const Box = checked === true ? SquareCheck : Square;
    return <Box role="img" aria-label={checked === true ? "Done:" : "To do:"} />;
  },
};

function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

/** The first of the plugins: the others add to its list. */
const withoutFootnotes: NonNullable<Options["remarkPlugins"]>[number] = function () {
  Object.assign(this.data(), { micromarkExtensions: [{ disable: { null: footnotes } }] });
};

interface TreeNode {
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: TreeNode[];
}

/** Headings below the page's own; each outermost block written from the side of its own first letter. */
function arranged() {
  return (root: TreeNode): void => {
    const level = headingLevels();
    const visit = ({ children = [] }: TreeNode): void => {
      for (const node of children) {
        const heading = /^h([1-6])$/.exec(node.tagName ?? "")?.[1];
        if (heading !== undefined) node.tagName = `h${level(Number(heading))}`;
        visit(node);
      }
    };
    visit(root);
    for (const { tagName, properties } of root.children ?? []) {
      if (tagName !== "pre" && tagName !== "hr" && properties !== undefined) properties["dir"] = "auto";
    }
  };
}
