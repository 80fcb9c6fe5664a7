/** Signing in: a request that does not reveal who exists, a link that works once, a session. */
import { randomUUID } from 'node:crypto';
import { SignInRequested } from '@offer-ads/contracts/events/gateway';
import type { SignInLinkReply } from '@offer-ads/contracts/portal/session-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { publish } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import { removeOlder } from '@offer-ads/platform/postgres/removing';
import { startLoop } from '@offer-ads/platform/process/loops';
import { beginJoining } from '../accounts/change-organisation.ts';
import {
  addressOf,
  linksPerAddress,
  membershipToSignIn,
  requestsWaitMs,
} from '../domain/accounts/sign-in-link.ts';
import { type AnsweringOptions, startAnswering } from './answering.ts';
import { openSession, removeExpired } from './sessions.ts';
import { deleteSessionByToken } from './sessions-store.ts';
import { issueSignInLink } from './sign-in-links.ts';
import * as store from './sign-in-store.ts';
import { isToken, sha256OfToken } from './sign-in-tokens.ts';

const tidyEveryMs = 60_000;

export type SignIn = AsyncDisposable & {
  /** Does the same work for every address. False if more requests wait than can be answered in time. */
  readonly ask: (email: string, at: Date) => Promise<boolean>;
  /** Who signs in with a link; null if it does not work. Does not use it up. */
  readonly describe: (token: string, at: Date) => Promise<SignInLinkReply | null>;
  /** The token of the new session; null if the link is unknown, used or expired, or its person may not sign in. */
  readonly complete: (o: Completion) => Promise<string | null>;
};

export type Completion = {
  readonly token: string;
  /** The browser's present session, which signing in ends. */
  readonly replacing: string | undefined;
  readonly at: Date;
  /** Nothing is committed after it. */
  readonly deadline: Deadline;
};

export function startSignIn(o: AnsweringOptions & { readonly publicUrl: string }): SignIn {
  const { postgres, clock } = o;
  const signIns = o.metrics.counter({
    name: 'sign_ins_total',
    help: 'Uses of links to sign in, by whether a session was opened.',
    labelNames: ['outcome'],
    from0: { outcome: ['signed-in', 'refused'] },
  });
  const requests = o.metrics.counter({
    name: 'sign_in_requests_total',
    help: 'Requests for a link to sign in, by outcome; too-many-waiting were refused at once.',
    labelNames: ['outcome'],
    from0: { outcome: requestOutcomes },
  });
  const complete = async (completion: Completion) => {
    if (!isToken(completion.token)) return null;
    return postgres.transaction((tx) => useLinkUp(tx, completion), completion.deadline);
  };
  const answering = startAnswering({
    ...o,
    name: 'sign-in-requests',
    take: store.takeRequest,
    answer: (tx, request, at) => answer(tx, request, { at, publicUrl: o.publicUrl }),
    drop: (request) => store.deleteRequest(postgres, request.id),
    answered: (outcome) => requests.inc({ outcome }),
  });
  const tidying = startLoop({
    name: 'sign-in-tidying',
    everyMs: tidyEveryMs,
    ...o,
    work: (signal) => tidy(postgres, clock.now(), signal),
  });
  return {
    ask: async (email, at) => {
      const isKept = await store.insertRequest(postgres, { email: addressOf(email), at });
      if (!isKept) requests.inc({ outcome: 'too-many-waiting' });
      // Not awaited, because the duration would show whether the address is known.
      answering.runNow().catch(() => {});
      return isKept;
    },
    describe: async (token, at) =>
      isToken(token) ? store.describeLink(postgres, { sha256: sha256OfToken(token), at }) : null,
    complete: async (completion) => {
      const token = await complete(completion);
      signIns.inc({ outcome: token === null ? 'refused' : 'signed-in' });
      return token;
    },
    [Symbol.asyncDispose]: async () => {
      await answering[Symbol.asyncDispose]();
      await tidying[Symbol.asyncDispose]();
    },
  };
}

/** The possible outcomes of a request. They are counted, but never shown for a single address. */
const requestOutcomes = [
  'link-sent',
  'unknown-address',
  'too-many-links',
  'too-old',
  'failed',
  'too-many-waiting',
] as const;
type RequestOutcome = (typeof requestOutcomes)[number];

/** Creates the link and writes the event. */
async function answer(
  tx: Transaction,
  request: { email: string; requestedAt: Date },
  o: { at: Date; publicUrl: string },
): Promise<RequestOutcome> {
  const { at } = o;
  const { email } = request;
  if (at.getTime() - request.requestedAt.getTime() >= requestsWaitMs) return 'too-old';
  const member = membershipToSignIn(await store.lockMemberships(tx, email));
  if (member === undefined) return 'unknown-address';
  const after = new Date(at.getTime() - linksPerAddress.windowMs);
  if ((await store.countLinks(tx, { email, after })) >= linksPerAddress.most) return 'too-many-links';

  const { personId, organisationId } = member;
  const link = await issueSignInLink(tx, { personId, purpose: 'sign-in', at, publicUrl: o.publicUrl });
  await publish(tx, SignInRequested, {
    // Each link is its own subject, because several are valid at the same time.
    subject: `sign-in-link/${randomUUID()}`,
    subjectVersion: 1,
    at,
    data: {
      organisationId,
      personId,
      // The spelling of the invitation, not what somebody typed.
      email: member.email,
      signInUrl: link.url,
      expiresAt: link.expiresAt.toISOString(),
    },
  });
  return 'link-sent';
}

async function useLinkUp(tx: Transaction, o: Completion): Promise<string | null> {
  const { at } = o;
  const sha256 = sha256OfToken(o.token);
  const link = await store.findLink(tx, sha256);
  if (link === null) return null;
  const announceJoining = await beginJoining(tx, link.personId);
  // From here on, sign-ins of the address run one after the other: of two links of a person used at once, one wins.
  const memberships = await store.lockMemberships(tx, link.email);
  if (!(await store.useLink(tx, { sha256, at }))) return null;
  // A disabled person's link is used up too, so that it cannot work later.
  if (memberships.every(({ personId }) => personId !== link.personId)) return null;
  await store.useUpLinks(tx, { personId: link.personId, at });
  await store.noteSignIn(tx, { personId: link.personId, at });
  await announceJoining(at);
  if (isToken(o.replacing)) await deleteSessionByToken(tx, sha256OfToken(o.replacing));
  return openSession(tx, { personId: link.personId, address: link.email, at });
}

async function tidy(postgres: Postgres, at: Date, signal: AbortSignal): Promise<void> {
  // The limit of their address counts links no longer than they work.
  const links = { table: 'sign_in_links', key: 'token_sha256', time: 'expires_at', before: at };
  await removeOlder(postgres, links, signal);
  await removeExpired(postgres, at, signal);
}
