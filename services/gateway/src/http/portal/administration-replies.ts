/** What people of an organisation are told when a change is refused: as the platform team, but for what is not theirs. */
import type { Response } from 'express';
import {
  type AdministrationRefusal,
  administrationRefusals,
  type RefusalReply,
  sendRefusal,
} from '../admin-replies.ts';

/** The same words for what does not exist and for what belongs to somebody else. */
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
