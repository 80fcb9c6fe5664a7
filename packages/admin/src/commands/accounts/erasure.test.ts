import { beforeEach, describe, expect, it } from '@jest/globals';
import { runWith } from '../../../test/admin-under-test.ts';
import { erasure } from '../../../test/command-lines.ts';
import { ServiceUnreachable } from '../../service-calls.ts';
import { Refused, type Tools } from '../../tools.ts';

type Line = { service: string; what: string; outcome: string };
type Result = { erasure: Line[]; complete?: boolean; next: string };

let away: Readonly<Record<string, Error>>;
let parked: readonly { id: string; body: string }[];
beforeEach(() => {
  away = {};
  parked = [];
});

const call: Tools['call'] = async (owner, route, { json } = {}) => {
  const problem = away[owner];
  if (problem !== undefined) throw problem;
  if (route === 'GET /admin/parked')
    return {
      parked: (owner === 'notifier' ? parked : []).map(({ id, body }) => {
        return { id, body, type: null, subject: null, reason: 'unreadable', attempts: 0, parkedAt: null };
      }),
    };
  if (owner === 'notifier') return erasure['notifier POST /admin/people/erase'];
  const { dryRun } = json as { dryRun: boolean };
  return { ...erasure['gateway POST /admin/people/erase'], events: dryRun ? null : 4 };
};

async function erase(words: string): Promise<Result & { status: number }> {
  const { status, result } = await runWith(`person erase ${words}`, call);
  return { status, ...(result as Result) };
}
const outcomes = ({ erasure }: Result) =>
  erasure.filter(({ outcome }) => !outcome.startsWith('kept')).map((line) => Object.values(line).join(' | '));

describe('person erase', () => {
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
});
