/** The data for a letter to people of an organisation, besides its event. */
import type { Contact } from '../../contact.ts';
import type { Wording } from '../wording.ts';

export type Setting = Wording & {
  readonly contact: Contact;
  readonly portalUrl: string;
  /** The time in the event. */
  readonly happenedAt: string;
};
