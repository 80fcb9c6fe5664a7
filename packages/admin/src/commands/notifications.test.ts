import { expect, it } from '@jest/globals';
import type { Call, Tools } from '../tools.ts';
import { notificationCommands } from './notifications.ts';

const line = {
  id: 'offer-paid/offer/17 to ann@cafe.example',
  state: 'failed',
  event: 'OfferPaymentApplied',
  organisationId: 1,
  recipient: 'ann@cafe.example',
  subject: 'Offer paid',
  createdAt: '2026-06-01T12:00:00.000Z',
  attempts: 1,
  nextAttemptAt: null,
  settledAt: '2026-06-01T12:00:01.000Z',
  problem: '550 5.7.1 Blocked',
};
const shown = {
  ...line,
  messageId: '<0123@ads.example>',
  expiresAt: null,
  history: [{ at: line.settledAt, state: 'failed', problem: line.problem, reply: null, uncertain: false }],
  resends: [],
};
const bounce = {
  address: 'ann@cafe.example',
  refusals: 1,
  lastRefusedAt: line.createdAt,
  heededUntil: line.settledAt,
  problem: '550 5.1.1',
};

/** Runs the command and tells what it asked. */
async function run(name: string, args: string[], reply: object) {
  let asked: Call | undefined;
  const call: Tools['call'] = async (owner, call) => {
    expect(owner).toBe('notifier');
    asked = call;
    return reply;
  };
  const command = notificationCommands.find((each) => each.name === name);
  const result = await command?.run(args, () => ({ call, namespace: '' }) as unknown as Tools);
  return { asked, result };
}

it.each<readonly [string, string[], Call, object]>([
  ['notification list', [], { method: 'GET', path: '/admin/notifications' }, { notifications: [line] }],
  [
    'notification list',
    [
      '--state',
      'failed',
      '--org',
      '1',
      '--to',
      'ann@cafe.example',
      '--since',
      '2026-06-01T00:00:00+01:00',
      '--limit',
      '5',
    ],
    {
      method: 'GET',
      path: '/admin/notifications?state=failed&organisationId=1&recipient=ann%40cafe.example&since=2026-06-01T00%3A00%3A00%2B01%3A00&limit=5',
    },
    { notifications: [] },
  ],
  [
    'notification show',
    [line.id],
    {
      method: 'GET',
      path: '/admin/notifications/one?id=offer-paid%2Foffer%2F17%20to%20ann%40cafe.example',
    },
    shown,
  ],
  [
    'notification resend',
    [line.id],
    { method: 'POST', path: '/admin/notifications/resend', json: { id: line.id } },
    shown,
  ],
  [
    'notification bounces',
    ['--limit', '3'],
    { method: 'GET', path: '/admin/bounces?limit=3' },
    { bounces: [bounce] },
  ],
])('%s %j asks the notifier and prints what it answers', async (name, args, call, reply) => {
  const { asked, result } = await run(name, args, reply);
  expect(asked).toEqual(call);
  expect(result).toEqual(reply);
});
