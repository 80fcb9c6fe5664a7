/**
 * `webhooks listen`: forwards TEST events to a server on this machine, which the service cannot reach. A webhook of its own collects
 * them while the command runs. It is disabled, so the service sends nothing and keeps each message as missed, and they are read here.
 */
import { createHmac, randomUUID } from 'node:crypto';
import type { OfferAds } from '../client.ts';
import { sleep } from '../clock.ts';
import { OfferAdsError } from '../error.ts';
import type { EventType, WebhookMessage } from '../types.ts';
import { requiredText, texts, UsageError } from './arguments.ts';
import { type Given, type Shown, shown } from './command.ts';
import { printed } from './print.ts';

/** 20 of the 60 requests that an address may make in a minute. */
const pollEveryMs = 3_000;
/** A thousand messages at a time; what is older then is left out. */
const pagesAtMost = 10;
const pageLength = 100;
/** As long as the service waits for the answer of a webhook. */
const answerWithinMs = 10_000;
/** Ctrl+C does not end creation and deletion, so that no webhook is left behind; the deadline does. */
const whole = { deadlineMs: 20_000 };
const secretPrefix = 'whsec_';

type Forwarding = { readonly target: URL; readonly secret: string; readonly given: Given };

export async function listen(ads: OfferAds, given: Given): Promise<Shown> {
  const target = targetOf(requiredText(given.flags, 'forward-to'));
  const known = ownSecret(given);
  if (ads.mode !== 'TEST') throw new UsageError('webhooks listen needs a TEST key');
  const events = texts(given.flags, 'event') as readonly EventType[];
  const request = {
    // A name that never resolves (RFC 2606).
    url: `https://listen.invalid/${randomUUID()}`,
    description: 'offer-ads webhooks listen',
    event_types: events.length === 0 ? undefined : events,
  };
  const created = await ads.webhooks.create(request, whole);
  if (!created.ok) return shown(created, () => '');
  const { webhook_id: webhookId, secret } = created.value;
  try {
    const disabled = await ads.webhooks.disable(webhookId, whole);
    if (!disabled.ok) return shown(disabled, () => '');
    const signer = known === undefined ? printed(secret) : 'OFFER_ADS_WEBHOOK_SECRET';
    given.emit(
      { webhook_id: webhookId, forward_to: target.href, ...(known === undefined && { secret }) },
      `TEST events go to ${printed(target.href)} until Ctrl+C. The secret: ${signer}\n`,
    );
    return await forwardAll(ads, webhookId, { target, secret: known ?? secret, given });
  } finally {
    const isDeleted = await ads.webhooks.delete(webhookId, whole).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isDeleted) given.warn(`Its webhook is left: offer-ads webhooks delete ${printed(webhookId)}\n`);
  }
}

async function forwardAll(ads: OfferAds, webhookId: string, o: Forwarding): Promise<Shown> {
  const { signal, clock, emit } = o.given;
  let forwarded = 0;
  let known: ReadonlySet<string> = new Set();
  try {
    for (;;) {
      const messages: WebhookMessage[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < pagesAtMost; pages += 1) {
        const page = await ads.webhooks.messages(webhookId, { limit: pageLength, cursor }, { signal });
        if (!page.ok) return shown(page, () => '');
        messages.push(...page.value.data);
        cursor = page.value.pagination.next_cursor ?? undefined;
        if (cursor === undefined || page.value.data.some(({ message_id: id }) => known.has(id))) break;
      }
      for (const message of messages.toReversed()) {
        if (known.has(message.message_id)) continue;
        const outcome = await forward(message, o);
        if (signal?.aborted === true) break;
        forwarded += 1;
        const { message_id, event_type } = message;
        const answer = outcome.http_status ?? outcome.problem;
        emit(
          { message_id, event_type, ...outcome },
          `${[event_type, message_id, answer].map(printed).join('  ')}\n`,
        );
      }
      known = new Set(messages.map(({ message_id: id }) => id));
      await sleep(clock, pollEveryMs, signal);
    }
  } catch (error) {
    if (!(error instanceof OfferAdsError && error.kind === 'aborted')) throw error;
    return { ok: true, json: { forwarded }, text: `${forwarded} forwarded\n` };
  }
}

type Outcome =
  | { readonly http_status: number; readonly problem: null }
  | { readonly http_status: null; readonly problem: string };

/** Signed anew: the service has not sent it, so it has no signature yet. */
async function forward({ message_id: id, body }: WebhookMessage, o: Forwarding): Promise<Outcome> {
  const text = JSON.stringify(body);
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const key = Buffer.from(o.secret.slice(secretPrefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const { signal: interrupted } = o.given;
  const limit = AbortSignal.timeout(answerWithinMs);
  const signal = interrupted === undefined ? limit : AbortSignal.any([limit, interrupted]);
  try {
    const reply = await fetch(o.target, { method: 'POST', headers, body: text, redirect: 'manual', signal });
    await reply.body?.cancel();
    return { http_status: reply.status, problem: null };
  } catch (error) {
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    const problem =
      cause?.code === 'ECONNREFUSED'
        ? `nothing listens at ${o.target.origin}: start your server`
        : name === 'TimeoutError'
          ? `no answer within ${answerWithinMs / 1_000} seconds`
          : `not delivered (${cause?.code ?? name})`;
    return { http_status: null, problem };
  }
}

function targetOf(text: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError('--forward-to must be an address such as http://localhost:3000/hooks');
}

/** A server that is configured with a secret already keeps it. */
function ownSecret({ env }: Given): string | undefined {
  const { OFFER_ADS_WEBHOOK_SECRET: secret = '' } = env;
  if (secret === '') return undefined;
  if (/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) return secret;
  throw new UsageError('OFFER_ADS_WEBHOOK_SECRET is no secret of a webhook: whsec_ and base64');
}
