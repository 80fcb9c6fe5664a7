/** The types of opening a picture. This file loads no decoder, so every module may import it. */
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { LimitProblem } from '../domain/picture-limits.ts';

/** Decision 23, deadlines and outages: an advertiser waits this long for moderation. */
export const budgetMs = 10_000;

export type CleanPicture = {
  readonly type: PictureType;
  readonly frames: number;
  /** The frames that the model looks at. */
  readonly seen: readonly number[];
  readonly bytes: Buffer;
  /** The memory that opening it again takes. */
  readonly heldBytes: number;
};

/** A picture was cleaned, or cannot be. */
export type Cleaned =
  | {
      readonly ok: true;
      readonly picture: CleanPicture;
      /** Of small still pictures, whose pixels are in memory at that time. */
      readonly looks: readonly Uint8Array[] | undefined;
    }
  | { readonly ok: false; readonly problem: Problem };

/** Why a file is refused; offers shows the reason to the advertiser. */
export type Problem = 'not-a-picture' | 'damaged' | 'too-many-bytes' | LimitProblem;

/** A square that a model looks at: the picture is stretched to it, or keeps its proportions with black around it. */
export type LookShape = {
  readonly side: number;
  readonly fit: 'fill' | 'contain';
  /** If set, looks are JPEGs of this quality; otherwise RGB pixels. */
  readonly jpegQuality?: number;
};

/** A picture cannot be opened. Its content may be the cause, so it is a verdict like any other problem with a file. */
export class Unopenable extends Error {
  override readonly name = 'Unopenable';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: ErrorOptions) {
    super(`a picture cannot be opened: ${problem}`, cause);
    this.problem = problem;
  }
}
