/** What staff note about an organisation for each other (decision 277, notes of staff). */
import { mostNotes } from '@offer-ads/contracts/admin/gateway-api';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { done, refused } from '../domain/outcome.ts';
import { type Administration, type Change, withOrganisation } from './change-organisation.ts';
import * as store from './notes-store.ts';

export type NoteRefusal = 'note-unknown' | 'too-many-notes';
export type ManagedNotes = ReturnType<typeof manageNotes>;
type NoteChange = Omit<Change, 'by'>;

export function manageNotes(o: Administration) {
  return {
    list: (organisationId: number) => store.listNotes(o.postgres, organisationId),

    /** @param by the name of a person of the platform team */
    add: (change: NoteChange, text: string, by: string) =>
      withOrganisation(o, change, async (tx, { id }) => {
        if ((await store.listNotes(tx, id)).length >= mostNotes) return refused('too-many-notes' as const);
        return done(await store.insertNote(tx, id, { text, by, at: o.clock.now() }));
      }),

    delete: (change: NoteChange, noteId: number) =>
      withOrganisation(o, change, async (tx, organisation) => {
        const notes = await store.listNotes(tx, organisation.id);
        if (!notes.some(({ id }) => id === noteId)) return refused('note-unknown' as const);
        await store.deleteNotes(tx, [noteId]);
        return done({ organisationId: organisation.id, deleted: true });
      }),
  };
}

/** Call it under the organisation's lock. @param isLast nobody is left in the organisation, so it is closed */
export async function eraseFromNotes(
  tx: Transaction,
  o: { readonly organisationId: number; readonly address: string; readonly isLast: boolean },
): Promise<void> {
  const notes = await store.listNotes(tx, o.organisationId);
  if (o.isLast)
    return store.deleteNotes(
      tx,
      notes.map(({ id }) => id),
    );
  // Not where it is a part of the address of somebody else.
  const named = new RegExp(`(?<![\\p{L}\\p{N}._%+-])${RegExp.escape(o.address)}(?![\\p{L}\\p{N}-])`, 'giu');
  for (const { id, text } of notes) {
    const without = text.replace(named, '…');
    if (without !== text) await store.updateNote(tx, id, without);
  }
}
