/** What a statement says, as a list. */
import { Fragment, type ReactNode } from "react";
import { modelWords } from "../../../src/protocol/proof/changes.js";
import type { WireStatement } from "../../../src/protocol/proof/shapes.js";
import { Time } from "../../components/text/time.tsx";

export function StatementFacts({ statement }: { statement: WireStatement }) {
  const { version, commit, program, models, switches, machine, hpke_key: hpkeKey } = statement;
  return (
    <dl className="divide-y divide-line text-sm">
      <Fact name="Version">
        {version}
        {commit !== null && <Hash>{`commit ${commit}`}</Hash>}
      </Fact>
      <Fact name="Program’s files">
        {program === null ? "Runs from its sources, which have no hash" : <Hash>{program}</Hash>}
      </Fact>
      {Object.entries(models).map(([model, parts]) => (
        <Fact key={model} name={model}>
          {modelWords(parts)}
        </Fact>
      ))}
      <Fact name="Switched on or off">{pairs(switches)}</Fact>
      <Fact name="Machine">{pairs(machine)}</Fact>
      <Fact name="Key for encrypted bodies">{hpkeKey === null ? "none" : <Hash>{hpkeKey}</Hash>}</Fact>
      <Fact name="Hardware evidence">None</Fact>
      <Fact name="Signing key">
        <Hash>{statement.signing_key}</Hash>
      </Fact>
      <Fact name="Valid">
        <Time at={statement.time} style="moment" /> to <Time at={statement.not_after} style="moment" />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 gap-y-0.5 py-2.5 sm:grid-cols-[11rem_1fr]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Breaks between groups of characters, and is copied without spaces. */
const Hash = ({ children }: { children: string }) => (
  <code className="block text-xs text-muted">
    {children.match(/.{1,16}/g)?.map((group, index) => (
      <Fragment key={index}>
        {group}
        <wbr />
      </Fragment>
    ))}
  </code>
);

const pairs = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
    .join(", ");
