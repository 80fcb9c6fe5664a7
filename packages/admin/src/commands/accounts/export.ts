/** Writes everything of an organisation to files that machines can read (GDPR, articles 15 and 20). */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { oneOrganisation } from '@offer-ads/contracts/admin/gateway-api';
import { mode as modes } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { type Command, command, id, text, UsageError } from '../../command.ts';
import { type CallOptions, isAway, type Owner, type Route, type Tools } from '../../tools.ts';
import { type MissingAttachment, type WrittenAttachment, writeAttachments } from './export-attachments.ts';

type Page = { readonly rows: readonly unknown[]; readonly cursor: string | null };
/** A file, and how to read the rows of its next page. */
type Source = {
  readonly file: string;
  readonly service: Owner;
  readonly read: (cursor: string | null) => Promise<Page>;
};
type Written = {
  readonly file: string;
  readonly service: Owner;
  /** Null: not written, because its service does not answer. */
  readonly rows: number | null;
  readonly sha256: string | null;
  /** When its last row was read. */
  readonly writtenAt: string | null;
};

export const exportCommands: readonly Command[] = [
  command({
    name: 'org export',
    summary:
      'Write everything of an organisation to files in a folder, with pictures and PDFs; repeat it to go on after an interruption',
    options: { org: id, folder: text.describe('FOLDER') },
    operand: 'org',
    failed: (result) => 'complete' in result && !result.complete,
    run: async ({ org, folder }, tools) => exportOrganisation(org, folder, tools),
  }),
];

async function exportOrganisation(org: number, folder: string, tools: Tools) {
  // First of all, because a mistyped number must not make a folder.
  const organisation = oneOrganisation.parse(await tools.call('gateway', `GET /admin/organisations/${org}`));
  openFolder(folder, org);
  const files: Written[] = [];
  const earlier = writtenBefore(folder);
  // An interruption must not leave new files beside a manifest of earlier ones.
  if (earlier.size === 0) rmSync(join(folder, manifestFile), { force: true });
  for (const source of sourcesOf(organisation, tools)) {
    const { file, service } = source;
    const before = earlier.get(file);
    files.push(before === undefined ? await writeSource(folder, source) : { ...before, file, service });
  }
  // Before the attachments, which may take long: after an interruption the files are not read again.
  writeManifest(folder, { organisationId: org, complete: false, files });
  const { written: attachments, missing } = await writeAttachments(folder, tools);
  const complete = files.every(({ rows }) => rows !== null) && missing.every(({ again }) => !again);
  writeManifest(folder, { organisationId: org, complete, files, attachments, missing });
  const countIn = (kind: string) => attachments.filter(({ file }) => file.startsWith(kind)).length;
  return {
    files: [
      ...files.map(({ file, service, rows }) => ({ file, service, rows })),
      ...missing.map(({ file, service, problem }) => ({ file, service, rows: null, problem })),
    ],
    pictures: countIn('pictures/'),
    pdfs: countIn('invoices/'),
    folder,
    complete,
    next: complete ? null : 'Repeat it with the same folder when all services answer.',
  };
}

type Manifest = {
  readonly organisationId: number;
  readonly complete: boolean;
  readonly files: readonly Written[];
  readonly attachments?: readonly WrittenAttachment[];
  readonly missing?: readonly MissingAttachment[];
};

