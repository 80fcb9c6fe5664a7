/** How internal admin routes refuse: for the platform team, so they say what is wrong and what to do. */
import type { Response } from 'express';
import type { KeyRefusal } from '../manage-keys.ts';
import type { OrganisationRefusal } from '../manage-organisations.ts';

const refusals = {
  'organisation-unknown': { status: 404, message: 'There is no such organisation' },
  'person-unknown': { status: 404, message: 'The organisation has no such person' },
  'person-exists': { status: 409, message: 'The organisation has a person with that email address already' },
  'terms-superseded': { status: 409, message: 'That version was published before and has been superseded' },
  'no-terms-published': { status: 409, message: 'No terms have been published: publish a version first' },
  'key-unknown': { status: 404, message: 'There is no such key' },
  'key-not-in-force': { status: 409, message: 'The key is disabled or expired: create a new one' },
  'key-without-mode': { status: 409, message: 'The key has no recorded mode: create a new one' },
} satisfies Record<OrganisationRefusal | KeyRefusal, { status: number; message: string }>;

export function refuse(res: Response, reason: OrganisationRefusal | KeyRefusal): void {
  const { status, message } = refusals[reason];
  res.status(status).json({ message });
}
