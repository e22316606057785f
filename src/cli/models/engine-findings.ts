/** What engines on the network report about themselves, before they are used. */
import type { EngineMember } from "../../protocol/engine-member.js";

/** With the reason why one must not be used; null where all may. */
export async function findingsOf(
  members: readonly EngineMember[],
  strict: boolean,
): Promise<{ refusal: string | null; warnings: string[] }> {
  const { preflight } = await import("../../engines/upstream/checks/preflight.js");
  const warnings: string[] = [];
  for (const member of members) {
    if (!("url" in member)) continue;
    for (const { level, text } of await preflight(member, { strict })) {
      if (level === "refuse") return { refusal: text, warnings };
      warnings.push(text);
    }
  }
  return { refusal: null, warnings };
}