function writeManifest(folder: string, { organisationId, complete, ...files }: Manifest): void {
  const manifest = { organisationId, writtenAt: new Date().toISOString(), complete, ...files, notIncluded };
  writeFileSync(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
}

const manifestFile = 'manifest.json';

const notIncluded = [
  'Pictures that an edit has replaced. The picture of a deleted offer is kept for 30 days.',
  'Notes of the platform’s staff (admin note list).',
  'The secrets of keys and webhooks, which nobody can read.',
  'The texts of mails, which contain links to sign in, and mails beyond the latest 1,000.',
];

/** The folder of another organisation is refused. A typing mistake must not mix the data of two organisations. */
function openFolder(folder: string, org: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = join(folder, 'organisation-id');
  if (existsSync(owner) && readFileSync(owner, 'utf8').trim() !== String(org))
    throw new UsageError(`${folder} holds the export of another organisation: name a new folder`);
  writeFileSync(owner, `${org}\n`);
}

function sourcesOf(
  organisation: { readonly id: number; readonly currency: string },
  { call }: Tools,
): readonly Source[] {
  const { id, currency } = organisation;
  const source = (
    file: string,
    service: Owner,
    route: Route,
    list: string | null,
    query: CallOptions['query'] = {},
  ): Source => ({
    file,
    service,
    read: async (cursor) => {
      const reply: Record<string, unknown> = {
        ...(await call(service, route, { query: { ...query, cursor: cursor ?? undefined } })),
      };
      const rows = list === null ? [reply] : reply[list];
      if (!Array.isArray(rows)) throw new Error(`${service} answered ${route} without ${list}`);
      return {
        rows: rows as unknown[],
        cursor: typeof reply.nextCursor === 'string' ? reply.nextCursor : null,
      };
    },
  });
  const of = `GET /admin/organisations/${id}` as const;
  return [
    source('organisation.jsonl', 'gateway', of, null),
    source('people.jsonl', 'gateway', `${of}/people`, 'people'),
    source('keys.jsonl', 'gateway', `${of}/keys`, 'keys'),
    source('terms.jsonl', 'gateway', `${of}/terms`, 'terms'),
    source('calls.jsonl', 'gateway', `${of}/calls`, 'calls', { limit: 1_000 }),
    ...['false', 'true'].map((deleted) =>
      source(
        deleted === 'true' ? 'deleted-offers.jsonl' : 'offers.jsonl',
        'offers',
        'GET /admin/offers/export',
        'offers',
        {
          organisationId: id,
          deleted,
        },
      ),
    ),
    ...modes.options.flatMap((mode) => {
      const owner = { organisationId: id, mode };
      const name = mode.toLowerCase();
      const book = { ...owner, currency };
      return [
        source(`balance-${name}.jsonl`, 'billing', 'GET /admin/balances', null, book),
        source(`statement-${name}.jsonl`, 'billing', 'GET /admin/balances/statement', 'entries', {
          ...book,
          limit: 1_000,
        }),
        source(`invoices-${name}.jsonl`, 'billing', 'GET /admin/invoices', 'invoices', {
          ...owner,
          limit: 200,
        }),
      ];
    }),
    source('mails.jsonl', 'notifier', 'GET /admin/notifications', 'notifications', {
      organisationId: id,
      limit: 1_000,
    }),
    source('webhooks.jsonl', 'notifier', 'GET /admin/webhooks', 'webhooks', { organisationId: id }),
  ];
}

/** Page by page, so that its size is not limited. It gets its name when it is whole. */
async function writeSource(folder: string, { file, service, read }: Source): Promise<Written> {
  // Of an earlier export: it must not lie beside a manifest that says it could not be written.
  rmSync(join(folder, file), { force: true });
  const part = join(folder, `${file}.part`);
  const opened = openSync(part, 'w', 0o600);
  const hash = createHash('sha256');
  let rows = 0;
  try {
    let cursor: string | null = null;
    do {
      const page: Page = await read(cursor);
      const lines = page.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      hash.update(lines);
      writeSync(opened, lines);
      rows += page.rows.length;
      ({ cursor } = page);
    } while (cursor !== null);
  } catch (error) {
    if (isAway(error)) return { file, service, rows: null, sha256: null, writtenAt: null };
    throw error;
  } finally {
    closeSync(opened);
  }
  renameSync(part, join(folder, file));
  return { file, service, rows, sha256: hash.digest('hex'), writtenAt: new Date().toISOString() };
}

const unfinished = z.object({
  complete: z.literal(false),
  files: z.array(
    z.object({
      file: z.string(),
      rows: z.int().nullable(),
      sha256: z.string().nullable(),
      writtenAt: z.string().nullable(),
    }),
  ),
});

/** The files that an interrupted run has written whole: they are not read again. After a complete export everything is. */
function writtenBefore(folder: string): ReadonlyMap<string, Omit<Written, 'file' | 'service'>> {
  const path = join(folder, manifestFile);
  const earlier = existsSync(path)
    ? unfinished.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
    : undefined;
  const whole = (earlier?.files ?? []).filter(({ rows }) => rows !== null);
  return new Map(whole.map((one) => [one.file, one]));
}
