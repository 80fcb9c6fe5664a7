/** Judges pictures: the network of nsfwjs (nsfwjs-model.ts), or a hosted service (hosted/). */
import type { Scores } from '../domain/decision.ts';
import type { LookShape } from '../pictures/clean-picture.ts';

/** Stored verdicts are valid only while both are the same. */
export type ModelIdentity = { readonly name: string; readonly version: string };

export type Model = AsyncDisposable & {
  readonly identity: ModelIdentity;
  /** Undefined: squares of 224 pixels to which pictures are stretched. */
  readonly lookShape?: LookShape;
  /**
   * One result per look. Rejects with a 503 if there is no result, for whatever reason.
   * @param countProcessorTime called once with the milliseconds, whatever the outcome; not called by a model outside of this process
   */
  readonly score: (
    looks: readonly Uint8Array[],
    signal: AbortSignal,
    countProcessorTime?: (ms: number) => void,
  ) => Promise<readonly Scores[]>;
  readonly ready: () => boolean;
};
