/** The admin routes that the console forwards. It can call no others. */
import type { Owner } from '../service-calls.ts';

type Route = `${'GET' | 'POST' | 'PUT'} /${string}`;

const parked = ['GET /parked', 'POST /parked/replay', 'POST /parked/drop'] as const satisfies Route[];

export const adminCalls: Readonly<Record<Owner, readonly Route[]>> = {
  gateway: [
    'GET /organisations',
    'GET /organisations/:id',
    'GET /organisations/:id/people',
    'GET /organisations/:id/keys',
    'GET /organisations/:id/terms',
    'GET /terms',
    'GET /terms/:id',
    'POST /terms',
    'POST /people/erase',
    'POST /organisations/:id/disable',
    'POST /organisations/:id/enable',
    'POST /organisations/:id/approve',
    'POST /organisations/:id/withdraw-approval',
    'POST /organisations/:id/quota',
    'GET /placement-keys',
    'POST /placement-keys',
    'GET /placement-keys/calls',
    'POST /placement-keys/:id/roll',
    'POST /placement-keys/:id/disable',
    'POST /placement-keys/:id/limit',
  ],
  offers: [
    'GET /offers',
    'GET /offers/:id',
    'POST /offers/:id/disable',
    'POST /offers/:id/enable',
    'GET /reviews',
    'POST /offers/:id/review',
    'GET /catalogue',
    'PUT /catalogue',
    'GET /images/:hash',
    'GET /images/:hash/offers',
    'GET /placements/neglected',
    ...parked,
  ],
  billing: ['GET /balances', 'GET /card-problems', 'POST /card-problems/settle', ...parked],
  pricing: ['GET /rates', 'POST /rates/refresh', ...parked],
  moderation: ['GET /pictures', 'GET /pictures/:name', 'GET /rulings', 'POST /rulings'],
  notifier: ['POST /people/erase', ...parked],
};
