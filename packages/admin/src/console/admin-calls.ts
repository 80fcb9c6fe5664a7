/** The admin routes that the console forwards. It can call no others. */
import type { Owner } from '../service-calls.ts';

type Route = `${'GET' | 'POST'} /${string}`;

const parked = ['GET /parked', 'POST /parked/replay', 'POST /parked/drop'] as const satisfies Route[];

export const adminCalls: Readonly<Record<Owner, readonly Route[]>> = {
  gateway: [
    'GET /organisations',
    'GET /organisations/:id',
    'GET /organisations/:id/people',
    'GET /organisations/:id/keys',
    'GET /organisations/:id/terms',
    'POST /organisations/:id/disable',
    'POST /organisations/:id/enable',
    'POST /organisations/:id/approve',
    'POST /organisations/:id/withdraw-approval',
    'POST /organisations/:id/quota',
  ],
  offers: [
    'GET /offers',
    'GET /offers/:id',
    'POST /offers/:id/disable',
    'POST /offers/:id/enable',
    'GET /images/:hash',
    'GET /images/:hash/offers',
    ...parked,
  ],
  billing: ['GET /balances', 'GET /card-problems', 'POST /card-problems/settle', ...parked],
  pricing: ['GET /rates', 'POST /rates/refresh', ...parked],
  moderation: ['GET /pictures', 'GET /pictures/:name', 'GET /rulings', 'POST /rulings'],
  notifier: parked,
};
