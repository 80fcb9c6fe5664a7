/** Opens a picture when it is its organisation's turn, and counts the processor time that this takes. */
import { isLarge } from '../domain/picture-limits.ts';
import type { Decoder } from '../pictures/decoder.ts';
import type { Tasks } from '../pictures/decoder-process.ts';
import type { Admission, Stage } from './admission.ts';
import type { PictureBudget } from './picture-budget.ts';

export type Places = {
  readonly admission: Admission;
  readonly budget: PictureBudget;
  readonly decoder: Decoder;
};

/** Shared by the steps of one picture. */
export type Steps = {
  readonly decoder: Tasks;
  readonly signal: AbortSignal;
  readonly countProcessorTime: (ms: number) => void;
};

/** @throws the refusals of the budget and of admission */
export async function inTurn<T>(
  { admission, budget, decoder }: Places,
  { bytes, organisationId }: { readonly bytes: Uint8Array; readonly organisationId: number },
  signal: AbortSignal,
  work: (steps: Steps) => Promise<T>,
): Promise<T> {
  budget.check(organisationId);
  const countProcessorTime = (ms: number) => budget.count(organisationId, ms);
  const tasks = decoder.tasksFor({ signal, countProcessorTime });
  return admission.run({ organisation: organisationId, isLarge: isLarge(bytes) }, signal, (stage) =>
    work({ decoder: markingStage(stage, tasks), signal, countProcessorTime }),
  );
}

/** Tasks that set the stage: if the time runs out while a picture is being opened, the picture is the cause (admission.ts). */
function markingStage(stage: Stage, decoder: Tasks): Tasks {
  const marked =
    <In extends readonly unknown[], Out>(task: (...input: In) => Promise<Out>) =>
    async (...input: In): Promise<Out> => {
      stage.isOpening = true;
      try {
        return await task(...input);
      } finally {
        stage.isOpening = false;
      }
    };
  const { cleanPicture, looksAt, smallCopyOf, renditionOf } = decoder;
  return {
    cleanPicture: marked(cleanPicture),
    looksAt: marked(looksAt),
    smallCopyOf: marked(smallCopyOf),
    renditionOf: marked(renditionOf),
  };
}
