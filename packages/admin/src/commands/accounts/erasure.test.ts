import { beforeEach, describe, expect, it } from '@jest/globals';
import { runWith } from '../../../test/admin-under-test.ts';
import { ServiceUnreachable } from '../../service-calls.ts';
import { Refused, type Tools } from '../../tools.ts';

type Line = { service: string; what: string; outcome: string };
type Result = { erasure: Line[]; complete?: boolean; next: string };

let calls: { owner: string; route: string; json: unknown }[];
let away: Readonly<Record<string, Error>>;
let parked: readonly { id: string; body: string }[];
beforeEach(() => {
  calls = [];
  away = {};
  parked = [];
});

const membership = {
  personId: 7,
  organisationId: 3,
  organisationName: 'Tea House',
  role: 'admin',
  isLastAdmin: true,
};
const account = { email: 'ann@tea.example', memberships: [membership], sessions: 2, links: 0, signUps: 1 };

const call: Tools['call'] = async (owner, route, { json } = {}) => {
  calls.push({ owner, route, json });
  const problem = away[owner];
  if (problem !== undefined) throw problem;
  if (route === 'GET /admin/parked')
    return {
      parked: (owner === 'notifier' ? parked : []).map(({ id, body }) => {
        return { id, body, type: null, subject: null, reason: 'unreadable', attempts: 0, parkedAt: null };
      }),
    };
  if (owner === 'notifier') return { contacts: 1, notifications: 12, bounces: 0, preferences: 1 };
  const { dryRun } = json as { dryRun: boolean };
  return { ...account, events: dryRun ? null : 4 };
};

async function erase(words: string): Promise<Result & { status: number }> {
  const { status, result } = await runWith(`person erase ${words}`, call);
  return { status, ...(result as Result) };
}
const outcomes = ({ erasure }: Result) =>
  erasure.filter(({ outcome }) => !outcome.startsWith('kept')).map((line) => Object.values(line).join(' | '));

describe('person erase', () => {
  it('first only shows what would be erased, and what is kept and why', async () => {
    const result = await erase('ann@tea.example');
    expect(outcomes(result)).toEqual([
      'gateway | person 7, admin of organisation 3 (Tea House), which has no other admin | would be erased',
      'gateway | 2 sessions | would be erased',
      'gateway | registrations | would be erased',
      'gateway | published events of the last 14 days, if any | would be erased',
      'notifier | contact of an organisation | would be erased',
      'notifier | 12 mails of the last 180 days | would be erased',
      'notifier | choices of mails | would be erased',
    ]);
    expect(result.erasure).toContainEqual({
      service: 'billing',
      what: expect.stringContaining('invoices and ledger'),
      outcome: 'kept for 10 years, by tax law',
    });
    expect([result.status, result.complete, result.next]).toEqual([
      0,
      undefined,
      'Nothing was erased. Repeat it with --confirm yes.',
    ]);
    expect(calls.filter(({ json }) => json !== undefined)).toMatchObject([
      { owner: 'gateway', json: { person: { email: 'ann@tea.example' }, dryRun: true } },
      { owner: 'notifier', json: { email: 'ann@tea.example', personIds: [7], dryRun: true } },
    ]);
  });

  it('erases with --confirm yes, in the gateway first, by id too', async () => {
    const result = await erase('7 --confirm yes');
    expect(calls.slice(0, 2)).toMatchObject([
      { owner: 'gateway', json: { person: { id: 7 }, dryRun: false } },
      { owner: 'notifier', json: { email: 'ann@tea.example', personIds: [7], dryRun: false } },
    ]);
    expect(outcomes(result).every((line) => line.endsWith('| erased'))).toBe(true);
    expect([result.status, result.complete]).toEqual([0, true]);
  });

  it.each([
    ['cannot be reached', new ServiceUnreachable('notifier cannot be reached')],
    ['has lost its store', new Refused('notifier: try again', 503)],
  ])('does the rest while a service %s, fails, and says to repeat it', async (_why, problem) => {
    away = { notifier: problem };
    const result = await erase('ann@tea.example --confirm yes');
    expect(outcomes(result)).toContain('notifier | what it has of the address | NOT REACHED');
    expect(outcomes(result)).toContain('gateway | 2 sessions | erased');
    expect([result.status, result.complete]).toEqual([1, false]);
    expect(result.next).toContain('Repeat it with the address');
  });

  it('stops at a refusal, which a repetition would not change', async () => {
    away = { notifier: new Refused('notifier: not allowed', 403) };
    const { status, result } = await runWith('person erase ann@tea.example --confirm yes', call);
    expect([status, result]).toEqual([1, { error: expect.stringContaining('not allowed') }]);
  });

  it('leaves parked events with the address to a person, and says how to drop them', async () => {
    parked = [
      { id: 'e1', body: '{"email":"Ann@tea.example"}' },
      { id: 'e2', body: '{"email":"joann@tea.example"}' },
    ];
    const result = await erase('ann@tea.example --confirm yes');
    expect(outcomes(result)).toContain(
      'notifier | 1 parked events | LEFT: events drop --service notifier --ids e1',
    );
    expect(result.status).toBe(1);
  });

  it('asks for the address when the person with the id was erased before', async () => {
    const gone: Tools['call'] = async () => ({
      email: null,
      memberships: [],
      sessions: 0,
      links: 0,
      signUps: 0,
      events: 0,
    });
    const { status, result } = await runWith('person erase 7 --confirm yes', gone);
    expect([status, result]).toMatchObject([1, { erasure: [], next: expect.stringContaining('address') }]);
  });

  it('needs an address or an id', async () => {
    const { result } = await runWith('person erase ann', call);
    expect(result).toEqual({ error: expect.stringContaining('EMAIL|ID must be an email address or the id') });
  });
});
