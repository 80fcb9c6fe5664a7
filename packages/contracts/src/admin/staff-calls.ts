/**
 * What staff may do in the console (ADR 42): every call of its pages, with the role that it needs. The console refuses a call that is
 * not listed here, and the pages use the same table to show what a person may not do.
 */

/** `viewer` reads; `support` and `finance` also change what the table gives them; `administrator` does everything. */
export const staffRoles = ['viewer', 'support', 'finance', 'administrator'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** The path as pages call it below `/api`: the service, then the path of its admin route without `/admin`. */
type Call = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

/** What a call needs, as people read it. */
export type NeededRole = StaffRole | 'support or finance';

export const staffCalls = {
  'GET /health': 'viewer',
  'GET /audit': 'viewer',
  'GET /audit/export': 'viewer',

  'GET /gateway/organisations': 'viewer',
  'GET /gateway/organisations/:id': 'viewer',
  'GET /gateway/organisations/:id/people': 'viewer',
  'GET /gateway/organisations/:id/keys': 'viewer',
  'GET /gateway/organisations/:id/terms': 'viewer',
  'GET /gateway/organisations/:id/notes': 'viewer',
  'POST /gateway/organisations/:id/notes/add': 'support or finance',
  'POST /gateway/organisations/:id/notes/:note/delete': 'support or finance',
  'GET /gateway/terms': 'viewer',
  'GET /gateway/terms/:id': 'viewer',
  'POST /gateway/terms': 'administrator',
  'POST /gateway/people/erase': 'administrator',
  'POST /gateway/organisations/:id/disable': 'support',
  'POST /gateway/organisations/:id/enable': 'support',
  'POST /gateway/organisations/:id/approve': 'support',
  'POST /gateway/organisations/:id/withdraw-approval': 'support',
  'POST /gateway/organisations/:id/quota': 'support',

  'GET /gateway/placement-keys': 'viewer',
  'GET /gateway/placement-keys/calls': 'viewer',
  'POST /gateway/placement-keys': 'administrator',
  'POST /gateway/placement-keys/:id/roll': 'administrator',
  'POST /gateway/placement-keys/:id/disable': 'administrator',
  'POST /gateway/placement-keys/:id/limit': 'administrator',

  'GET /offers/offers': 'viewer',
  'GET /offers/offers/:id': 'viewer',
  'POST /offers/offers/:id/disable': 'support',
  'POST /offers/offers/:id/enable': 'support',
  'GET /offers/reviews': 'viewer',
  'POST /offers/offers/:id/review': 'support',
  'GET /offers/catalogue': 'viewer',
  'PUT /offers/catalogue': 'administrator',
  'GET /offers/images/:hash': 'viewer',
  'GET /offers/images/:hash/offers': 'viewer',
  'GET /offers/placements/neglected': 'viewer',
  'GET /offers/parked': 'viewer',
  'POST /offers/parked/replay': 'support',
  // The effect of a dropped event never happens: a payment of billing, or an end of an offer.
  'POST /offers/parked/drop': 'administrator',

  'GET /billing/balances': 'viewer',
  'GET /billing/balances/statement': 'viewer',
  'GET /billing/balances/revenue': 'viewer',
  'POST /billing/balances/top-up': 'finance',
  'GET /billing/invoices': 'viewer',
  'GET /billing/invoices/:number.pdf': 'viewer',
  'GET /billing/card-problems': 'viewer',
  'POST /billing/card-problems/settle': 'finance',
  'GET /billing/parked': 'viewer',
  'POST /billing/parked/replay': 'finance',
  'POST /billing/parked/drop': 'administrator',

  'GET /pricing/rates': 'viewer',
  'POST /pricing/rates/refresh': 'finance',
  'GET /pricing/parked': 'viewer',
  'POST /pricing/parked/replay': 'support',
  'POST /pricing/parked/drop': 'administrator',

  'GET /moderation/pictures': 'viewer',
  'GET /moderation/pictures/:name': 'viewer',
  'GET /moderation/pictures/:name/copy': 'viewer',
  'GET /moderation/rulings': 'viewer',
  'POST /moderation/rulings': 'support',

  'POST /notifier/people/erase': 'administrator',
  'GET /notifier/parked': 'viewer',
  'POST /notifier/parked/replay': 'support',
  'POST /notifier/parked/drop': 'administrator',
} as const satisfies Readonly<Record<Call, NeededRole>>;
export type StaffCall = keyof typeof staffCalls;

export function isAllowed(roles: readonly StaffRole[], call: StaffCall): boolean {
  const needed: NeededRole = staffCalls[call];
  if (roles.includes('administrator')) return true;
  return needed === 'viewer' ? roles.length > 0 : roles.some((role) => needed.split(' or ').includes(role));
}

/** For the person: what is missing. */
export function refusalOf(roles: readonly StaffRole[], call: StaffCall): string {
  return `This needs the role ${staffCalls[call]}. You have: ${roles.join(', ') || 'no role'}`;
}
