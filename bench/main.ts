/**
 * Measurements, never assertions: `npm run bench`, or `npm run bench -- api` for one of them. Machines are
 * shared and noisy, so look at ratios within a run rather than at numbers across runs.
 */
import buildOnce from "../test/support/processes/build.js";
import { benchAnswers } from "./answers.js";
import { benchApi } from "./api.js";
import { benchBodies } from "./bodies.js";
import { benchAttack } from "./attack/attack.js";
import { benchConversations } from "./conversations.js";
import { benchDashboard } from "./dashboard/dashboard-pages.js";
import { benchCrowded } from "./crowded.js";
import { benchCommits } from "./database/commits.js";
import { benchEngine } from "./embedded-engine.js";
import { benchEmbeddings } from "./embeddings.js";
import { benchOverhead } from "./overhead.js";
import { benchFloods } from "./floods.js";
import { benchFootprint } from "./footprint.js";
import { benchGateway } from "./gateway.js";
import { benchImages } from "./images.js";
import { benchMemory } from "./memory.js";
import { benchProcesses } from "./processes.js";
import { benchPages } from "./pages/bench-pages.js";
import { benchSampling } from "./sampling.js";
import { benchSignIn } from "./sign-in.js";
import { benchSoak } from "./soak.js";
import { benchSpeculation } from "./speculation.js";
import { benchSpeed } from "./speed.js";
import { benchStalled, benchStreams } from "./streams.js";
import { benchStart } from "./start.js";
import { benchStarter } from "./starter.js";
import { benchStore } from "./store.js";
import { benchTools } from "./tools.js";
import { benchUpgrade } from "./database/upgrade.js";

const benches: Record<string, () => Promise<void>> = {
  api: benchApi,
  bodies: benchBodies,
  commits: benchCommits,
  conversations: benchConversations,
  dashboard: benchDashboard,
  engine: benchEngine,
  embeddings: benchEmbeddings,
  crowded: benchCrowded,
  overhead: benchOverhead,
  floods: benchFloods,
  footprint: benchFootprint,
  gateway: benchGateway,
  images: benchImages,
  memory: benchMemory,
  pages: benchPages,
  processes: benchProcesses,
  sampling: benchSampling,
  "sign-in": benchSignIn,
  streams: benchStreams,
  stalled: benchStalled,
  soak: benchSoak,
  speculation: benchSpeculation,
  speed: benchSpeed,
  attack: benchAttack,
  start: benchStart,
  starter: benchStarter,
  store: benchStore,
  tools: benchTools,
  answers: benchAnswers,
  upgrade: benchUpgrade,
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Choose from: ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
// Most of them start the program as it is built.
buildOnce();
for (const [name, bench] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n# ${name}\n`);
  await bench();
}
