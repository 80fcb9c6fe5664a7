/** Questions and answers between two threads. */

/** The other thread: a `Worker`, or the `parentPort` of one. */
export type OtherThread = {
  readonly postMessage: (message: unknown) => void;
  readonly on: (event: 'message', listener: (message: unknown) => void) => unknown;
};

/** What a thread answers, by name. What is asked and answered is copied as `structuredClone` does. */
export type Answers = Readonly<Record<string, (asked: never) => unknown>>;

/** Asks the other thread. It rejects if answering failed there, with the message of that error. */
export type Ask<A extends Answers> = <N extends keyof A & string>(
  name: N,
  ...asked: Parameters<A[N]>
) => Promise<Awaited<ReturnType<A[N]>>>;

type Message =
  | { readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly answers: number; readonly answer?: unknown; readonly error?: string };

export function converse<Theirs extends Answers>(other: OtherThread, own: Answers): Ask<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  async function answer(id: number, name: string, asked: unknown): Promise<void> {
    try {
      const answered = await own[name]?.(asked as never);
      other.postMessage({ answers: id, answer: answered } satisfies Message);
    } catch (error) {
      other.postMessage({ answers: id, error: String(error) } satisfies Message);
    }
  }

  other.on('message', (received) => {
    const message = received as Message;
    if (!('answers' in message)) return void answer(message.id, message.name, message.asked);
    const question = waiting.get(message.answers);
    waiting.delete(message.answers);
    if (message.error === undefined) question?.resolve(message.answer);
    else question?.reject(new Error(message.error));
  });
  return (name, ...[asked]) => {
    const question = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, question);
    other.postMessage({ id: lastId, name, asked } satisfies Message);
    return question.promise as never;
  };
}
