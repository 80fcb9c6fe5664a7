/** The audit log of each service's admin calls (ADR 42). All services answer GET /admin/audit in the same form. */
import { z } from 'zod';
import { zonedDateTime } from '../values/date-time.ts';
import type { ServiceName } from '../values/primitives.ts';

export const MAX_AUDIT_PAGE = 200;

/**
 * `via`: with the person's own admin token, through the console, through the console with an emergency token, or an admin of the
 * organisation through its portal.
 */
export const auditVias = ['token', 'console', 'emergency', 'portal'] as const;

const text = (atMost: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(atMost)
    .refine((given) => !given.includes('\0'), 'must not contain a NUL character');

/** What is searched for; each given value must match exactly. `from` is included, `to` is not. */
export const auditFilter = z.object({
  actor: text(100).optional(),
  action: text(200).optional(),
  target: text(200).optional(),
  organisationId: z.coerce.number().int().positive().optional(),
  from: zonedDateTime.optional(),
  to: zonedDateTime.optional(),
});
export type AuditFilter = z.infer<typeof auditFilter>;

/** Names an entry's place. It is the same in all services, so one cursor continues the pages of all of them. */
export const auditCursor = z
  .string()
  .regex(/^\d{13}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the nextCursor of the page before')
  .transform((cursor) => {
    const [at = '', id = ''] = cursor.split('_');
    return { at: new Date(Number(at)), id };
  });
export type AuditPlace = z.infer<typeof auditCursor>;

export function auditCursorOf({ at, id }: Pick<AuditEntry, 'at' | 'id'>): string {
  return `${Date.parse(at)}_${id}`;
}

/** GET /admin/audit: newest first. */
export const auditQuery = auditFilter.extend({
  limit: z.coerce.number().int().min(1).max(MAX_AUDIT_PAGE).default(50),
  cursor: auditCursor.optional(),
});

export const auditEntry = z.object({
  id: z.string(),
  at: z.string(),
  /** The name of the person or program, as its credential or the sign-in service gives it; `people/3` in the portal. */
  actor: z.string(),
  /** The person's subject at the sign-in service; null for tokens. */
  subject: z.string().nullable(),
  /** Roles in the console, or the role in the organisation; empty for tokens, which have none. */
  roles: z.array(z.string()),
  via: z.enum(auditVias),
  /** `POST /organisations/:id/disable` */
  action: z.string(),
  /** `organisations/3`, `offers/7` */
  targets: z.array(z.string()),
  organisationId: z.number().nullable(),
  reason: z.string().nullable(),
  /** Other facts of the call, such as the amount of a top-up. No personal data, and no secrets. */
  details: z.record(z.string(), z.unknown()),
  requestId: z.string(),
  traceId: z.string().nullable(),
  /** The HTTP status of the reply. Null: it was begun, and its outcome is unknown, because the process ended before the reply. */
  status: z.number().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = z.object({ entries: z.array(auditEntry) });
export type AuditPage = z.infer<typeof auditPage>;

/** GET /api/audit of the console, and `admin audit list`. */
export type MergedAudit = {
  readonly entries: readonly (AuditEntry & { readonly service: ServiceName })[];
  readonly nextCursor: string | null;
  /** Services that did not answer: their entries are missing here. */
  readonly missing: readonly ServiceName[];
};

const signInResults = [
  'signed in',
  'no role',
  'no name',
  'wrong emergency token',
  'too many attempts',
  'refused by the sign-in service',
  'answer of the sign-in service refused',
] as const;
export type SignInResult = (typeof signInResults)[number];
/** POST /admin/console/sign-ins of the gateway: so that sign-ins to the console are in the audit log. */
export const consoleSignIn = z.object({ result: z.enum(signInResults) });
/** The actor of a refused sign-in when nobody knows who tried it. */
export const unknownActor = 'unknown';
