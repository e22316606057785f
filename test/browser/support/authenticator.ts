import type { Page } from "playwright-core";

/** A device that holds passkeys and verifies its user. The answer says whether its user agrees from now on. */
export async function addAuthenticator(page: Page): Promise<(enabled: boolean) => Promise<unknown>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  return (enabled) => cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
}
