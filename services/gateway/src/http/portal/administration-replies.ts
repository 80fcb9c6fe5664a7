/** Refusals shown to people of an organisation. They are those of the platform team, except for things outside their organisation. */
import type { Response } from 'express';
import {
  type AdministrationRefusal,
  administrationRefusals,
  type RefusalReply,
  sendRefusal,
} from '../admin-replies.ts';

/** The same for things that do not exist and for things of another organisation. */
const notFound = { status: 404, message: 'Not found' };

const refusals = {
  ...administrationRefusals,
  'organisation-unknown': notFound,
  'person-unknown': notFound,
  'key-unknown': notFound,
  'no-terms-published': { status: 409, message: 'No terms have been published yet' },
} satisfies Record<AdministrationRefusal, RefusalReply>;

export function refuse(res: Response, reason: AdministrationRefusal): void {
  sendRefusal(res, refusals[reason]);
}
