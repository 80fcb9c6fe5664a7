/** What opening a picture has as its outcome, for whoever asks for it: nothing here loads a decoder. */
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { LimitProblem } from '../domain/picture-limits.ts';

/** Decision 23, deadlines and outages: an advertiser waits this long for moderation. */
export const budgetMs = 10_000;

export type CleanPicture = {
  readonly type: PictureType;
  readonly frames: number;
  /** The frames that are looked at. */
  readonly seen: readonly number[];
  readonly bytes: Buffer;
  /** What opening it again takes. */
  readonly heldBytes: number;
};

/** Why a file is no picture that can be taken; offers tells the advertiser. */
export type Problem = 'not-a-picture' | 'damaged' | 'too-many-bytes' | LimitProblem;

/** A square that a model looks at: stretched to it, or as it is with black around it. */
export type LookShape = {
  readonly side: number;
  readonly fit: 'fill' | 'contain';
  /** Looks are JPEGs of this quality; without it they are RGB pixels. */
  readonly jpegQuality?: number;
};

/** A picture cannot be opened: an input may cause it, so it is a verdict like any other problem of a file. */
export class Unopenable extends Error {
  override readonly name = 'Unopenable';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: ErrorOptions) {
    super(`a picture cannot be opened: ${problem}`, cause);
    this.problem = problem;
  }
}
