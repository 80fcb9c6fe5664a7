/** Delivers events as Stripe does: signed over the raw body, and repeated with growing delays until the reply is 2xx. */
import { createHmac } from 'node:crypto';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Faults } from './faults.ts';
import type { Event } from './objects.ts';

/** Stripe retries for up to three days. */
const giveUpAfterMs = 3 * 24 * 60 * 60 * 1000;
/** Stripe waits minutes and hours, which is too long for development. */
const longestRetryMs = 10_000;
const answerWithinMs = 10_000;
const maxAtOnce = 16;
/** Shuffled webhooks are delayed by a random time up to this. */
const shuffleWindowMs = 500;

export type WebhookSecrets = { readonly TEST: string; readonly LIVE: string };
export type Webhooks = AsyncDisposable & { readonly send: (event: Event) => void };

type Delivery = {
  readonly event: Event;
  readonly attempts: number;
  readonly dueAt: number;
  readonly firstAt: number;
};

export function startWebhooks(o: {
  url: string;
  secrets: WebhookSecrets;
  faults: () => Faults;
  clock: Clock;
  /** Called when an event was delivered or given up. */
  ended: (event: Event) => void;
  firstRetryMs: number;
  log: (line: string) => void;
}): Webhooks {
  const waiting: Delivery[] = [];
  const underWay = new Set<Promise<void>>();
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  function pump(): void {
    clearTimeout(timer);
    if (stopped.signal.aborted) return;
    waiting.sort((a, b) => a.dueAt - b.dueAt);
    for (let next = waiting[0]; next && next.dueAt <= performance.now(); next = waiting[0]) {
      if (underWay.size >= maxAtOnce) return; // the end of a delivery calls this again
      waiting.shift();
      const attempt = deliver(next).finally(() => {
        underWay.delete(attempt);
        pump();
      });
      underWay.add(attempt);
    }
    const [next] = waiting;
    if (next) timer = setTimeout(pump, Math.max(1, next.dueAt - performance.now()));
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const answer = await post(delivery.event);
    if (answer === 'accepted') return o.ended(delivery.event);
    if (stopped.signal.aborted) return;
    const attempts = delivery.attempts + 1;
    const delayMs = Math.min(o.firstRetryMs * 2 ** Math.min(attempts - 1, 20), longestRetryMs);
    o.log(`webhook ${delivery.event.id}: attempt ${attempts} ended with ${answer}, again in ${delayMs} ms`);
    if (performance.now() - delivery.firstAt > giveUpAfterMs) return o.ended(delivery.event);
    waiting.push({ ...delivery, attempts, dueAt: performance.now() + delayMs });
  }

  async function post(event: Event): Promise<string> {
    const body = JSON.stringify(event, null, 2);
    try {
      const reply = await fetch(o.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': signatureHeader(
            body,
            o.secrets[event.livemode ? 'LIVE' : 'TEST'],
            o.clock.now(),
          ),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(answerWithinMs)]),
      });
      await reply.body?.cancel();
      return reply.ok ? 'accepted' : `status ${reply.status}`;
    } catch (error) {
      return error instanceof Error ? error.name : 'no answer';
    }
  }

  return {
    send(event) {
      const { duplicate = 1, delayMs = 0, shuffle = false, lose = false } = o.faults();
      if (lose) return o.ended(event);
      for (let copy = 0; copy < duplicate; copy += 1) {
        const dueAt = performance.now() + delayMs + (shuffle ? Math.random() * shuffleWindowMs : 0);
        waiting.push({ event, attempts: 0, dueAt, firstAt: performance.now() });
      }
      pump();
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      stopped.abort();
      await Promise.allSettled(underWay);
    },
  };
}

/**
 * Stripe's scheme v1: HMAC-SHA256 over the time and the exact bytes of the body.
 * @param secret may be several, separated by commas: while the secret of an endpoint is being rolled, Stripe signs with both
 */
export function signatureHeader(body: string, secret: string, at: Date): string {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signatures = secret
    .split(',')
    .map((each) => createHmac('sha256', each).update(`${timestamp}.${body}`).digest('hex'));
  return [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join();
}
