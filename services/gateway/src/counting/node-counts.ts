/**
 * Counts at one node of the store: requests that arrive together are sent together, and a circuit breaker stops asking a node that does not
 * answer. Each node has its own, so a slow node costs only its own clients.
 */
import { NoAnswer, type TimeoutWheel } from './timeout-wheel.ts';

export type Addition = {
  readonly key: string;
  readonly requests: number;
  readonly windowSeconds: number;
};
export type SharedCount = { readonly count: number; readonly msToEnd: number };
/** Without an answer, the store may have counted all the same. What was not asked is surely not counted. */
export type CountAnswer = SharedCount | 'no-answer' | 'not-asked';

export type NodeCounts = {
  readonly isUp: () => boolean;
  /** Asks the node even if it is down, so it is also the probe. Never rejects. */
  readonly add: (addition: Addition) => Promise<CountAnswer>;
  /** Counts a request as others do, because a node that answers but cannot write is not back. */
  readonly probe: (key: string) => Promise<void>;
  readonly noteDown: (reason: string) => void;
};

/** The node serves nobody else while a script runs; this many counts take it about half a millisecond. */
const maxAtOnce = 128;
/** Further requests wait for the next call, so calls grow with the load. Two, so that the node has work while an answer is read. */
const maxUnderWay = 2;
/** So many calls in a row without an answer open the breaker; another error opens it at once. A single slow call costs only those who wait for it. */
const opensAfter = 3;
/** What waits longer than the breaker needs to open is counted in memory anyway. */
const maxWaiting = 10_000;

/**
 * @param o.slotOf keys of one call have the same slot
 * @param o.call adds up atomically, and returns the counts in the order of the additions
 * @param o.onChange is called when the node goes down and when it is back; `reason` says why it is down
 */
export function startNodeCounts(o: {
  slotOf: (key: string) => number;
  call: (additions: readonly Addition[]) => Promise<readonly SharedCount[]>;
  timeouts: TimeoutWheel;
  onChange: (isUp: boolean, reason: string) => void;
}): NodeCounts {
  type Waiting = { readonly addition: Addition; readonly settle: (answer: CountAnswer) => void };
  let waiting: Waiting[] = [];
  let willSend = false;
  let underWay = 0;
  let unanswered = 0;
  let up = false;

  function noteUp(): void {
    unanswered = 0;
    if (up) return;
    up = true;
    o.onChange(true, '');
  }

  function noteDown(reason: string): void {
    for (const { settle } of waiting.splice(0)) settle('not-asked');
    if (!up) return;
    up = false;
    o.onChange(false, reason);
  }

  function sendWaiting(): void {
    willSend = false;
    while (waiting.length > 0 && underWay < maxUnderWay) void send(waiting.splice(0, maxAtOnce));
  }

  async function send(batch: readonly Waiting[]): Promise<void> {
    underWay += 1;
    const ofSlots = Map.groupBy(batch, ({ addition }) => o.slotOf(addition.key));
    const errors = (await Promise.all([...ofSlots.values()].map(sendCall))).filter((error) => error !== null);
    underWay -= 1;
    unanswered = errors.length === 0 ? 0 : unanswered + 1;
    const fatal = errors.find((error) => !(error instanceof NoAnswer) || unanswered >= opensAfter);
    // Only the message: the library's errors contain their command, and a login command contains the password.
    if (fatal !== undefined) noteDown(fatal.message);
    sendWaiting();
  }

  async function sendCall(waited: readonly Waiting[]): Promise<Error | null> {
    try {
      const counts = await o.timeouts.wait(o.call(waited.map(({ addition }) => addition)));
      if (counts.length !== waited.length) throw new Error('the store answered for fewer counts');
      for (const [place, { settle }] of waited.entries()) settle(counts[place] ?? 'no-answer');
      return null;
    } catch (error) {
      for (const { settle } of waited) settle('no-answer');
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  const add: NodeCounts['add'] = (addition) =>
    new Promise((settle) => {
      if (waiting.length >= maxWaiting) return settle('not-asked');
      waiting.push({ addition, settle });
      if (willSend || underWay >= maxUnderWay) return;
      willSend = true;
      setImmediate(sendWaiting);
    });

  return {
    isUp: () => up,
    add,
    probe: async (key) => {
      const answer = await add({ key, requests: 1, windowSeconds: 1 });
      if (typeof answer !== 'string') noteUp();
    },
    noteDown,
  };
}
