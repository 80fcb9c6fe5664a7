/** Erases a person of an advertiser (decision 256, erasure of a person). Each service erases in its own store. */
import { parkedReply } from '@offer-ads/contracts/admin/events-api';
import { type PersonErasureReply, personErasureReply } from '@offer-ads/contracts/admin/gateway-api';
import { mailboxErasureReply } from '@offer-ads/contracts/admin/notifier-api';
import { z } from 'zod';
import { type Command, command, email, id, yesOrNo } from '../../command.ts';
import { isAway, type Owner, type Tools } from '../../tools.ts';
import { consumers } from '../events.ts';

/** What a service has of the person, and what became of it. */
type Line = { readonly service: Owner; readonly what: string; readonly outcome: string };

const person = z
  .string()
  .refine(
    (word) => id.safeParse(word).success || email.safeParse(word).success,
    'must be an email address or the id of a person',
  )
  .transform((word) => (/^\d+$/.test(word) ? Number(word) : word))
  .describe('EMAIL|ID');

export const erasureCommands: readonly Command[] = [
  command({
    name: 'person erase',
    summary:
      'Show what is stored of a person, in every organisation; --confirm yes erases it for ever; can be repeated',
    options: { person, confirm: yesOrNo.optional() },
    operand: 'person',
    failed: (result) => 'complete' in result && !result.complete,
    run: async ({ person, confirm = false }, tools) => erasePerson(person, confirm, tools),
  }),
];

/** The gateway comes first: its event makes the notifier forget, also if the notifier is away now. */
async function erasePerson(person: string | number, confirm: boolean, { call }: Tools) {
  const named = typeof person === 'number' ? { id: person } : { email: person };
  const json = { person: named, dryRun: !confirm };
  const reply = await call('gateway', 'POST /admin/people/erase', { json, patient: true });
  const account = personErasureReply.parse(reply);
  if (account.email === null)
    return {
      erasure: linesOfGateway(account, confirm),
      complete: false,
      next: 'The person with this id was erased before. Give the address to look for what is left.',
    };
  const address = account.email;
  const personIds = account.memberships.map(({ personId }) => personId);
  const mails = await tried('notifier', async () => {
    const json = { email: address, personIds, dryRun: !confirm };
    const erased = mailboxErasureReply.parse(await call('notifier', 'POST /admin/people/erase', { json }));
    return linesOf('notifier', confirm, {
      [`contact of ${organisations(erased.contacts)}`]: erased.contacts,
      'mails of the last 180 days': erased.notifications,
      'entry on the bounce list': erased.bounces,
      'choices of mails': erased.preferences,
    });
  });
  const parked = await Promise.all(
    consumers.map((name) => tried(name, () => parkedWith(name, address, { call }))),
  );
  const erasure = [linesOfGateway(account, confirm), mails, ...parked, kept].flat();
  const isAway = erasure.some(({ outcome }) => outcome === unreached);
  const isLeft = erasure.some(({ outcome }) => outcome.startsWith(leftover));
  const next = nextStep({ confirm, isAway, isLeft });
  return { erasure, ...(confirm && { complete: !isAway && !isLeft }), next };
}

const unreached = 'NOT REACHED';
const leftover = 'LEFT: ';

function nextStep(o: { confirm: boolean; isAway: boolean; isLeft: boolean }): string {
  if (!o.confirm) return 'Nothing was erased. Repeat it with --confirm yes.';
  if (o.isAway) return 'Repeat it with the address when all services answer. What was done stays done.';
  if (o.isLeft) return 'Decide about the parked events, then repeat it.';
  return 'Backups still have the address until they are deleted (docs/operations/privacy.md).';
}

function linesOfGateway(o: PersonErasureReply, confirm: boolean): readonly Line[] {
  const memberships = o.memberships.map(
    ({ personId, organisationId, organisationName, role, isLastAdmin }) => {
      const warning = isLastAdmin ? ', which has no other admin' : '';
      return [
        `person ${personId}, ${role} of organisation ${organisationId} (${organisationName})${warning}`,
        1,
      ] as const;
    },
  );
  return linesOf('gateway', confirm, {
    ...Object.fromEntries(memberships),
    sessions: o.sessions,
    'links to sign in': o.links,
    registrations: o.signUps,
    [`published events of the last 14 days${confirm ? '' : ', if any'}`]: o.events,
  });
}

/** Null: a dry run does not count it. */
function linesOf(
  service: Owner,
  confirm: boolean,
  counts: Readonly<Record<string, number | null>>,
): readonly Line[] {
  return Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => ({
      service,
      what: count === null || count === 1 ? what : `${count} ${what}`,
      outcome: confirm ? 'erased' : 'would be erased',
    }));
}

/** Parked events are copies outside the stores: a person decides about each. */
async function parkedWith(service: Owner, address: string, { call }: Pick<Tools, 'call'>): Promise<Line[]> {
  const { parked } = parkedReply.parse(await call(service, 'GET /admin/parked', { query: { limit: 1_000 } }));
  const ids = parked.filter(({ body }) => body.toLowerCase().includes(`"${address}"`)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const outcome = `${leftover}events drop --service ${service} --ids ${ids.join(',')}`;
  return [{ service, what: `${ids.length} parked events`, outcome }];
}

/** The others are done, and the list says what is missing. */
async function tried(service: Owner, work: () => Promise<readonly Line[]>): Promise<readonly Line[]> {
  try {
    return await work();
  } catch (error) {
    if (!isAway(error)) throw error;
    return [{ service, what: 'what it has of the address', outcome: unreached }];
  }
}

const kept: readonly Line[] = [
  {
    service: 'gateway',
    what: "the person's number, at keys, invitations and acceptances of terms",
    outcome: 'kept: leads to nobody',
  },
  {
    service: 'gateway',
    what: 'calls with keys, which name no person',
    outcome: 'kept for 90 days',
  },
  { service: 'offers', what: "the person's number, at offers", outcome: 'kept: leads to nobody' },
  {
    service: 'billing',
    what: 'invoices and ledger, which name the organisation only',
    outcome: 'kept for 10 years, by tax law',
  },
];

function organisations(count: number): string {
  return count === 1 ? 'an organisation' : 'organisations';
}
