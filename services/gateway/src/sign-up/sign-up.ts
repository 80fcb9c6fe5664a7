/** Self-registration: a request that does not reveal who exists, a mail, and an organisation with its first admin. */
import { randomUUID } from 'node:crypto';
import { SignUpRequested } from '@offer-ads/contracts/events/gateway';
import { publish } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { removeOlder } from '@offer-ads/platform/postgres/removing';
import { startLoop } from '@offer-ads/platform/process/loops';
import { registerOrganisation } from '../accounts/manage-organisations.ts';
import { type Approval, approvalAtSignUp, type SignUpPolicy } from '../domain/accounts/approval.ts';
import { addressOf, linksPerAddress, membershipToSignIn } from '../domain/accounts/sign-in-link.ts';
import {
  answerSignUp,
  maxSignUpsWaiting,
  signUpLinkExpiry,
  signUpMailsPerAddress,
  signUpsKeptSince,
  signUpsWaitSince,
  signUpUrl,
  useOfSignUpLink,
} from '../domain/accounts/sign-up.ts';
import { type AnsweringOptions, startAnswering } from '../sign-in/answering.ts';
import { openSession } from '../sign-in/sessions.ts';
import { deleteSessionByToken } from '../sign-in/sessions-store.ts';
import type { Completion } from '../sign-in/sign-in.ts';
import { issueSignInLink } from '../sign-in/sign-in-links.ts';
import { countLinks, lockMemberships, noteSignIn } from '../sign-in/sign-in-store.ts';
import { isToken, newToken, sha256OfToken } from '../sign-in/sign-in-tokens.ts';
import * as store from './sign-up-store.ts';

const tidyEveryMs = 60_000;

const outcomes = [
  'link-sent',
  'sign-in-sent',
  'disabled-address',
  'too-many-mails',
  'too-old',
  'failed',
  'too-many-waiting',
] as const;
type Outcome = (typeof outcomes)[number];

export type SignUp = AsyncDisposable & {
  /** Applies to new requests; earlier ones are still answered or deleted. */
  readonly policy: SignUpPolicy;
  /** Does the same work for every address. Above a rate, the request waits in a queue. */
  readonly ask: (asked: store.AskedSignUp) => Promise<void>;
  /** The token of the new session; null if the link is unknown, expired, or was used more than a minute ago (decision 122, signing up). */
  readonly complete: (o: Completion) => Promise<string | null>;
};

export function startSignUp(
  o: AnsweringOptions & { readonly policy: SignUpPolicy; readonly publicUrl: string },
): SignUp {
  const { postgres, clock } = o;
  const requests = o.metrics.counter({
    name: 'sign_up_requests_total',
    help: 'Requests to register an organisation, by outcome.',
    labelNames: ['outcome'],
    from0: { outcome: outcomes },
  });
  const answering = startAnswering({
    ...o,
    name: 'sign-up-requests',
    take: store.takeSignUp,
    answer: (tx, request, at) => answer(tx, request, { at, publicUrl: o.publicUrl }),
    drop: ({ id }, at) => store.markAnswered(postgres, { id, at }),
    answered: (outcome) => requests.inc({ outcome }),
  });
  const tidying = startLoop({
    name: 'sign-up-tidying',
    everyMs: tidyEveryMs,
    ...o,
    work: async (signal) => {
      const now = clock.now();
      const givenUp = await store.giveUpWaiting(postgres, {
        before: signUpsWaitSince(now),
        most: maxSignUpsWaiting,
      });
      requests.inc({ outcome: 'too-old' }, givenUp.tooOld);
      requests.inc({ outcome: 'too-many-waiting' }, givenUp.tooMany);
      const old = { table: 'sign_ups', key: 'id', time: 'requested_at', before: signUpsKeptSince(now) };
      await removeOlder(postgres, old, signal);
    },
  });
  return {
    policy: o.policy,
    ask: async (asked) => {
      await store.insertSignUp(postgres, asked);
      // Not awaited, because the duration would show whether the address is known.
      answering.runNow().catch(() => {});
    },
    complete: async (completion) =>
      isToken(completion.token)
        ? await postgres.transaction((tx) => useLink(tx, completion, o.policy), completion.deadline)
        : null,
    [Symbol.asyncDispose]: async () => {
      await answering[Symbol.asyncDispose]();
      await tidying[Symbol.asyncDispose]();
    },
  };
}

