import { openThreadedStore } from "../../support/stores/temporary-store.js";
import { storeParts } from "./store-parts.js";
import { describeStoreContract } from "./store.js";

describeStoreContract("SQLite in threads", () => openThreadedStore());
for (const describeContract of storeParts) describeContract("SQLite in threads", openThreadedStore);
