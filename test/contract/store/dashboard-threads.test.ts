import { openThreadedStore } from "../../support/stores/temporary-store.js";
import { storeParts } from "./store-parts.js";

for (const describeContract of storeParts) describeContract("SQLite in threads", openThreadedStore);
