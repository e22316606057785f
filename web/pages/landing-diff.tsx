/**
 * The two lines to change in existing code, in several languages: marked by sign, colour and element. The copy button
 * copies the changed code.
 */
import { Tabs as LanguageTabs } from "radix-ui";
import { useState } from "react";
import { cx } from "../cx.ts";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { tabLook } from "../components/controls/tabs.tsx";
import { codeFrame } from "../components/text/code-block.tsx";

interface Diff {
  id: string;
  label: string;
  /** Each begins with "+", "-" or a space. */
  lines: readonly string[];
}

export function LandingDiff() {
  const diffs = diffsFor(`${location.origin}/v1`);
  const [shown, setShown] = useState("python");
  const lines = diffs.find(({ id }) => id === shown)?.lines ?? [];
  const after = lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  return (
    <LanguageTabs.Root value={shown} onValueChange={setShown} className={codeFrame}>
      <div className="flex items-center border-b border-line pr-1.5">
        <LanguageTabs.List aria-label="Language" className="-mb-px flex flex-1 gap-3 overflow-x-auto px-2.5">
          {diffs.map((diff) => (
            <LanguageTabs.Trigger key={diff.id} value={diff.id} className={tabLook}>
              {diff.label}
            </LanguageTabs.Trigger>
          ))}
        </LanguageTabs.List>
        <CopyButton text={after.join("\n")} label="Copy the changed code" />
      </div>
      {diffs.map((diff) => (
        <LanguageTabs.Content key={diff.id} value={diff.id} tabIndex={-1} className="outline-none">
          <Lines diff={diff} />
        </LanguageTabs.Content>
      ))}
    </LanguageTabs.Root>
  );
}

const diffsFor = (baseUrl: string): Diff[] => [
  {
    id: "python",
    label: "Python",
    lines: [
      " client = OpenAI(",
      '-    base_url="https://api.openai.com/v1",',
      '-    api_key=os.environ["OPENAI_API_KEY"],',
      `+    base_url="${baseUrl}",`,
      '+    api_key=os.environ["SOTTO_API_KEY"],',
      " )",
    ],
  },
  {
    id: "node",
    label: "Node",
    lines: [
      " const client = new OpenAI({",
      '-  baseURL: "https://api.openai.com/v1",',
      "-  apiKey: process.env.OPENAI_API_KEY,",
      `+  baseURL: "${baseUrl}",`,
      "+  apiKey: process.env.SOTTO_API_KEY,",
      " });",
    ],
  },
  {
    id: "go",
    label: "Go",
    lines: [
      " client := openai.NewClient(",
      '-\toption.WithBaseURL("https://api.openai.com/v1"),',
      '-\toption.WithAPIKey(os.Getenv("OPENAI_API_KEY")),',
      `+\toption.WithBaseURL("${baseUrl}"),`,
      '+\toption.WithAPIKey(os.Getenv("SOTTO_API_KEY")),',
      " )",
    ],
  },
  {
    id: "environment",
    label: "Environment",
    lines: [
      '-OPENAI_BASE_URL="https://api.openai.com/v1"',
      '-OPENAI_API_KEY="sk-…"',
      `+OPENAI_BASE_URL="${baseUrl}"`,
      '+OPENAI_API_KEY="sk-sotto-…"',
    ],
  },
];

function Lines({ diff }: { diff: Diff }) {
  return (
    <div
      role="group"
      aria-label={`Changes in ${diff.label}`}
      tabIndex={0}
      className="overflow-x-auto rounded-lg -outline-offset-2"
    >
      <pre className="w-max min-w-full py-3.5 font-mono text-[0.8125rem] leading-[1.75] [tab-size:4]">
        <code className="block">
          {diff.lines.map((line, position) => (
            <Line key={position} sign={line.slice(0, 1)} text={line.slice(1)} />
          ))}
        </code>
      </pre>
    </div>
  );
}

function Line({ sign, text }: { sign: string; text: string }) {
  const look = "block px-4 no-underline before:mr-3 before:inline-block before:w-2";
  if (sign === "+") {
    return <ins className={cx(look, "bg-good-soft text-good before:content-['+'/'']")}>{`${text}\n`}</ins>;
  }
  if (sign === "-") {
    return <del className={cx(look, "bg-bad-soft text-bad before:content-['−'/'']")}>{`${text}\n`}</del>;
  }
  return <span className={cx(look, "before:content-['']")}>{`${text}\n`}</span>;
}
