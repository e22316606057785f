import { Callout } from "../../../../components/states/callout.tsx";

/** In place of a form that encrypts, where the browser will not. */
export function InsecurePage() {
  return (
    <Callout tone="warn" title="Your browser does not encrypt on this page">
      It does so only over HTTPS or on localhost. Open the service at an address that begins with https://.
    </Callout>
  );
}
