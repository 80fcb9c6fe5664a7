/** Buying, with an API that records what it is asked. */
import { describe, expect, it } from '@jest/globals';
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { assistantServer } from './server.ts';

const base = 'https://ads.example.com';

/** 60 pounds, for two days. */
function quote(costMinor = '6000'): string {
  const payload = [
    [7, 'LIVE', 'GBP'],
    ['2035-06-01T12:00:00.000Z', '2035-06-03T12:00:00.000Z', '[51.5,-0.1]', '10', '', ''],
    [100, '6000000', costMinor, '100000', '1000000', null],
    Date.parse('2035-06-01T11:00:00Z'),
  ];
  return `${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;
}
const offer = {
  category_id: 1,
  title: 'Two for one',
  description: 'The second is on the house.',
  url: 'https://example.com/two',
  image_base64: Buffer.from('picture').toString('base64'),
  location: [51.5, -0.1],
  radius: 10,
  start_datetime: '2035-06-01T12:00:00Z',
  expiry_datetime: '2035-06-03T12:00:00Z',
  quote_id: quote(),
  max_cost: 60,
  idempotency_key: 'order-1',
  payment_method: 'B',
};
const { quote_id: _quote, location: _location, ...ofGroup } = offer;
const group = {
  ...ofGroup,
  places: [
    { latitude: 51.5, longitude: -0.1, label: 'Soho' },
    { latitude: 51.6, longitude: -0.2 },
  ],
};
const listed = {
  offer_id: 4711,
  title: 'Earlier',
  category: 'Food',
  description: 'D',
  terms_and_conditions: '',
  advertised_name: null,
  url: 'https://example.com/two',
  image: `${base}/i.png`,
  latitude: 51.5,
  longitude: -0.1,
  radius: 10,
  gender: [],
  interests: [{ interest_id: 2, interest_name: 'Hiking' }],
  start_datetime: '2035-05-01T12:00:00.000Z',
  expiry_datetime: '2035-06-01T12:00:00.000Z',
  creation_datetime: '2035-05-01T12:00:00.000Z',
  offer_status: 'Active',
  status: 'enabled',
  payment_url: null,
  disabled_reason: null,
  matching_users: 50,
  actions: [],
};

type Asked = { readonly route: string; readonly key: string | undefined; readonly body: string };

async function assistant(
  o: {
    apiKey?: string;
    access?: string;
    limit?: object;
    refusal?: { code: number };
    answers?: (message: string) => ElicitResult;
  } = {},
) {
  const asked: Asked[] = [];
  const questions: string[] = [];
  const replies: Record<string, object> = {
    'POST /offer-groups': o.refusal ?? {
      return_code: 'S1',
      group_id: 7,
      offers: [],
      payment_url: null,
      currency: 'GBP',
    },
    'GET /key': {
      currency: 'GBP',
      access: o.access ?? 'full',
      spending_limits: { day: o.limit ?? null, month: null },
    },
    'POST /offers': { return_code: 'S1', offer_id: 1, status: 'Scheduled', payment_url: null },
    'GET /offers/4711': listed,
    'GET /categories': { categories: [{ category_id: 3, category_name: 'Food' }] },
  };
  const handler = createMcpHandler(() =>
    assistantServer({
      apiKey: o.apiKey ?? 'pk_live_1',
      baseUrl: base,
      fetch: async (url, { method = 'GET', headers, body }) => {
        const route = `${method} ${new URL(url).pathname}`;
        asked.push({ route, key: headers['idempotency-key'], body: await new Response(body ?? '').text() });
        return Response.json(replies[route], {
          status: route === 'POST /offer-groups' ? (o.refusal?.code ?? 200) : 200,
        });
      },
    }),
  );
  const serve = async (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: o.answers === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  if (o.answers !== undefined) {
    const { answers } = o;
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return answers(params.message);
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { fetch: serve }));
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  return {
    asked,
    questions,
    serve,
    call,
    bought: () => asked.filter(({ route }) => /^POST \/offer(s|-groups)$/.test(route)),
  };
}

const purchases = [
  ['create_offer', offer],
  ['create_group', group],
] as const;
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
const text = (words: string) => ({
  isError: true,
  content: [{ type: 'text', text: expect.stringContaining(words) as unknown }],
});

describe('create_offer', () => {
  it.each([
    ['quote_id', 'call estimate_price'],
    ['max_cost', 'the most that the person lets you spend'],
    ['idempotency_key', 'make up a text'],
    ['payment_method', 'send B to pay'],
  ])('without %s is refused with E1 and what to do, and nothing is sent', async (field, words) => {
    const { asked, call } = await assistant();
    const reply = await call('create_offer', { ...offer, [field]: undefined });
    expect(reply).toMatchObject(text(`${field}: E1`));
    expect(reply).toMatchObject(text(words));
    expect(asked).toEqual([]);
  });

  it('is refused when the quote is dearer than max_cost, and nothing is sent', async () => {
    const { asked, call } = await assistant({ apiKey: 'pk_test_1' });
    const reply = await call('create_offer', { ...offer, quote_id: quote('6001') });
    expect(reply).toMatchObject(text('E1: the offer costs 60.01 GBP, which is above max_cost'));
    expect(asked).toEqual([]);
  });

  it('is refused with a quote of nobody', async () => {
    const { asked, call } = await assistant({ apiKey: 'pk_test_1' });
    for (const quote_id of ['', 'quote', `${Buffer.from('[]').toString('base64url')}.a`])
      expect(await call('create_offer', { ...offer, quote_id })).toMatchObject(text('quote_id'));
    expect(asked).toEqual([]);
  });

  it('takes one picture, as bytes or from an earlier offer', async () => {
    const { bought, call } = await assistant({ apiKey: 'pk_test_1' });
    const none = { ...offer, image_base64: undefined };
    expect(await call('create_offer', none)).toMatchObject(text('one picture'));
    expect(await call('create_offer', { ...offer, image_offer_id: 4711 })).toMatchObject(text('one picture'));
    expect(bought()).toEqual([]);
    await call('create_offer', offer);
    await call('create_offer', { ...none, image_offer_id: 4711 });
    expect(bought()[0]?.body).toContain('\r\n\r\npicture\r\n');
    expect(bought()[1]?.body).toContain('name="image_offer_id"\r\n\r\n4711\r\n');
  });

  it('buys in TEST mode without asking, with the quote and the key of the caller', async () => {
    const { asked, call } = await assistant({ apiKey: 'pk_test_1' });
    const { structuredContent } = await call('create_offer', offer);
    expect(structuredContent).toMatchObject({ offer_id: 1, status: 'Scheduled' });
    expect(asked).toEqual([
      { route: 'POST /offers', key: 'order-1', body: expect.stringContaining(quote()) as unknown },
    ]);
  });
});

describe('create_group', () => {
  it.each(['max_cost', 'idempotency_key', 'payment_method', 'places'])(
    'without %s is refused, and nothing is sent',
    async (field) => {
      const { asked, call } = await assistant();
      expect(await call('create_group', { ...group, [field]: undefined })).toMatchObject(text(field));
      expect(asked).toEqual([]);
    },
  );

  it('sends max_cost to the API, which keeps it, and the key of the caller, also when it is repeated', async () => {
    const { asked, call } = await assistant({ apiKey: 'pk_test_1' });
    for (const _ of [1, 2])
      expect((await call('create_group', group)).structuredContent).toMatchObject({ group_id: 7 });
    expect(asked.map(({ route, key }) => [route, key])).toEqual(times(2, ['POST /offer-groups', 'order-1']));
    for (const { body } of asked) {
      expect(body).toContain('name="max_cost"\r\n\r\n60\r\n');
      expect(body).toContain(`name="places"\r\n\r\n${JSON.stringify(group.places)}\r\n`);
    }
  });

  it('sends the picture of each place under a name, that of all to places without one; each needs one', async () => {
    const { asked, bought, call } = await assistant({ apiKey: 'pk_test_1' });
    const [soho, borough] = group.places;
    const image_base64 = Buffer.from('another').toString('base64');
    const places = [
      { ...soho, image_base64 },
      { ...borough, image_offer_id: 4711 },
      { latitude: 51.7, longitude: 0 },
    ];
    expect((await call('create_group', { ...group, places })).structuredContent).toMatchObject({
      group_id: 7,
    });
    const { body = '' } = bought()[0] ?? {};
    const sent = [
      { ...soho, image: 'place-0' },
      { ...borough, image_offer_id: 4711 },
      { latitude: 51.7, longitude: 0, image: 'all' },
    ];
    expect(body).toContain(`name="places"\r\n\r\n${JSON.stringify(sent)}\r\n`);
    for (const [name, bytes] of [
      ['place-0', 'another'],
      ['all', 'picture'],
    ])
      expect(body).toMatch(new RegExp(`filename="${name}"\r\n.*\r\n\r\n${bytes}\r\n`));
    for (const wrong of [
      { image_base64: undefined, places },
      { image_offer_id: 4711, places },
      { places: [{ ...soho, image_base64, image_offer_id: 4711 }] },
    ])
      expect(await call('create_group', { ...group, ...wrong })).toMatchObject(text('one picture'));
    expect(asked).toHaveLength(1);
  });

  it.each([
    [400, 'The cost of 60.01 GBP is above the max_cost of 60', 'Correct what the message names'],
    [403, 'The cost is 60.00 GBP, and of the spending limit', 'read_key says what this key may do'],
  ])('says why the API refused with E1 %d, and what to do', async (code, message, advice) => {
    const { call } = await assistant({
      apiKey: 'pk_test_1',
      refusal: { return_code: 'E1', status: 'Error', code, message } as { code: number },
    });
    const reply = await call('create_group', group);
    expect(reply).toMatchObject(text(message));
    expect(reply).toMatchObject(text(advice));
  });

  it('asks the person for LIVE money, and buys when they agree', async () => {
    const { questions, bought, call } = await assistant({
      answers: () => ({ action: 'accept', content: { buy: true } }),
    });
    await call('create_group', group);
    expect(questions).toEqual([
      'Buy the LIVE offer "Two for one" at 2 places for at most 60 GBP, from the prepaid balance? It runs 2 days, from 2035-06-01T12:00:00Z to 2035-06-03T12:00:00Z.',
    ]);
    expect(bought()).toHaveLength(1);
  });
});

describe('extend_offer', () => {
  it('buys an offer with the content, picture and target of the earlier one, for the time of the quote', async () => {
    const { bought, call } = await assistant({ apiKey: 'pk_test_1' });
    const { quote_id, max_cost, idempotency_key, payment_method } = offer;
    await call('extend_offer', { offer_id: 4711, quote_id, max_cost, idempotency_key, payment_method });
    const fields = Object.fromEntries(
      [...(bought()[0]?.body ?? '').matchAll(/name="([\w[\]]+)"\r\n\r\n(.*)\r\n/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    expect(fields).toMatchObject({
      title: 'Earlier',
      category_id: '3',
      image_offer_id: '4711',
      'interests[]': '2',
      start_datetime: '2035-06-01T12:00:00.000Z',
      expiry_datetime: '2035-06-03T12:00:00.000Z',
    });
  });
});

describe('spending LIVE money', () => {
  it('asks the person, and buys when they agree', async () => {
    const { questions, bought, call } = await assistant({
      answers: () => ({ action: 'accept', content: { buy: true } }),
    });
    await call('create_offer', offer);
    expect(questions).toEqual([
      'Buy the LIVE offer "Two for one" for 60.00 GBP, from the prepaid balance? It runs 2 days, from 2035-06-01T12:00:00.000Z to 2035-06-03T12:00:00.000Z.',
    ]);
    expect(bought()).toHaveLength(1);
  });

  it.each<ElicitResult>([
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { buy: false } },
  ])('buys nothing after the answer %j', async (answer) => {
    const { bought, call } = await assistant({ answers: () => answer });
    for (const [name, args] of purchases)
      expect(await call(name, args)).toMatchObject(text('The person did not agree. Nothing was bought'));
    expect(bought()).toEqual([]);
  });

  it('is refused where the client cannot ask and the key has no spending limit', async () => {
    const { bought, call } = await assistant();
    for (const [name, args] of purchases)
      expect(await call(name, args)).toMatchObject(text('give the key a spending limit'));
    expect(bought()).toEqual([]);
  });

  const limit = { limit: 60, left: 60, resets_datetime: '2035-06-02T00:00:00.000Z' };
  it.each([
    ['has a spending limit', { limit }],
    ['cannot spend', { access: 'no-spending' }],
  ])('needs no question for a key that %s', async (_, rights) => {
    const { bought, call } = await assistant(rights);
    for (const [name, args] of purchases) await call(name, args);
    expect(bought()).toHaveLength(2);
  });

  it.each([
    ['create_offer', offer, { ...offer, quote_id: quote('600000'), max_cost: 6_000 }],
    ['create_group', group, { ...group, max_cost: 6_000 }],
    ['create_group', group, { ...group, places: [...group.places, { latitude: 51.7, longitude: -0.3 }] }],
    ['create_group', group, { ...group, idempotency_key: 'order-2' }],
  ])('%s does not take the answer to one purchase for another', async (name, args, other) => {
    const { serve, bought } = await assistant();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const send = async (wanted: object, answers?: object): Promise<{ inputRequests: object }> => {
      const params = { name, arguments: wanted, _meta: meta, ...answers };
      const reply = await serve(`${base}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return ((await reply.json()) as { result: { inputRequests: object } }).result;
    };
    const [question = ''] = Object.keys((await send(args)).inputRequests);
    const inputResponses = { [question]: { action: 'accept', content: { buy: true } } };
    expect(await send(other, { inputResponses })).toMatchObject({ resultType: 'input_required' });
    expect(bought()).toEqual([]);
    expect(await send(args, { inputResponses })).toMatchObject({ structuredContent: { return_code: 'S1' } });
    expect(bought()).toHaveLength(1);
  });
});
