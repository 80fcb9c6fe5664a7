/** The guide of errors has one entry for each endpoint, status and code of the contract, with the messages that services send. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { dateTimeFault } from '@offer-ads/contracts/values/date-time';
import { ownNames, readPlaces } from '@offer-ads/contracts/values/places';
import { type BodyRefusal, bodyRefusals } from '@offer-ads/platform/http/request-bodies';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { z } from 'zod';
import { entriesFaults } from '../../services/billing/src/http/replies.ts';
import { refusals } from '../../services/gateway/src/http/replies.ts';
import { problems, reasons } from '../../services/moderation/src/verdicts/judge-picture.ts';
import { webhookReplies } from '../../services/notifier/src/http/replies.ts';
import { messagesQuery, resend } from '../../services/notifier/src/http/webhook-routes.ts';
import { readEditForm } from '../../services/offers/src/domain/creation/edit-form.ts';
import { readGroupForm } from '../../services/offers/src/domain/creation/offer-form.ts';
import { readListingQuery, readPage } from '../../services/offers/src/domain/listing-query.ts';
import { shapeFaults } from '../../services/offers/src/http/multipart.ts';
import {
  type AnyCreateRefusal,
  analyticsReplies,
  creditEstimateReplies,
  deleteReplies,
  groupReplies,
  offerReplies,
  pauseReplies,
  type Reply,
  replyToCreateRefusal,
  replyToEditRefusal,
  replyToListRefusal,
  replyToTestClockRefusal,
  resultsReplies,
  resumeReplies,
  seriesReplies,
  type TestClockRefusal,
} from '../../services/offers/src/http/replies.ts';
import {
  readEstimateForm,
  readGroupForm as readGroupEstimate,
  refusalOfInterests,
} from '../../services/pricing/src/domain/estimate-form.ts';
import { refusalReply } from '../../services/pricing/src/http/replies.ts';
import { literalsIn } from './literals.ts';

const repository = join(import.meta.dirname, '../..');
const source = (file: string) => readFileSync(join(repository, file), 'utf8');

type Entry = {
  readonly name: string;
  readonly endpoint: string;
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
  readonly messages: readonly string[];
};

const ANY = 'Any endpoint';
const WITH_A_BODY = 'A webhook call with a body';
const entries: Entry[] = source('docs/guides/errors.md')
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const [name = '', text = ''] = part.split(/\n([^]*)/);
    const [, endpoint = '', status = '', code = null] = /^(.+?) (\d{3})(?: (E\d))?$/.exec(name) ?? [];
    const messages = [...(text.split(/^## /m)[0] ?? '').matchAll(/^- `([^`]+)`/gm)].map(
      ([, words = '']) => words,
    );
    return { name, endpoint, status: Number(status), code, text, messages };
  });

/** [endpoint, status, code] of every refusal; the codes of a status are named in its description. */
function refusalsOfContract(): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { responses: Record<string, object> }>).flatMap(
      ([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, response]) => {
          const { description, content } = response as { description: string; content: object };
          const isPlain =
            Number(status) >= 400 && /schemas\/(Message|Unauthorised)"/.test(JSON.stringify(content));
          const codes = [...description.matchAll(/`(E\d)`/g)].map(([, code]) => code ?? '');
          // The description of 401 names no code; its schema allows one.
          if (JSON.stringify(content).includes('schemas/Unauthorised"')) codes.push('E1');
          // Nor does that of the 403 of any endpoint.
          if (status === '403') codes.push('E1');
          const endpoint = `${method.toUpperCase()} ${path}`;
          return [...(isPlain ? ['-'] : []), ...codes].map((code) => `${endpoint} ${status} ${code}`);
        }),
    ),
  );
}

