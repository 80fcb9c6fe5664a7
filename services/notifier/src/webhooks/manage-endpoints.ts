/** What the people and programs of an organisation, and the platform team, do with endpoints and their messages. */
import { createHash, randomUUID } from 'node:crypto';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import type { Clock } from '@offer-ads/platform/process/clock';
import { restingTrace } from '@offer-ads/platform/telemetry/traces';
import type { CreateRefusal } from '../domain/webhooks/endpoint.ts';
import { webhookText } from '../domain/webhooks/webhook-messages.ts';
import {
  type Change,
  type Endpoint,
  type EndpointFacts,
  type EndpointsStore,
  newEndpointId,
  type Owner,
} from './endpoints-store.ts';
import { type MessageState, type MessagesStore, messageIdOf, type Place } from './messages-store.ts';
import type { SecretBox } from './secret-box.ts';
import { keysOfText, newEndpointKeys, textOfKeys } from './signature.ts';
import type { SwitchOff } from './switch-off.ts';
import { type Reach, reachOf, type TargetRefusal, targetOf } from './target.ts';

export type Outcome<T, Refusal extends string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: Refusal };

export type WithSecret = {
  readonly endpoint: Endpoint;
  readonly secret: string;
  readonly isReplayed: boolean;
};

/** Who acts, and for which organisation and mode. `by`: as in `Change`. */
export type Actor = { readonly owner: Owner; readonly by: string };

export type ManageEndpoints = ReturnType<typeof endpointManager>;

/** A member of the platform team acts on the endpoint of any organisation. */
export type Staff = { readonly owner: undefined; readonly by: string };

/** Of each endpoint: a loop that asks for test messages fills no disk. */
const testMessagesKept = 20;

