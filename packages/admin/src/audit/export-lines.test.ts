import { describe, expect, it } from '@jest/globals';
import type { MergedAudit } from '@offer-ads/contracts/admin/audit-api';
import { type AuditFormat, exportLines } from './export-lines.ts';

type Entry = MergedAudit['entries'][number];

const entry: Entry = {
  id: 'an-id',
  at: '2026-11-20T09:00:00.000Z',
  actor: 'ann',
  subject: null,
  roles: ['support'],
  via: 'console',
  service: 'offers',
  action: 'POST /offers/:id/disable',
  targets: ['offers/7'],
  organisationId: 3,
  reason: 'stolen',
  details: {},
  requestId: 'a-request',
  traceId: null,
  status: null,
};

async function exported(format: AuditFormat, changes: Partial<Entry> = {}): Promise<string> {
  async function* entries() {
    yield { ...entry, ...changes };
  }
  let text = '';
  for await (const line of exportLines(entries(), format)) text += line;
  return text;
}

describe('an export', () => {
  it('as CSV has a header and a row for each entry', async () => {
    expect(await exported('csv')).toBe(
      [
        'time,person,subject,roles,signed_in_by,service,action,targets,organisation,reason,details,status,request_id,trace_id,id',
        '2026-11-20T09:00:00.000Z,ann,,support,console,offers,POST /offers/:id/disable,offers/7,3,stolen,,unknown,a-request,,an-id',
        '',
      ].join('\r\n'),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '|calc', '%0A', '\r=1'])(
    'as CSV makes %j a text, not a formula',
    async (reason) => {
      expect(await exported('csv', { reason })).toMatch(/,"?'/);
    },
  );

  it('as CSV keeps commas, quotes and line breaks within one cell', async () => {
    expect(await exported('csv', { reason: 'a "b", c\nd' })).toContain(',"a ""b"", c\nd",');
  });

  it('as JSON lines has each entry as it is', async () => {
    const text = await exported('jsonl', { reason: '=1+1\n"x"' });
    expect(text.endsWith('\n') && JSON.parse(text)).toEqual({ ...entry, reason: '=1+1\n"x"' });
  });
});