/** Creates the link and writes the event. */
async function answer(
  tx: Transaction,
  request: store.SignUpRow,
  o: { at: Date; publicUrl: string },
): Promise<Outcome> {
  const { at, publicUrl } = o;
  const address = addressOf(request.adminEmail);
  await store.lockAddress(tx, address);
  const addressState = await store.findAddressState(tx, address);
  const after = new Date(at.getTime() - signUpMailsPerAddress.windowMs);
  const mails = await store.countMails(tx, { address, after });
  const decided = answerSignUp({ requestedAt: request.requestedAt, now: at, addressState, mails });
  switch (decided) {
    case 'send-link': {
      const token = newToken();
      const expiresAt = signUpLinkExpiry(at);
      await store.giveLink(tx, { id: request.id, sha256: sha256OfToken(token), expiresAt });
      await announce(tx, request, { url: signUpUrl(publicUrl, token), expiresAt, hasPlace: false, at });
      return 'link-sent';
    }
    case 'send-sign-in':
      return sendSignIn(tx, request, { address, at, publicUrl });
    case 'disabled-address':
    case 'too-many-mails':
    case 'too-old':
      return decided;
  }
}

/** Like a sign-in request, and counted with those, but the mail gives the reason. */
async function sendSignIn(
  tx: Transaction,
  request: store.SignUpRow,
  { address, at, publicUrl }: { address: string; at: Date; publicUrl: string },
): Promise<Outcome> {
  const member = membershipToSignIn(await lockMemberships(tx, address));
  if (member === undefined) return 'disabled-address';
  const after = new Date(at.getTime() - linksPerAddress.windowMs);
  if ((await countLinks(tx, { email: address, after })) >= linksPerAddress.most) return 'too-many-mails';
  const link = await issueSignInLink(tx, { personId: member.personId, purpose: 'sign-in', at, publicUrl });
  await announce(tx, { ...request, adminEmail: member.email }, { ...link, hasPlace: true, at });
  return 'sign-in-sent';
}

async function announce(
  tx: Transaction,
  { adminEmail, country }: store.SignUpRow,
  o: { url: string; expiresAt: Date; hasPlace: boolean; at: Date },
): Promise<void> {
  await publish(tx, SignUpRequested, {
    subject: `sign-up/${randomUUID()}`,
    subjectVersion: 1,
    at: o.at,
    data: {
      email: adminEmail,
      country,
      hasPlace: o.hasPlace,
      url: o.url,
      expiresAt: o.expiresAt.toISOString(),
    },
  });
}

/** Of several concurrent uses, of one link or of several links of the address, one registers the organisation. */
async function useLink(tx: Transaction, o: Completion, policy: SignUpPolicy): Promise<string | null> {
  const { at } = o;
  const sha256 = sha256OfToken(o.token);
  const known = await store.findByToken(tx, sha256);
  if (known === null) return null;
  const address = addressOf(known.adminEmail);
  await store.lockAddress(tx, address);
  const link = await store.findByToken(tx, sha256);
  if (link === null) return null;
  const use = useOfSignUpLink(link, at);
  if (use === 'refused') return null;
  // The address's people were disabled after the link was sent, and an old link must not bypass that.
  if (use === 'register' && (await store.findAddressState(tx, address)) === 'disabled') return null;
  const personId =
    use === 'register' ? await register(tx, link, approvalAtSignUp(policy, at), at) : link.personId;
  const memberships = await lockMemberships(tx, address);
  // The person was disabled within that minute.
  if (personId === null || memberships.every((member) => member.personId !== personId)) return null;
  await noteSignIn(tx, { personId, at });
  if (isToken(o.replacing)) await deleteSessionByToken(tx, sha256OfToken(o.replacing));
  return openSession(tx, { personId, address, at });
}

async function register(
  tx: Transaction,
  link: store.LinkedSignUp,
  approval: Approval | null,
  at: Date,
): Promise<number> {
  const { name, tradingName, country, currency, adminEmail } = link;
  const wish = { name, tradingName, country, currency, adminEmail };
  const { people } = await registerOrganisation(tx, wish, { approval, at });
  const [admin] = people;
  if (admin === undefined) throw new Error('an organisation was registered without its admin');
  const address = addressOf(adminEmail);
  await store.completeSignUp(tx, { id: link.id, address, personId: admin.id, at });
  return admin.id;
}
