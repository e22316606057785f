import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import type { Series } from "../../../components/figures/series.ts";

/** One line of a usage plot, and one column of its table. */
export interface Measure extends Pick<Series, "label" | "kind" | "tone"> {
  of: (bucket: UsageBucket) => number | null;
}