const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** [status, message] of requests that reach no endpoint. */
const ofNoEndpoint = [
  ...(source('docs/guides/errors.md').split('## Not from an endpoint')[1] ?? '').matchAll(
    /^\| (\d{3}) \| `([^`]+)`/gm,
  ),
].map(([, status = '', message = '']) => [status, message] as const);

/** Names in the guide of endpoints that answer the same. */
const groups: Readonly<Record<string, readonly string[]>> = {
  [ANY]: endpoints,
  [WITH_A_BODY]: ['POST /webhooks', 'PUT /webhooks/{webhook_id}', 'POST /webhooks/{webhook_id}/resend'],
  'A webhook': endpoints.filter((each) => each.includes('{webhook_id}')),
  'A disabled webhook': [
    'POST /webhooks/{webhook_id}/test',
    'POST /webhooks/{webhook_id}/messages/{message_id}/resend',
    'POST /webhooks/{webhook_id}/resend',
  ],
  'A page': ['GET /balance/entries', 'GET /offers/{offer_id}/changes'],
  'The test clock': endpoints.filter((each) => each.endsWith('/test/clock')),
  'POST /offers': ['POST /offers', 'POST /offer-groups'],
  'POST /offers/price-estimate': ['POST /offers/price-estimate', 'POST /offer-groups/price-estimate'],
  'GET /offers/{offer_id}/analytics/series': ['/offers/{offer_id}', '/offer-groups/{group_id}'].map(
    (path) => `GET ${path}/analytics/series`,
  ),
  'An offer group': endpoints.filter((each) => each.includes('/{group_id}')),
  'An offer': endpoints.filter((each) => each.includes('/{offer_id}') && !each.endsWith('/analytics')),
  'A form of an offer': endpoints.filter((each) => /^(POST \/offer(s|-groups)|PATCH .*)$/.test(each)),
  'PATCH /offers/{offer_id}': ['PATCH /offers/{offer_id}', 'PATCH /offer-groups/{group_id}'],
};
const endpointsOf = (name: string) => groups[name] ?? [name];

/** The messages of an entry; of an endpoint without one of that name, those of the entry of its group. */
function messagesOf(name: string): readonly string[] {
  const entry =
    entries.find((each) => each.name === name) ??
    entries.find(
      ({ endpoint, status, code }) =>
        endpoint !== ANY &&
        endpointsOf(endpoint).some((each) => `${each} ${status}${code === null ? '' : ` ${code}`}` === name),
    ) ??
    entries.find((each) => each.name === `${ANY} 403 E1` && name.endsWith(' 403 E1'));
  if (entry === undefined) throw new Error(`there is no entry ${name}`);
  return entry.messages;
}

/** What every route with a JSON body answers to one that cannot be read. */
const ofBodies = (maxBytes: number): readonly BodyRefusal[] =>
  Object.values({
    ...bodyRefusals,
    'too-long': bodyRefusals['too-long'](maxBytes),
    'wrongly-coded': bodyRefusals['wrongly-coded']('gzip'),
    'not-utf-8': bodyRefusals['not-utf-8']('byte 0xE4 at position 9 is not'),
    'half-character': bodyRefusals['half-character']('url'),
  });

const messageOf = ({ body }: { readonly body: object }) => (body as { message: string }).message;
const statusOf = ({ status, body }: Reply) =>
  `${status}${'return_code' in body ? ` ${String(body.return_code)}` : ''}`;

describe('the guide of errors', () => {
  it('has one entry for each endpoint, status and code of the contract, and no other', () => {
    // The contract names 405 at each endpoint, and the guide tells it once.
    const wrongMethod = ofNoEndpoint.flatMap(([status]) =>
      status === '405' ? [{ endpoint: ANY, status, code: null }] : [],
    );
    const told = [...entries, ...wrongMethod].flatMap(({ endpoint, status, code }) =>
      endpointsOf(endpoint).map((each) => `${each} ${status} ${code ?? '-'}`),
    );
    expect([...new Set(told)].toSorted()).toEqual([...new Set(refusalsOfContract())].toSorted());
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
    // An endpoint repeats what any endpoint may answer only where it has another cause.
    const twice = told.filter((each, at) => told.indexOf(each) !== at);
    expect(twice.toSorted()).toEqual([
      'DELETE /offer-groups/{group_id} 401 E1',
      'DELETE /offers/{offer_id} 401 E1',
      'DELETE /test/clock 403 E1',
      'GET /offer-groups/{group_id} 401 E1',
      'GET /offer-groups/{group_id}/analytics/series 401 E1',
      'GET /offers/{offer_id} 401 E1',
      'GET /offers/{offer_id}/analytics 401 -',
      'GET /offers/{offer_id}/analytics/series 401 E1',
      'GET /offers/{offer_id}/changes 401 E1',
      'GET /offers/{offer_id}/results 401 E1',
      'GET /test/clock 403 E1',
      'PATCH /offer-groups/{group_id} 401 E1',
      'PATCH /offers/{offer_id} 401 E1',
      'POST /offer-groups 429 -',
      'POST /offer-groups/{group_id}/pause 401 E1',
      'POST /offer-groups/{group_id}/resume 401 E1',
      'POST /offers 429 -',
      'POST /offers/{offer_id}/credit-estimate 401 E1',
      'POST /offers/{offer_id}/pause 401 E1',
      'POST /offers/{offer_id}/resume 401 E1',
      'POST /test/clock 403 E1',
    ]);
  });

  it.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s has a cause and what to do',
    (_name, entry) => {
      expect(entry.text).toMatch(/^\*\*Why:\*\* \S/m);
      expect(entry.text).toMatch(/^\*\*What to do:\*\* \S/m);
      expect(entry.messages.length).toBeGreaterThan(0);
    },
  );

  it.each<[string, Readonly<Record<string, Reply>>]>([
    ['An offer group', groupReplies],
    ['GET /offers/{offer_id}', offerReplies],
    ['GET /offers/{offer_id}/analytics/series', seriesReplies],
    ['GET /results', resultsReplies],
    ['POST /offers/{offer_id}/credit-estimate', creditEstimateReplies],
    ['POST /offers/{offer_id}/pause', pauseReplies],
    ['POST /offers/{offer_id}/resume', resumeReplies],
    ['DELETE /offers/{offer_id}', deleteReplies],
    ['GET /offers/{offer_id}/analytics', analyticsReplies],
  ])('has the messages of %s', (endpoint, replies) => {
    for (const reply of Object.values(replies))
      expect(messagesOf(`${endpoint} ${statusOf(reply)}`)).toEqual([messageOf(reply)]);
  });

  it('has the messages of GET /balance/entries', () => {
    expect(messagesOf('A page 400 E1')).toEqual(Object.values(entriesFaults));
  });

  it('has the messages of the test clock', () => {
    const now = new Date('2026-06-02T12:00:00Z');
    const replies: readonly [endpoint: string, refusal: TestClockRefusal][] = [
      ['GET', { reason: 'live-mode' }],
      ['POST', { reason: 'not-an-advance' }],
      ['POST', { reason: 'not-forward', now }],
      ['POST', { reason: 'too-far-ahead', leftSeconds: 10 }],
      ['POST', { reason: 'live-mode' }],
      ['DELETE', { reason: 'live-mode' }],
      ['DELETE', { reason: 'offers-not-over' }],
    ];
    const sent = Map.groupBy(
      replies.map(([method, refusal]) => ({ method, reply: replyToTestClockRefusal(refusal) })),
      ({ method, reply }) => `${method} /test/clock ${statusOf(reply)}`,
    );
    for (const [name, those] of sent)
      expect(messagesOf(name)).toEqual(those.map(({ reply }) => messageOf(reply)));
  });

  it('has the messages about webhooks, and no others', () => {
    const ofWebhooks = entries.filter(({ name }) => name.includes('webhook'));
    const told = new Set(ofWebhooks.flatMap(({ messages }) => messages));
    const faultsOf = (query: z.ZodSafeParseResult<unknown>) =>
      (query.error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
    const faults = [
      ...faultsOf(messagesQuery.safeParse({ limit: '0', cursor: '!' })),
      ...faultsOf(resend.safeParse({ since: 'x' })),
    ];
    const sent = Object.values(webhookReplies).map(({ body }) => body.message);
    const unread = ofBodies(16_384);
    expect(told).toEqual(new Set([...sent, ...faults, ...unread.map(({ message }) => message)]));
    for (const { status, message } of unread)
      expect(messagesOf(`${status === 400 ? 'POST /webhooks' : WITH_A_BODY} ${status} E1`)).toContain(
        message,
      );
    for (const { status, body } of Object.values(webhookReplies)) {
      const code = 'return_code' in body ? ` ${body.return_code}` : '';
      const named = ofWebhooks.filter(({ name }) => name.endsWith(` ${status}${code}`));
      expect(named.flatMap(({ messages }) => messages)).toContain(body.message);
    }
  });

  it('has the message of an organisation whose pictures took too long', () => {
    const [message = '', ...more] = messagesOf('POST /offers 429');
    expect(more).toEqual([]);
    expect(source('services/moderation/src/verdicts/admission.ts')).toContain(`'${message}'`);
  });

  it('has the messages of any endpoint', () => {
    const ofAdmission = Map.groupBy(
      Object.values(refusals).flatMap((row) => ('toKey' in row ? [row.toKey] : [])),
      statusOf,
    );
    for (const [status, replies] of ofAdmission) {
      const messages = replies.map(messageOf);
      // The services answer it too.
      const isShared = status === '403 E1';
      expect(messagesOf(`${ANY} ${status}`)).toEqual(isShared ? expect.arrayContaining(messages) : messages);
    }
    expect(messagesOf(`${ANY} 503`)).toEqual([serviceUnavailable('').publicBody.message]);
    for (const [status, file] of [
      [429, 'services/gateway/src/public-api/rate-limit.ts'],
      [500, 'packages/platform/src/http/errors.ts'],
    ] as const) {
      const [message = '', ...more] = messagesOf(`${ANY} ${status}`);
      expect(more).toEqual([]);
      expect(source(file)).toMatch(new RegExp(`${status}[^\\n]*'${message}'`));
    }
  });

  it('has the messages of listing offers', () => {
    const wrong = { limit: '0', cursor: '!', offer_status: 'x', created_after: 'x', created_before: 'x' };
    const query = readListingQuery(wrong, 'TEST');
    expect(!query.ok && query.reason === 'invalid-query' && query.faults).toEqual(
      messagesOf('GET /offers 400 E1'),
    );
    const page = readPage(wrong);
    expect(!page.ok && page.faults).toEqual(messagesOf('A page 400 E1'));
    const other = replyToListRefusal({ ok: false, reason: 'other-mode' }, 'TEST');
    expect(messagesOf(`GET /offers ${statusOf(other)}`)).toContain(messageOf(other));
  });

  it('has the messages of an estimate', () => {
    const now = new Date('2030-01-01T00:00:00Z');
    const endpoint = 'POST /offers/price-estimate';
    const period = { start_datetime: '2030-01-02T00:00:00Z', end_datetime: '2030-01-03T00:00:00Z' };
    const whole = { ...period, location: [0, 0], radius: 5 };
    const refusals = [
      { start_datetime: undefined },
      { end_datetime: undefined },
      { location: undefined },
      { radius: undefined },
      { location: [0] },
      { radius: 4 },
      { gender: ['x'] },
      { interests: ['x'] },
      { environment: 'x' },
      { quote: 'x' },
      { Gender: [] },
      { environment: 'LIVE' },
      { start_datetime: '2029-01-01T00:00:00Z' },
      { end_datetime: whole.start_datetime },
      { start_datetime: 'x' },
      { end_datetime: 'x' },
    ].map((change) => readEstimateForm({ ...whole, ...change }, 'TEST', now));
    const ofGroups = [{ quote: true }, { location: [0, 0] }].map((change) =>
      readGroupEstimate(
        { ...period, radius: 5, places: [{ latitude: 0, longitude: 0 }], ...change },
        'TEST',
        now,
      ),
    );
    const faulty = [...refusals, ...ofGroups, readEstimateForm([], 'TEST', now)].map((read) =>
      read.ok ? undefined : read,
    );
    const replies = [...faulty, refusalOfInterests([4711], new Set())].map((refusal) =>
      refusal === undefined ? { code: 200, return_code: 'S1', message: '' } : refusalReply(refusal),
    );
    const sent = Map.groupBy(replies, ({ code, return_code }) => `${endpoint} ${code} ${return_code}`);
    for (const [name, group] of sent) {
      const unread = name.endsWith('400 E1') ? ofBodies(65_536) : [];
      const messages = [...group, ...unread].map(({ message }) => message);
      if (name.endsWith('403 E1')) expect(messagesOf(name)).toEqual(expect.arrayContaining(messages));
      else expect(new Set(messagesOf(name))).toEqual(new Set(messages));
    }
  });

  it('has the messages of changing an offer; those of its fields are those of a creation', () => {
    const title: [string, string[]] = ['title', ['x'.repeat(41)]];
    const faults = [[], [['radius', ['5']]], [title]].flatMap((fields) => {
      const read = readEditForm(new Map(fields as [string, string[]][]), null);
      return read.ok ? [] : read.faults.slice(0, 1);
    });
    const replies = (
      [
        { reason: 'image-refused', because: 'the picture looks explicit' },
        ...faults.map((fault) => ({ reason: 'invalid-input', faults: [fault] }) as const),
        { reason: 'not-found' },
        { reason: 'other-mode', keyMode: 'TEST' },
        { reason: 'terms-not-accepted' },
        { reason: 'ended' },
        { reason: 'in-flight' },
        { reason: 'broken-form', status: 415, faults: [shapeFaults.compressed] },
        { reason: 'different-payload' },
      ] as const
    ).map(replyToEditRefusal);
    const sent = Map.groupBy(replies, (reply) => `PATCH /offers/{offer_id} ${statusOf(reply)}`);
    for (const [name, those] of sent)
      expect(messagesOf(name)).toEqual(expect.arrayContaining(those.map(messageOf)));
  });

  describe('of creating an offer', () => {
    const faultsOfPlaces = [
      [],
      [null],
      [{ latitude: 91, longitude: 0 }],
      [{ latitude: 0, longitude: 181 }],
      [{ latitude: 0, longitude: 0, label: '<' }],
      [{ latitude: 0, longitude: 0, lat: 0 }],
      [{ latitude: 0, longitude: 0, radius: true, gender: {} }],
      [
        { latitude: 0, longitude: 0 },
        { latitude: 0, longitude: 0 },
      ],
    ].flatMap((places) => {
      const own = places[0] !== null && places[0] !== undefined && 'radius' in places[0] ? ownNames : [];
      const read = readPlaces(places, own);
      return read.ok ? [] : read.faults;
    });
    for (const name of ['location[]', 'quote_id']) {
      const read = readGroupForm(new Map([[name, ['x']]]), new Map());
      faultsOfPlaces.push(...(read.ok ? [] : read.faults).filter((fault) => fault.includes('must not')));
    }
    const gbp = { currency: 'GBP' };
    const samples: { readonly [R in AnyCreateRefusal['reason']]: readonly AnyCreateRefusal[] } = {
      'key-missing': [{ reason: 'key-missing' }],
      'key-malformed': [{ reason: 'key-malformed' }],
      'other-mode': [{ reason: 'other-mode', keyMode: 'TEST' }],
      'different-payload': [{ reason: 'different-payload' }],
      'in-flight': [{ reason: 'in-flight' }],
      'start-in-past': [{ reason: 'start-in-past' }],
      'unknown-category': [{ reason: 'unknown-category' }],
      'unknown-interests': [{ reason: 'unknown-interests', ids: [4711] }],
      'terms-not-accepted': [{ reason: 'terms-not-accepted' }],
      'quote-unknown': [{ reason: 'quote-unknown' }],
      'quote-foreign': [{ reason: 'quote-foreign' }],
      'quote-expired': [{ reason: 'quote-expired' }],
      'quote-differs': [{ reason: 'quote-differs', fields: ['endAt', 'radiusMiles'] }],
      'currency-not-billed': [{ reason: 'currency-not-billed', currency: 'JPY' }],
      'no-matching-users': [
        { reason: 'no-matching-users' },
        {
          reason: 'no-matching-users',
          places: [
            [0, 'Soho'],
            [2, null],
          ],
        },
      ],
      'swapped-place': [{ reason: 'swapped-place' }, { reason: 'swapped-place', places: [[0, null]] }],
      'below-minimum': [{ reason: 'below-minimum', minimumMinor: 30n, ...gbp }],
      'above-maximum': [{ reason: 'above-maximum', maximumMinor: 99_999_999n, ...gbp }],
      'above-max-cost': [{ reason: 'above-max-cost', netMinor: 61_00n, maxCost: '60', ...gbp }],
      'quota-exceeded': [
        { reason: 'quota-exceeded', whose: 'person', limit: 100, inUse: 100 },
        { reason: 'quota-exceeded', whose: 'organisation', limit: 500, inUse: 500 },
        { reason: 'quota-exceeded', whose: 'person', limit: 100, inUse: 98, wanted: 3 },
      ],
      'free-quota-exceeded': [{ reason: 'free-quota-exceeded', limit: 10, created: 10 }],
      'balance-too-low': [{ reason: 'balance-too-low', netMinor: 168_82n, ...gbp }],
      'may-not-spend': [{ reason: 'may-not-spend' }],
      'above-limit': [
        {
          reason: 'above-limit',
          whose: 'key',
          exceeded: { per: 'day', limitMinor: '6000', leftMinor: '1250', costMinor: '6100' },
          ...gbp,
        },
      ],
      'image-unreadable': Object.values(problems).map((problem) => ({ reason: 'image-unreadable', problem })),
      'image-offer-unknown': [{ reason: 'image-offer-unknown' }],
      'image-refused': Object.values(reasons).map((because) => ({ reason: 'image-refused', because })),
      'broken-form': Object.entries(shapeFaults).map(([shape, fault]) => ({
        reason: 'broken-form',
        status: shape === 'compressed' ? 415 : 400,
        faults: [fault],
      })),
      // Others are compared below with the texts in the code.
      'invalid-input': faultsOfPlaces.map((fault) => ({ reason: 'invalid-input', faults: [fault] })),
    };
    const sent = Map.groupBy(Object.values(samples).flat().map(replyToCreateRefusal), statusOf);
    /** Patterns of the faults that the rules of the form can name, read from the code. */
    const faults = [
      'services/offers/src/domain/creation/offer-form.ts',
      'services/offers/src/domain/offer-targeting.ts',
      'services/offers/src/domain/creation/offer-texts.ts',
    ].flatMap((file) => literalsIn(source(file), /\bfault\(\s*/g));
    faults.push(
      ...literalsIn(source('services/offers/src/http/multipart.ts'), /\bfaults?(?:\.add)?\(\s*/g),
      ...[
        ['title', 'services/offers/src/domain/creation/offer-texts.ts'] as const,
        ['advertised_name', 'packages/contracts/src/values/shown-name.ts'] as const,
      ].flatMap(([name, file]) =>
        literalsIn(source(file), /\? \[/g).map(
          (pattern) => new RegExp(pattern.source.replace('^', `^${name} `)),
        ),
      ),
      ...literalsIn(source('services/offers/src/domain/readings.ts'), /\[\] : \[/g),
      new RegExp(`^start_datetime ${dateTimeFault('')}$`),
    );

    it.each([...sent.keys()].filter((status) => status !== '400 E1'))('has the messages of %s', (status) => {
      const told = messagesOf(`POST /offers ${status}`);
      const messages = (sent.get(status) ?? []).map(messageOf);
      if (status === '403 E1') expect(told).toEqual(expect.arrayContaining(messages));
      else expect(told.toSorted()).toEqual(messages.toSorted());
    });

    it('has all messages of 400 E1, and no other', () => {
      const told = messagesOf('POST /offers 400 E1');
      const ofReplies = (sent.get('400 E1') ?? []).map(messageOf);
      expect(faults.length).toBeGreaterThan(20);
      expect(ofReplies.filter((message) => !told.includes(message))).toEqual([]);
      const isSent = (message: string) =>
        ofReplies.includes(message) || faults.some((pattern) => pattern.test(message));
      expect(told.filter((message) => !isSent(message))).toEqual([]);
      const untold = faults.filter((pattern) => !told.some((message) => pattern.test(message)));
      expect(untold.map(String)).toEqual([]);
      expect(new Set(told).size).toBe(told.length);
    });
  });

  it('has the refusals of requests that reach no endpoint', () => {
    const code = [
      'packages/platform/src/http/errors.ts',
      'packages/platform/src/http/ambiguous-requests.ts',
      'services/gateway/src/public-api/public-api.ts',
    ].map(source);
    expect(ofNoEndpoint).toHaveLength(9);
    for (const [status, message] of ofNoEndpoint) {
      expect([status, new RegExp(`${status}[^\\n]*${message}`).test(code.join('\n'))]).toEqual([
        status,
        true,
      ]);
    }
  });
});
