/** All SQL about notes of staff. */
import type { OrganisationNote } from '@offer-ads/contracts/admin/gateway-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, updateRow } from '@offer-ads/platform/postgres/rows';

type NoteRow = Omit<OrganisationNote, 'writtenAt'> & { readonly writtenAt: Date };

const note = `id, text, written_at AS "writtenAt", written_by AS "writtenBy"`;
const toNote = (row: NoteRow): OrganisationNote => ({ ...row, writtenAt: row.writtenAt.toISOString() });

/** Newest first. */
export async function listNotes(on: Queryable, organisationId: number): Promise<OrganisationNote[]> {
  const rows = await on.query<NoteRow>(
    `SELECT ${note} FROM organisation_notes WHERE organisation_id = $1 ORDER BY id DESC`,
    [organisationId],
  );
  return rows.map(toNote);
}

export async function insertNote(
  tx: Transaction,
  organisationId: number,
  o: { readonly text: string; readonly at: Date; readonly by: string },
): Promise<OrganisationNote> {
  const columns = { organisation_id: organisationId, text: o.text, written_at: o.at, written_by: o.by };
  return toNote(await insertRow<NoteRow>(tx, 'organisation_notes', columns, note));
}

export function updateNote(tx: Transaction, id: number, text: string): Promise<void> {
  return updateRow(tx, 'organisation_notes', id, { text });
}

export async function deleteNotes(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query(`DELETE FROM organisation_notes WHERE id = ANY($1)`, [ids]);
}
