/**
 * What the operator's page of models needs: who answers, what could, and pulls that bring weights here. Every method
 * rejects with `OperatorError` for what the operator can put right.
 */
import type {
  EngineRequest,
  EnginePreflight,
  ModelChoicesView,
  ModelView,
  PullRequest,
  PullView,
} from "./model-views.js";
import type { ModelId } from "./models.js";

export interface ModelSources {
  now(): Promise<ModelView[]>;
  choices(): Promise<ModelChoicesView>;
  preflight(engine: EngineRequest): Promise<EnginePreflight>;
  // The next four resolve when the choice is checked and stored. The model changes over afterwards, without dropping
  // a stream; where that fails, the choice is taken back and `now` says why.
  useWeights(model: ModelId, file: string, force: boolean): Promise<void>;
  useEngine(model: ModelId, engine: EngineRequest): Promise<void>;
  useDefault(model: ModelId): Promise<void>;
  rollBack(model: ModelId): Promise<void>;
}

export interface Pulls {
  list(): PullView[];
  start(pull: PullRequest): PullView;
  /** What has arrived is kept. */
  pause(id: string): PullView;
  /** Also tries a failed one again. */
  resume(id: string): PullView;
  /** Takes it off the list; what has arrived of an unfinished one is removed. */
  cancel(id: string): Promise<PullView>;
}
