/** Delivery of webhooks: claims the lines of endpoints, sends what is due, records each attempt. */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { inNoTrace, inSpan, traceIn } from '@offer-ads/platform/telemetry/traces';
import { isSigning } from '../domain/webhooks/endpoint.ts';
import { failingAfter, isDelivered, isGivenUp, isGone, retryInMs } from '../domain/webhooks/schedule.ts';
import { type DueWork, startDueWork } from '../due-work.ts';
import type { EndpointsStore, Line } from './endpoints-store.ts';
import type { Message, MessagesStore } from './messages-store.ts';
import type { Poster, PostResult } from './post.ts';
import type { SecretBox } from './secret-box.ts';
import { keysOfText, signatureHeaders } from './signature.ts';
import type { SwitchOff } from './switch-off.ts';
import { type Reach, reachOf } from './target.ts';

/** The advertiser reads it, and can mend it. */
const noSecret = 'the secret of the webhook cannot be read any more: roll it';

/** Requests at once; most of their time is waiting. Many, because endpoints that hang for 15 s keep their lanes from others. */
const lanes = 200;
/** An endpoint with many messages is not tried with one after the other while it fails. Shorter than the first pause of a message. */
const pauseAfterFailureMs = 2_000;
/** Longer than an attempt; part of the 30 s that a process has to stop. */
const stopWithinMs = 15_000;

export function startWebhookDelivery(o: {
  readonly endpoints: EndpointsStore;
  readonly messages: MessagesStore;
  readonly post: Poster;
  readonly box: SecretBox;
  readonly switchOff: SwitchOff;
  /** What endpoints of TEST mode may reach. */
  readonly testTargets: Reach;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** From 0 to 1, for the jitter. */
  readonly chance?: () => number;
}): DueWork {
  const { endpoints, messages, clock, logger, chance = Math.random } = o;
  const measured = instruments(o.metrics);

  /** Sends the message that is due first. A line with more of them is claimed again. */
  async function sendNext(line: Line): Promise<void> {
    const message = await messages.next(line.id);
    if (message?.dueAt === undefined || message.dueAt > line.claimedAt)
      return endpoints.release(line, message?.dueAt, 0);
    const delivered = await deliver(line, message);
    const next = await messages.next(line.id);
    await endpoints.release(line, next?.dueAt, delivered ? 0 : pauseAfterFailureMs);
  }

  async function deliver(line: Line, message: Message): Promise<boolean> {
    const at = clock.now();
    const result = await send(line, message, at);
    const { status, tookMs } = result;
    const delivered = isDelivered(status);
    const retryMs = delivered ? undefined : retryInMs(message.tries + 1, chance());
    // A process that is killed before this line sends the message again after its lease, with the same id.
    await messages.record(
      message.id,
      'answer' in result
        ? { at, tookMs, status: result.status, answer: result.answer }
        : { at, tookMs, problem: result.problem },
      { state: delivered ? 'delivered' : retryMs === undefined ? 'failed' : 'pending', retryInMs: retryMs },
    );
    const outcome = outcomeOf(result);
    measured.attempts.inc({ outcome });
    // Neither address nor answer: both may hold credentials.
    const facts = { endpoint: line.id, message: message.id, type: message.type, outcome, status, tookMs };
    logger.info(facts, 'delivery of a webhook');
    const failing = delivered ? undefined : failingAfter(line.failing, at);
    const because = isGone(status) ? 'gone' : 'failing';
    if (failing !== undefined && (isGone(status) || isGivenUp(failing))) {
      await o.switchOff(line, because, { at, by: 'system' });
      measured.switchedOff.inc({ because });
      logger.warn({ endpoint: line.id, because }, 'a webhook endpoint was switched off');
    } else if (failing !== line.failing) await endpoints.noteFailing(line.id, failing);
    return delivered;
  }

  /** Continues the trace of the event behind the message, however old it is. */
  async function send(line: Line, { id, type, body, tries, trace }: Message, at: Date): Promise<PostResult> {
    const signing = line.secrets.filter((secret) => isSigning(secret, at));
    const opened = signing.flatMap(({ sealed }) => o.box.open(sealed, line.id) ?? []);
    if (opened.length < signing.length)
      logger.error(
        { endpoint: line.id },
        'a secret of a webhook cannot be opened: it was sealed with a secret that is gone from WEBHOOK_SEAL_SECRET',
      );
    if (opened.length === 0) return { status: undefined, problem: noSecret, tookMs: 0 };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'offer-ads-webhooks/1',
      ...signatureHeaders({ id, at, body, keys: opened.map(keysOfText), ed25519: line.ed25519 === true }),
    };
    const reach = reachOf(line.mode, o.testTargets);
    return inSpan(
      {
        name: 'send webhook',
        kind: 'CLIENT',
        attributes: { 'webhook.type': type, 'webhook.attempt': tries + 1 },
        parent: traceIn(trace),
      },
      // The call itself is in no span: the address is the advertiser's own.
      () => inNoTrace(() => o.post({ url: line.url, reach, headers, body })),
      ({ status }) => ({ 'webhook.outcome': status === undefined ? 'unanswered' : `${status}` }),
    );
  }

  return startDueWork<Line>({
    ...o,
    name: 'webhooks',
    lanes,
    stopWithinMs,
    take: endpoints.claim,
    work: sendNext,
  });
}

function outcomeOf(result: PostResult): 'delivered' | 'refused' | 'unanswered' | 'unsigned' {
  if (isDelivered(result.status)) return 'delivered';
  if (result.status !== undefined) return 'refused';
  return 'problem' in result && result.problem === noSecret ? 'unsigned' : 'unanswered';
}

function instruments(metrics: Metrics) {
  return {
    attempts: metrics.counter({
      name: 'notifier_webhook_attempts_total',
      help: 'Attempts to deliver a webhook: delivered (2xx), refused (any other answer), unanswered, or unsigned: not sent for want of a secret.',
      labelNames: ['outcome'],
      from0: { outcome: ['unsigned'] },
    }),
    switchedOff: metrics.counter({
      name: 'notifier_webhook_endpoints_switched_off_total',
      help: 'Endpoints that were switched off: failing for five days, or gone (410).',
      labelNames: ['because'],
    }),
  };
}
