/** The end of a proof at an identity provider, in the window that it was asked for in; see `provider-window.ts`. */
import { useEffect } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../components/controls/button.tsx";
import { FormHeading } from "../components/controls/form-heading.tsx";
import { Callout } from "../components/states/callout.tsx";
import { tellConfirmed } from "../service/provider-window.ts";
import { problemText } from "./sign-in-problem.ts";

export default function Confirmed() {
  const [search] = useSearchParams();
  const problem = problemText(search.get("problem"));
  useEffect(() => {
    if (problem !== undefined) return;
    tellConfirmed();
    // Not every browser lets a page close that another site was open in.
    window.close();
  }, [problem]);
  return (
    <>
      <FormHeading title={problem === undefined ? "Identity confirmed" : "Not confirmed"}>
        {problem === undefined
          ? "Close this window to continue where you left off."
          : "Close this window and try again."}
      </FormHeading>
      {problem !== undefined && (
        <Callout tone="bad" className="mb-5">
          {problem}
        </Callout>
      )}
      <Button size="lg" className="w-full" onClick={() => window.close()}>
        Close window
      </Button>
    </>
  );
}