export function endpointManager(o: {
  readonly endpoints: EndpointsStore;
  readonly messages: MessagesStore;
  readonly switchOff: SwitchOff;
  readonly box: SecretBox;
  readonly testTargets: Reach;
  readonly clock: Clock;
  /** Called when there may be something to send. */
  readonly wake: () => void;
}) {
  const { endpoints, messages, box } = o;
  const changed = (by: string, what: string): Change => ({ at: o.clock.now(), by, what });

  /** The address as it is stored: what the URL parser makes of it, without a fragment, which is never sent. */
  function checkedUrl(text: string, { mode }: Owner): Outcome<string, TargetRefusal> {
    const target = targetOf(text, reachOf(mode, o.testTargets));
    if (!target.ok) return target;
    target.url.hash = '';
    const { href } = target.url;
    return href.length <= webhookLimits.urlLength ? done(href) : refused('not-a-url');
  }

  async function found(id: string, owner?: Owner): Promise<Outcome<Endpoint, 'unknown'>> {
    const endpoint = await endpoints.find(id, owner);
    return endpoint === undefined ? refused('unknown') : done(endpoint);
  }

  /** An endpoint that is on. */
  async function inUse(id: string, owner: Owner): Promise<Outcome<Endpoint, 'unknown' | 'off'>> {
    const outcome = await found(id, owner);
    return outcome.ok && outcome.value.state === 'off' ? refused('off') : outcome;
  }

  async function sendNow(id: string): Promise<void> {
    await endpoints.noteMessages([id]);
    o.wake();
  }

  function newSecret(id: string) {
    const { publicKey, ...keys } = newEndpointKeys();
    return { fresh: { sealed: box.seal(textOfKeys(keys), id), publicKey }, secret: keys.secret };
  }

  async function rollSecret(
    id: string,
    { owner, by }: Actor,
  ): Promise<Outcome<WithSecret, 'unknown' | 'rolled-too-often'>> {
    const { fresh, secret } = newSecret(id);
    const outcome = await endpoints.roll(id, owner, fresh, changed(by, 'secret rolled'));
    if (outcome === undefined) return refused('unknown');
    if (outcome === 'rolled-too-often') return refused(outcome);
    return done({ endpoint: outcome, secret, isReplayed: false });
  }

  return {
    create: async (
      actor: Actor,
      facts: EndpointFacts,
      idempotencyKey?: string,
    ): Promise<Outcome<WithSecret, TargetRefusal | CreateRefusal | 'unknown' | 'rolled-too-often'>> => {
      const { owner, by } = actor;
      const url = checkedUrl(facts.url, owner);
      if (!url.ok) return url;
      const id = newEndpointId();
      const { fresh, secret } = newSecret(id);
      const creation = idempotencyKey === undefined ? undefined : creationOf(idempotencyKey, facts);
      const added = await endpoints.add(
        { ...owner, ...facts, id, url: url.value, secrets: [fresh], ...(creation && { creation }) },
        changed(by, 'created'),
      );
      if (!added.ok) return added;
      const { endpoint, isReplayed } = added;
      if (!isReplayed) return done({ endpoint, isReplayed, secret });
      const [newest] = endpoint.secrets;
      const opened = newest && box.open(newest.sealed, endpoint.id);
      if (opened !== undefined) return done({ endpoint, isReplayed, secret: keysOfText(opened).secret });
      // Sealed with a secret that is gone: it signs nothing any more, so the caller needs another one.
      const rolled = await rollSecret(endpoint.id, actor);
      return rolled.ok ? done({ ...rolled.value, isReplayed }) : rolled;
    },
    list: endpoints.list,
    find: found,
    change: async (id: string, { owner, by }: Actor, facts: EndpointFacts) => {
      const url = checkedUrl(facts.url, owner);
      if (!url.ok) return url;
      const outcome = await endpoints.change(id, owner, { ...facts, url: url.value }, changed(by, 'changed'));
      if (outcome === undefined) return refused('unknown');
      return outcome === 'url-taken' ? refused(outcome) : done(outcome);
    },
    rollSecret,
    remove: async (id: string, { owner }: Actor) =>
      (await endpoints.remove(id, owner)) ? done(null) : refused('unknown'),
    /** Messages that wait are missed. An endpoint that is off already stays as it is. */
    switchOff: async (id: string, { owner, by }: Actor | Staff) => {
      const outcome = await found(id, owner);
      if (!outcome.ok) return outcome;
      const at = o.clock.now();
      await o.switchOff(outcome.value, owner === undefined ? 'platform' : 'requested', { at, by });
      return found(id, owner);
    },
    switchOn: async (id: string, { owner, by }: Actor | Staff) => {
      const outcome = await found(id, owner);
      if (!outcome.ok || outcome.value.state === 'on') return outcome;
      if (owner !== undefined && outcome.value.offBecause === 'platform') return refused('off-by-platform');
      const on = await endpoints.switchOn(id, changed(by, 'switched on'), owner);
      // An event that was heard at the moment when it was switched off may have left a message that is due.
      await sendNow(id);
      return on === undefined ? found(id, owner) : done(on);
    },
    sendTest: async (id: string, owner: Owner) => {
      const outcome = await inUse(id, owner);
      if (!outcome.ok) return outcome;
      const type = 'webhook.test';
      const body = webhookText(type, o.clock.now(), { environment: owner.mode, webhook_id: id });
      const messageId = messageIdOf(`${type}/${randomUUID()}`, id);
      await messages.add([
        { id: messageId, endpointId: id, type, body, state: 'pending', trace: restingTrace() },
      ]);
      await sendNow(id);
      await messages.keepLatest(id, type, testMessagesKept);
      const message = await messages.find(id, messageId);
      return message === undefined ? refused('unknown') : done(message);
    },
    messages: async (
      id: string,
      {
        owner,
        limit,
        ...which
      }: {
        readonly owner?: Owner;
        readonly state?: MessageState;
        readonly before?: Place;
        readonly limit: number;
      },
    ) => {
      const outcome = await found(id, owner);
      return outcome.ok ? done(await messages.latest(id, limit, which)) : outcome;
    },
    resend: async (id: string, owner: Owner, messageId: string) => {
      const outcome = await inUse(id, owner);
      if (!outcome.ok) return outcome;
      const message = await messages.resend(id, messageId);
      if (message === undefined) return refused('message-unknown');
      await sendNow(id);
      return done(message);
    },
    /** `next`: when the first one was made that is left for another call. */
    resendSince: async (
      id: string,
      owner: Owner,
      { since, withDelivered }: { readonly since: Date; readonly withDelivered: boolean },
    ) => {
      const outcome = await inUse(id, owner);
      if (!outcome.ok) return outcome;
      const states: MessageState[] = ['failed', 'missed', ...(withDelivered ? ['delivered' as const] : [])];
      const resent = await messages.resendSince(id, { since, states, atMost: webhookLimits.resentAtOnce });
      await sendNow(id);
      return done(resent);
    },
  };
}

function creationOf(idempotencyKey: string, { url, description = '', types = [], ed25519 }: EndpointFacts) {
  return {
    key: digestOf(idempotencyKey),
    fingerprint: digestOf(JSON.stringify([url, description, types, ed25519 === true])),
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

function refused<Reason extends string>(reason: Reason): { readonly ok: false; readonly reason: Reason } {
  return { ok: false, reason };
}
