/** The audit log in Postgres. A trigger forbids every other change than those made here (migration 0001). */
import type { AuditEntry } from '@offer-ads/contracts/admin/audit-api';
import type { AuditStore } from '../admin/audit.ts';
import type { Postgres } from './postgres.ts';
import { removeOlder } from './removing.ts';

type Row = Omit<AuditEntry, 'at' | 'organisationId'> & { at: Date; organisationId: bigint | null };

export function postgresAudit(postgres: Postgres): AuditStore {
  return {
    add: async (entry) => {
      await postgres.query(
        `INSERT INTO audit_entries (id, at, actor, subject, roles, via, action, targets, organisation_id, reason, details,
                                    request_id, trace_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        [
          entry.id,
          entry.at,
          entry.actor,
          entry.subject,
          entry.roles,
          entry.via,
          entry.action,
          entry.targets,
          entry.organisationId,
          entry.reason,
          JSON.stringify(entry.details),
          entry.requestId,
          entry.traceId,
        ],
      );
    },
    complete: async (id, { status, targets, organisationId }) => {
      await postgres.query(
        `UPDATE audit_entries SET status = $2, targets = targets || $3::text[], organisation_id = $4
          WHERE id = $1 AND status IS NULL`,
        [id, status, targets, organisationId],
      );
    },
    list: async ({ actor, action, target, organisationId, from, to, before, limit }) => {
      const rows = await postgres.query<Row>(
        `SELECT id, at, actor, subject, roles, via, action, targets, organisation_id AS "organisationId", reason, details,
                request_id AS "requestId", trace_id AS "traceId", status
           FROM audit_entries
          WHERE ($1::text IS NULL OR actor = $1) AND ($2::text IS NULL OR action = $2)
            AND ($3::text IS NULL OR targets @> ARRAY[$3]) AND ($4::bigint IS NULL OR organisation_id = $4)
            AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
            AND ($7::timestamptz IS NULL OR (at, id) < ($7, $8::uuid))
          ORDER BY at DESC, id DESC LIMIT $9`,
        [actor, action, target, organisationId, from, to, before?.at, before?.id, limit],
      );
      return rows.map(entryOf);
    },
    removeBefore: (before) =>
      removeOlder(postgres, { table: 'audit_entries', key: 'id', time: 'at', before }),
  };
}

function entryOf({ at, organisationId, ...same }: Row): AuditEntry {
  const id = organisationId === null ? null : Number(organisationId);
  return { ...same, at: at.toISOString(), organisationId: id };
}
