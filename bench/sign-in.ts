/**
 * Whether response times reveal if an address has an account: wrong passwords and reset requests for a
 * known and an unknown address, alternating. The share in which the known one took longer would be 0.5 if chance
 * alone decided; a guesser needs it to be far from that.
 */
import { startDashboard } from "../test/support/processes/dashboard-server.js";
import { FakeClock } from "../test/support/inputs/fake-clock.js";
import { startSmtpServer } from "../test/support/clients/smtp-server.js";
import { median } from "./statistics.js";

const rounds = 200;
/** Longer than any throttle's window. */
const pauseMs = 2 * 60 * 60_000;

export async function benchSignIn(): Promise<void> {
  const clock = new FakeClock();
  const smtp = await startSmtpServer();
  const dashboard = await startDashboard({ clock, env: { SOTTO_SMTP_URL: smtp.url } });
  try {
    await dashboard.signUp("known@example.com");
    const visitor = dashboard.browser();
    const signIn = (email: string) => visitor.send("POST", "/api/sign-in", { email, password: "wrong" });
    const reset = (email: string) => visitor.send("POST", "/api/reset/request", { email });
    console.log("what            known (median)   unknown (median)   known took longer");
    for (const [name, ask] of Object.entries({ "sign-in": signIn, "reset request": reset })) {
      const [known, unknown]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        const knownFirst = round % 2 === 0;
        for (const isKnown of [knownFirst, !knownFirst]) {
          clock.advance(pauseMs);
          const began = performance.now();
          await ask(isKnown ? "known@example.com" : "nobody@example.com");
          (isKnown ? known : unknown).push(performance.now() - began);
          // Background work of one response must not slow down the next.
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      const longer = known.filter((ms, round) => ms > (unknown[round] ?? 0)).length / rounds;
      console.log(
        [
          name.padEnd(15),
          milliseconds(known).padStart(14),
          milliseconds(unknown).padStart(18),
          longer.toFixed(2).padStart(19),
        ].join(" "),
      );
    }
  } finally {
    await dashboard.close();
    await smtp.close();
  }
}

const milliseconds = (times: readonly number[]): string => `${median(times).toFixed(2)} ms`;
