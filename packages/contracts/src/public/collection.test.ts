import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { readPictureHeader } from '../pictures/picture-header.ts';
import { picture, postmanCollection } from './collection.ts';
import { publicPaths } from './openapi.ts';

type Pair = {
  readonly key: string;
  readonly value?: string;
  readonly disabled?: boolean;
};
type Collection = {
  readonly variable: readonly Pair[];
  readonly item: readonly {
    readonly name: string;
    readonly request: {
      readonly method: string;
      readonly url: { readonly raw: string; readonly path: readonly string[] };
      readonly header: readonly Pair[];
      readonly body?: { readonly raw?: string; readonly formdata?: readonly Pair[] };
    };
  }[];
};

const collection = postmanCollection() as Collection;
const requestOf = (method: string, path: string) =>
  collection.item.find(({ request }) => request.method === method && request.url.path.join('/') === path)!
    .request;

describe('the collection', () => {
  it('has a request for each operation, in an order in which all can succeed', () => {
    const operations = Object.entries(publicPaths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const requests = collection.item.map(({ request }) => `${request.method} /${request.url.path.join('/')}`);
    expect(requests).toEqual(operations);
    expect(requests.indexOf('DELETE /offers/:offer_id')).toBeLessThan(requests.indexOf('DELETE /test/clock'));
    expect(requests.indexOf('POST /offers/:offer_id/pause')).toBeLessThan(
      requests.indexOf('DELETE /offers/:offer_id'),
    );
    expect(requests.indexOf('POST /offers')).toBeLessThan(requests.indexOf('POST /offers/:offer_id/pause'));
  });

  it('declares all variables that it uses', () => {
    const known = new Set([...collection.variable.map(({ key }) => key), '$guid']);
    const used = [...JSON.stringify(collection).matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name);
    expect(used.filter((name) => !known.has(name ?? ''))).toEqual([]);
    expect(used).toContain('apiKey');
  });

  it('creates an offer with a new idempotency key and both coordinates', () => {
    const { header, body } = requestOf('POST', 'offers');
    expect(header).toEqual([expect.objectContaining({ key: 'Idempotency-Key', value: '{{$guid}}' })]);
    const sent = (body?.formdata ?? []).filter(({ disabled }) => disabled !== true);
    const values = (name: string) => sent.filter(({ key }) => key === name).map(({ value }) => value);
    expect([values('location[]'), values('payment_method')]).toEqual([['51.5074', '-0.1278'], ['B']]);
    expect(sent.every(({ value }) => value !== '')).toBe(true);
  });

  it('sends a picture that needs no file and is the same text in UTF-8', () => {
    expect(JSON.stringify(collection)).not.toContain('"src"');
    const value = runInNewContext(picture) as string;
    expect(Buffer.from(value)).toEqual(Buffer.from(value, 'latin1'));
    expect(readPictureHeader(Buffer.from(value), 1)).toMatchObject({ type: 'gif', width: 28, height: 28 });
  });

  it('asks for a price with only the required fields and the environment', () => {
    const raw = requestOf('POST', 'offers/price-estimate').body?.raw ?? '';
    expect(Object.keys(JSON.parse(raw) as object)).toEqual([
      'start_datetime',
      'end_datetime',
      'location',
      'radius',
      'environment',
    ]);
  });
});
