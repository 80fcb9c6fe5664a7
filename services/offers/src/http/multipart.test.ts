import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { fingerprint, readUpload, type Upload, type UploadedForm } from './multipart.ts';

const contentType = 'multipart/form-data; boundary=frontier';

function request(body: Buffer, chunkBytes = body.length): IncomingMessage {
  const chunks = Array.from({ length: Math.ceil(body.length / chunkBytes) }, (_, index) =>
    body.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  // What the reader needs of a request: its headers and its bytes.
  return Object.assign(Readable.from(chunks), { headers: { 'content-type': contentType } }) as never;
}

function part(head: string, content: string): string {
  return `--frontier\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
}

const whole = Buffer.from(
  `${part('name="title"', 'Café 😀')}${part('name="location[]"', '51')}${part('name="location[]"', '0')}${part(
    'name="image"; filename="a.jpg"',
    'bytes of a picture',
  )}--frontier--\r\n`,
);

describe('an upload', () => {
  it('is read alike in whatever chunks it comes', async () => {
    const read = await readUpload(request(whole));
    expect(read).toEqual({
      ok: true,
      form: {
        fields: new Map([
          ['title', ['Café 😀']],
          ['location[]', ['51', '0']],
        ]),
        picture: Buffer.from('bytes of a picture'),
      },
    });
    for (const size of [1, 7, 64]) expect(await readUpload(request(whole, size))).toEqual(read);
  });

  it('that breaks off anywhere is refused', async () => {
    // The closing boundary is complete without its last line break.
    for (let length = 0; length < whole.length - 2; length += 1) {
      expect(await readUpload(request(whole.subarray(0, length)))).toMatchObject({ ok: false });
    }
  });

  it('with parts that have no name is refused', async () => {
    const body = `${part('', 'x')}${part('filename="x"', 'x')}--frontier--`;
    expect(await readUpload(request(Buffer.from(body)))).toMatchObject({
      ok: false,
      faults: ['Every part must have a name', 'A part without a name must not be a file'],
    });
  });

  it('larger than any form is refused before its end', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 1;
          yield Buffer.alloc(1_048_576);
        }
      })(),
    );
    const req = Object.assign(endless, { headers: { 'content-type': contentType } });
    expect(await readUpload(req as never)).toMatchObject({
      ok: false,
      faults: [expect.stringMatching(/too large/)],
    });
    expect(sent).toBeLessThan(64);
  });

  it('is always answered, whatever its bytes are', async () => {
    const spoiled = fc
      .array(fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ maxLength: 12 })), { maxLength: 4 })
      .map((cuts) =>
        cuts.reduce(
          (body, [at, bytes]) => Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + 3)]),
          whole,
        ),
      );
    await fc.assert(
      fc.asyncProperty(spoiled, fc.integer({ min: 1, max: 200 }), async (body, size) => {
        const upload: Upload = await readUpload(request(body, size));
        expect(upload.ok || upload.faults.length > 0).toBe(true);
      }),
    );
  });
});

describe('the fingerprint', () => {
  const form = (fields: [string, string[]][], picture = 'p'): UploadedForm => ({
    fields: new Map(fields),
    picture: Buffer.from(picture),
  });
  const same = (a: UploadedForm, b: UploadedForm) => fingerprint(a).equals(fingerprint(b));

  it('does not depend on the order of the names', () => {
    expect(
      same(
        form([
          ['a', ['1']],
          ['b', ['2']],
        ]),
        form([
          ['b', ['2']],
          ['a', ['1']],
        ]),
      ),
    ).toBe(true);
  });

  it('depends on every value, their order, and the picture', () => {
    expect(same(form([['a', ['1', '2']]]), form([['a', ['2', '1']]]))).toBe(false);
    expect(
      same(
        form([['a', ['1']]]),
        form([
          ['a', ['1']],
          ['b', ['']],
        ]),
      ),
    ).toBe(false);
    expect(same(form([['a', ['1']]], 'p'), form([['a', ['1']]], 'q'))).toBe(false);
  });
});
