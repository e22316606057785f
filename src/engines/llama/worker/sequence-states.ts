/**
 * Copies of what a sequence has computed, in the memory of this process; where a GPU computes, off its memory.
 *
 * They are the binding's checkpoints, which leave out what could be kept in the sequence itself: of attention to a
 * sliding window they hold the window's layers, of a recurrent or hybrid model its recurrent state, of every other
 * model all of it. Only the last kind can be restored into a sequence that has computed something else meanwhile.
 * Which kind a model is, the size of a checkpoint shows when the model is loaded.
 */
import { computeAlone, type PlainContext } from "./batch-context.js";

export interface SavedState {
  /** In bytes. */
  readonly size: number;
  /** Frees its memory, which glibc overwrites or gives back to the system (child-environment.ts). */
  dispose(): void;
}

/** As with the context's own calls: none while `decodeBatch` is under way, and none while copies wait for the next one. */
export interface SequenceStates {
  save(sequenceId: number): Promise<SavedState>;
  /** The first `tokens` of it, in place of all that the sequence has. The sequence is undefined when it fails. */
  restore(sequenceId: number, state: SavedState, tokens: number): Promise<boolean>;
}

/** The positions of a token and its sequence, beside its keys and values. */
const mostPositionBytes = 64;

/** Whether a saved state is all that a sequence has computed, in a cache that takes `tokenBytes` for each token. */
export async function savesAll(
  context: PlainContext,
  states: SequenceStates,
  tokenBytes: number,
): Promise<boolean> {
  try {
    await computeAlone(context, 0, new Uint32Array(2));
    const two = await states.save(0);
    if (!context.removeTokenCellsFromSequence(0, 1, -1)) return false;
    const one = await states.save(0);
    const savedBytes = two.size - one.size;
    const isRestored = await states.restore(0, two, 2);
    for (const state of [one, two]) state.dispose();
    return isRestored && savedBytes >= tokenBytes && savedBytes <= tokenBytes + mostPositionBytes;
  } catch {
    return false;
  } finally {
    context.disposeSequence(0);
  }
}
