/** What the operator's last search for marked text found, and how old it is. */
import type { PrivacyCheckView } from "../../../src/protocol/dashboard/api.js";
import type { PlaceKind, Verdict } from "../../../src/core/proof/privacy-check.js";
import { Card } from "../../components/frame/card.tsx";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { Time } from "../../components/text/time.tsx";

export function PrivacyCheck({ check }: { check: PrivacyCheckView | null }) {
  return (
    <Card title="Privacy check">
      {check === null ? (
        <p className="text-muted">
          The operator has not run one yet. It sends marked requests and then searches the machine for what is
          left of them.
        </p>
      ) : (
        <Result check={check} />
      )}
    </Card>
  );
}

function Result({ check }: { check: PrivacyCheckView }) {
  const { places, verdict } = check;
  return (
    <>
      <p>{summaries[verdict]}</p>
      <p className="mt-1 text-sm text-muted">
        {check.requests} marked requests, searched for {check.waitedSeconds} seconds after the last reply,{" "}
        <Time at={check.at} />.{check.isOld && " That is more than a month ago: it may no longer hold."}
        {check.isSigned ? " Signed by this service." : " Not signed."}
      </p>
      <ul className="mt-4 grid gap-x-8 gap-y-2 sm:grid-cols-2">
        {places.map(({ kind, verdict: one }) => (
          <li key={kind} className="flex items-center justify-between gap-4">
            <span>{names[kind]}</span>
            <Badge tone={verdicts[one].tone} dot>
              {verdicts[one].word}
            </Badge>
          </li>
        ))}
      </ul>
    </>
  );
}

const summaries: Record<Verdict, string> = {
  clean: "No trace of the marked requests was found.",
  found: "Traces of the marked requests were found.",
  unknown: "No trace of the marked requests was found, but not everything could be searched.",
};

const verdicts: Record<Verdict, { tone: Tone; word: string }> = {
  clean: { tone: "good", word: "Clean" },
  found: { tone: "bad", word: "Found" },
  unknown: { tone: "warn", word: "Not searched" },
};

const names: Record<PlaceKind, string> = {
  data_directory: "Data directory",
  database: "Database",
  redis: "Redis",
  temporary_files: "Temporary files",
  other_paths: "Logs and other paths",
  server_memory: "Memory of the server",
  engine_memory: "Memory of the engines",
  core_dumps: "Core dumps",
  swap: "Swap",
};
