/** All SQL about notes of staff. */
import type { OrganisationNote } from '@offer-ads/contracts/admin/gateway-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';

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
  const [row] = await tx.query<NoteRow>(
    `INSERT INTO organisation_notes (organisation_id, text, written_at, written_by)
     VALUES ($1, $2, $3, $4) RETURNING ${note}`,
    [organisationId, o.text, o.at, o.by],
  );
  if (row === undefined) throw new Error('INSERT returned no note');
  return toNote(row);
}

export async function updateNote(tx: Transaction, id: number, text: string): Promise<void> {
  await tx.query(`UPDATE organisation_notes SET text = $2 WHERE id = $1`, [id, text]);
}

export async function deleteNotes(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query(`DELETE FROM organisation_notes WHERE id = ANY($1)`, [ids]);
}
