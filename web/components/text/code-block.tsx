/**
 * Code to read and copy. CodeBlock shows one sample; CodeTabs the same thing in several languages. Long lines
 * scroll inside, reachable by keyboard.
 */
import { Tabs as Radix } from "radix-ui";
import { useState, type ReactNode } from "react";
import { cx } from "../../cx.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { highlight, type Language, type TokenKind } from "./highlight.ts";
import { tabLook, tabRow } from "../controls/tabs.tsx";

interface CodeBlockProps {
  code: string;
  language?: Language;
  /** In the bar above the code: a file's name, "Response". */
  title?: string;
  /** A lucide icon before the title. */
  icon?: ReactNode;
  className?: string;
}

export function CodeBlock({ code, language = "text", title, icon, className }: CodeBlockProps) {
  if (title === undefined) {
    return (
      <div className={cx(codeFrame, "flex items-start", className)}>
        <Code code={code} language={language} label="Code" />
        <CopyButton text={code} label="Copy code" className="m-1.5" />
      </div>
    );
  }
  return (
    <div className={cx(codeFrame, className)}>
      <div className="flex items-center justify-between border-b border-line py-1 pr-1.5 pl-4">
        <span className="flex min-w-0 items-center gap-2 text-sm wrap-anywhere text-muted [&>svg]:size-4 [&>svg]:shrink-0">
          {icon}
          {title}
        </span>
        <CopyButton text={code} label="Copy code" />
      </div>
      <Code code={code} language={language} label={title} />
    </div>
  );
}

interface CodeTabsProps {
  /** What the tabs choose. */
  label?: string;
  samples: readonly Sample[];
  /** Before the button that copies. */
  aside?: ReactNode;
  className?: string;
}

export interface Sample {
  id: string;
  label: string;
  language: Language;
  code: string;
}

export function CodeTabs({ label = "Language", samples, aside, className }: CodeTabsProps) {
  const [shown, setShown] = useState(samples[0]?.id ?? "");
  const code = samples.find((sample) => sample.id === shown)?.code ?? "";
  return (
    <Radix.Root value={shown} onValueChange={setShown} className={cx(codeFrame, className)}>
      <div className="flex items-center border-b border-line pr-1.5">
        <Radix.List aria-label={label} className={cx(tabRow, "flex-1 pl-2.5")}>
          {samples.map((sample) => (
            <Radix.Trigger key={sample.id} value={sample.id} className={tabLook}>
              {sample.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
        <CopyButton text={code} label="Copy code" />
      </div>
      {samples.map((sample) => (
        <Radix.Content key={sample.id} value={sample.id} tabIndex={-1} className="outline-none">
          <Code code={sample.code} language={sample.language} label={sample.label} />
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

function Code({ code, language, label }: { code: string; language: Language; label: string }) {
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      dir="ltr"
      className="min-w-0 flex-1 overflow-x-auto rounded-lg -outline-offset-2"
    >
      <pre className="w-max min-w-full px-4 py-3.5 font-mono text-[0.8125rem] leading-[1.65]">
        <code>
          {highlight(code, language).map((token, position) => (
            <span key={position} className={colours[token.kind]}>
              {token.text}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}

export const codeFrame = "overflow-clip rounded-lg border border-line bg-sunken";

const colours: Record<TokenKind, string | undefined> = {
  plain: undefined,
  string: "text-code-string",
  comment: "text-code-comment",
  number: "text-code-number",
  word: "text-code-word",
};
