import { describe, expect, it } from '@jest/globals';
import { httpDifferences, jsonDifferences, textDifferences } from './reply-differences.ts';

describe('a reply matches the one of a guide', () => {
  const shown = { return_code: 'S1', offer_id: 1, payment_url: null, interests: [{ interest_id: 1 }, '…'] };
  const came = { ...shown, offer_id: 57, interests: [{ interest_id: 1 }, { interest_id: 2 }] };

  it('when it differs only in varying fields and beyond the dots of a list', () => {
    expect(jsonDifferences(shown, came)).toEqual([]);
  });

  it('when a field differs that varies in this list, and nowhere else', () => {
    const reply = (name: string) => ({ image_renditions: [{ url: `https://ads.example/images/${name}` }] });
    expect(jsonDifferences(reply('…'), reply('a.jpg'))).toEqual([]);
    expect(jsonDifferences(reply('…').image_renditions, reply('a.jpg').image_renditions)).toHaveLength(1);
  });

  it('when its elements come somewhere in a list that begins with dots', () => {
    const list = (...ids: (number | string)[]) => ({ ids });
    expect(jsonDifferences(list('…', 2, 3), list(1, 2, 3))).toEqual([]);
    expect(jsonDifferences(list('…', 2, '…'), list(1, 2, 3))).toEqual([]);
    expect(jsonDifferences(list('…', 2, '…'), list(1, 2))).not.toEqual([]);
    expect(jsonDifferences(list('…', 2), list(1, 3))).not.toEqual([]);
    expect(jsonDifferences(list('…', 2), list())).toEqual(['.ids: is empty']);
  });

  it.each<[string, object, string]>([
    ['another value', { ...came, return_code: 'E1' }, '.return_code'],
    ['one more field', { ...came, more: 1 }, 'fields'],
    ['fields in another order', Object.fromEntries(Object.entries(came).toReversed()), 'fields'],
    ['an id that is not a number', { ...came, offer_id: 'x' }, '.offer_id'],
    ['a value instead of null', { ...came, payment_url: 'https://ads.example/pay' }, '.payment_url'],
    ['a list without more elements', { ...came, interests: [{ interest_id: 1 }] }, '.interests'],
  ])('not with %s', (_what, other, where) => {
    const [difference] = jsonDifferences(shown, other);
    expect(difference).toContain(where);
  });

  const http = 'HTTP/1.1 429 Too Many Requests\nRetry-After: 58\n\n{"message":"Too many requests"}';
  it('when it has the same status, shown headers and body', () => {
    const other = `${http.replace('58', '3').replaceAll('\n', '\r\n').replace('\r\n', '\r\nX-More: 1\r\n')}\n`;
    expect(httpDifferences(http, other)).toEqual([]);
  });

  it.each([
    ['status', http.replace('429', '200')],
    ['header', http.replace('Retry-After', 'Later')],
    ['header that is not a number', http.replace('58', 'soon')],
    ['body', http.replace('many', 'few')],
  ])('not with another %s', (_what, other) => {
    expect(httpDifferences(http, other)).toHaveLength(1);
  });

  it('when its lines are the same, with any text for the dots and any count', () => {
    expect(textDifferences('… GBP\nScheduled', '168.82 GBP\nScheduled\n')).toEqual([]);
    expect(textDifferences('     59 200\n      1 429', '     58 200\n      2 429\n')).toEqual([]);
    expect(textDifferences('     59 200', '     59 429')).toHaveLength(1);
    expect(textDifferences('a.c', 'abc')).toHaveLength(1);
    expect(textDifferences('one', 'one\ntwo')).toHaveLength(1);
  });
});
