/** What a letter to the people of an organisation is written from, beside the event that it tells of. */
import type { Contact } from '../../contact.ts';
import type { Wording } from '../wording.ts';

export type Setting = Wording & {
  readonly contact: Contact;
  readonly portalUrl: string;
  /** When the event says that it happened. */
  readonly happenedAt: string;
};
