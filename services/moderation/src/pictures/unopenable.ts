/** Why a picture cannot be opened. This file loads no decoder, so every module may import it. */
import type { LimitProblem } from '../domain/picture-limits.ts';

/** Why a file is refused; offers shows the reason to the advertiser. */
export type Problem = 'not-a-picture' | 'damaged' | 'too-many-bytes' | LimitProblem;

/** A picture cannot be opened. Its content may be the cause, so it is a verdict like any other. */
export class Unopenable extends Error {
  override readonly name = 'Unopenable';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: ErrorOptions) {
    super(`a picture cannot be opened: ${problem}`, cause);
    this.problem = problem;
  }
}
