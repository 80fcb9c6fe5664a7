import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { fingerprint, readUpload, type Upload } from './multipart.ts';

const contentType = 'multipart/form-data; boundary=frontier';

function request(body: Buffer, chunkBytes = body.length, type = contentType): IncomingMessage {
  const chunks = Array.from({ length: Math.ceil(body.length / chunkBytes) }, (_, index) =>
    body.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  // The parts of a request that the reader uses: headers and body.
  return Object.assign(Readable.from(chunks), { headers: { 'content-type': type } }) as never;
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

const withoutName =
  'Every part must have a name, in a header such as Content-Disposition: form-data; name="title"';

describe('an upload', () => {
  it('has its fields and its picture', async () => {
    expect(await readUpload(request(whole))).toEqual({
      ok: true,
      form: {
        fields: new Map([
          ['title', ['Café 😀']],
          ['location[]', ['51', '0']],
        ]),
        pictures: new Map([['a.jpg', Buffer.from('bytes of a picture')]]),
      },
    });
  });

  it('is read whole when its last chunks are there at once', async () => {
    const read = await readUpload(request(whole));
    for (let at = 1; at < whole.length; at += 1) {
      const chunks = new Readable({ objectMode: true, read: () => {} });
      for (const chunk of [whole.subarray(0, at), whole.subarray(at), null]) chunks.push(chunk);
      const req = Object.assign(chunks, { headers: { 'content-type': contentType } });
      expect(await readUpload(req as never)).toEqual(read);
    }
  });

  it('that breaks off anywhere is refused', async () => {
    // The closing boundary is complete without its last line break.
    for (let length = 0; length < whole.length - 2; length += 1) {
      expect(await readUpload(request(whole.subarray(0, length)))).toMatchObject({ ok: false });
    }
  });

  it('that is compressed is refused as such, whatever its bytes are', async () => {
    const req = Object.assign(Readable.from([gzipSync(whole)]), {
      headers: { 'content-type': contentType, 'content-encoding': 'gzip' },
    });
    expect(await readUpload(req as never)).toEqual({
      ok: false,
      status: 415,
      faults: ['The form must be uncompressed, without Content-Encoding'],
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

  it('always gives a form or faults, whatever its bytes are', async () => {
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

const interests = (count: number) =>
  Array.from({ length: count }, () => part('name="interests[]"', '1')).join('');

/** Raw parts between the boundaries, and the expected result. */
async function readParts(parts: string | Buffer, type?: string): Promise<Upload> {
  const body = Buffer.concat([Buffer.from(parts as string), Buffer.from('--frontier--\r\n')]);
  return readUpload(request(body, undefined, type));
}

async function fieldsOf(parts: string | Buffer, type?: string): Promise<Record<string, string[]> | string> {
  const read = await readParts(parts, type);
  return read.ok
    ? Object.fromEntries([...read.form.fields].map(([k, v]) => [k, [...v]]))
    : read.faults.join('; ');
}

/** A part with additional headers. */
function withHeaders(headers: readonly string[], content: string | Buffer): Buffer {
  const head = ['--frontier', ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(content as string), Buffer.from('\r\n')]);
}

const titled = 'Content-Disposition: form-data; name="title"';

describe('parts as clients write them', () => {
  it.each([
    ['no name in quotes', 'Content-Disposition: form-data; name=title'],
    ['blanks around its name', 'Content-Disposition:form-data ;\tname = "title" ;'],
    ['an escaped letter', 'Content-Disposition: form-data; name="\\title"'],
    ['headers in another case', 'content-disposition: FORM-DATA; NAME="title"'],
    ['a charset', `${titled}\r\nContent-Type: text/plain; charset=UTF-8`],
    ['a charset without a value', `${titled}\r\nContent-Type: text/plain; charset`],
    ['an encoding that changes nothing', `${titled}\r\nContent-Transfer-Encoding: 8BIT`],
    ['a length', `${titled}\r\nContent-Length: 3`],
  ])('with %s are read', async (_, header) => {
    expect(await fieldsOf(withHeaders([header], 'Tea'))).toEqual({ title: ['Tea'] });
  });

  const unknown = (charset: string) => `title is in the charset ${charset}, which is not known: send UTF-8`;
  it.each<[string, string, Record<string, string[]> | string]>([
    ['iso-8859-1', '436166e9', { title: ['Café'] }],
    ['"Windows-1252"', '3580', { title: ['5€'] }],
    ['utf-16le', '43006100', { title: ['Ca'] }],
    ['us-ascii', '546561', { title: ['Tea'] }],
    ['shift_jis', '8cdf', { title: ['午'] }],
    ['us-ascii', '436166c3a9', 'title is not in its charset us-ascii: position 3'],
    ['utf-16le', '00d8', 'title is not in its charset utf-16le'],
    ['klingon', '546561', unknown('klingon')],
    ['base64', '56475668', unknown('base64')],
    ['utf-8', '4142eda080', 'title must be in UTF-8: byte 0xED at position 2 is not'],
  ])('in the charset %s with the bytes %s are decoded, or refused', async (charset, hex, read) => {
    const headers = [titled, `Content-Type: text/plain; charset=${charset}`];
    expect(await fieldsOf(withHeaders(headers, Buffer.from(hex, 'hex')))).toEqual(read);
  });

  it.each([
    ['Latin-1', '4be47365', 1, 'E4'],
    ['a character that breaks off', '41efbf', 1, 'EF'],
    ['a character in more bytes than it needs', 'c3a9c0af', 2, 'C0'],
    ['a stray byte behind a replacement character', 'efbfbdff', 3, 'FF'],
  ])('with bytes that are not UTF-8 are refused: %s', async (_, hex, at, byte) => {
    const title = withHeaders([titled], Buffer.from(hex, 'hex'));
    expect(await fieldsOf(title)).toBe(`title must be in UTF-8: byte 0x${byte} at position ${at} is not`);
  });

  it('with a name that is not UTF-8 are refused', async () => {
    const head = Buffer.from(
      '--frontier\r\nContent-Disposition: form-data; name="\xe9"\r\n\r\nx\r\n',
      'latin1',
    );
    expect(await fieldsOf(head)).toBe('The names of parts must be in UTF-8');
  });

  it.each([
    ['as an attachment', 'Content-Disposition: attachment; name="gender[]"'],
    ['without a disposition', 'Content-Type: text/plain'],
    ['with two dispositions', `${titled}\r\nContent-Disposition: form-data; name="gender[]"`],
    ['with two names', 'Content-Disposition: form-data; name="note"; name="gender[]"'],
    ['with an extended name', "Content-Disposition: form-data; name*=utf-8''gender%5B%5D"],
    ['with a name that does not end', 'Content-Disposition: form-data; name="gender[]'],
    ['with an empty name', 'Content-Disposition: form-data; name=""'],
    ['with a file name only', 'Content-Disposition: form-data; filename="x"'],
    ['with text behind its name', 'Content-Disposition: form-data; name="note" gender[]'],
    ['with a line that is no header', 'gender[]\r\nContent-Disposition: form-data; name="note"'],
    ['with a line break in its name', 'Content-Disposition: form-data; name="note\n"'],
  ])('%s are refused, and not left out', async (_, header) => {
    expect(await fieldsOf(withHeaders([header], 'Female'))).toBe(withoutName);
  });

  it('whose headers do not end are refused', async () => {
    expect(await fieldsOf(`--frontier\r\n${titled}\r\n`)).toBe(withoutName);
  });

  it('in a transfer encoding are refused', async () => {
    const base64 = 'Content-Transfer-Encoding: base64';
    expect(await fieldsOf(withHeaders([titled, base64], 'VGVh'))).toMatch(
      /^title must be sent as it is, not in another Content-Transfer-Encoding$/,
    );
    const picture = 'Content-Disposition: form-data; name="image"; filename="a.png"';
    expect(await fieldsOf(withHeaders([picture, base64], 'VGVh'))).toMatch(/^image must be sent as it is/);
  });

  it('with a boundary in quotes are read, and without one refused', async () => {
    const title = part('name="title"', 'Tea');
    expect(await fieldsOf(title, 'multipart/form-data; charset=utf-8; boundary="frontier"')).toEqual({
      title: ['Tea'],
    });
    for (const type of [
      '',
      'multipart/form-data',
      'multipart/form-data; boundary',
      'multipart/form-data-too; boundary=frontier',
      'multipart/mixed; boundary=frontier',
      'application/x-www-form-urlencoded',
    ]) {
      expect(await fieldsOf(title, type)).toBe('The body must be multipart/form-data with a boundary');
    }
  });
});

describe('the picture', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0x2d, 0x2d, 0x66]);

  it.each([
    ['a file name', 'name="image"; filename="a.jpg"'],
    ['a path for a name', 'name="image"; filename="../../etc/passwd"'],
    ['a name of control characters', 'name="image"; filename="\u0001\u202e.jpg"'],
    ['an empty name', 'name="image"; filename=""'],
    ['quotes in its name', 'name="image"; filename="the "best" tea.jpg"'],
    ['an escaped quote in its name', 'name="image"; filename="the \\"best\\" tea.jpg"'],
    ["a name in RFC 5987's form", 'name="image"; filename*=utf-8\'\'na%C3%AFve.jpg'],
    ['no name but a type', 'name="image"\r\nContent-Type: image/jpeg'],
    ['no name but the type of any file', 'name="image"\r\nContent-Type: application/octet-stream'],
  ])('may come with %s', async (_, head) => {
    const body = withHeaders([`Content-Disposition: form-data; ${head}`], bytes);
    const read = await readParts(body);
    expect(read.ok && [...read.form.pictures.values()]).toEqual([bytes]);
  });

  it('of a group may be several, whose file names differ and which are not larger than one', async () => {
    const file = (name: string, content = 'x') => part(`name="image"; filename="${name}"`, content);
    const readAll = (...files: readonly string[]) =>
      readUpload(request(Buffer.from(`${files.join('')}--frontier--\r\n`)), true);
    expect(await readAll(file('a.jpg'), file('caf\u00e9.jpg', 'y'))).toMatchObject({
      form: {
        pictures: new Map([
          ['a.jpg', Buffer.from('x')],
          ['caf\u00e9.jpg', Buffer.from('y')],
        ]),
      },
    });
    const faultsOf = async (...files: readonly string[]) => {
      const read = await readAll(...files);
      return read.ok ? [] : read.faults;
    };
    const twice = 'image is sent several times, so each must have another file name';
    expect(await faultsOf(file('a.jpg'), file('a.jpg'))).toEqual([twice]);
    expect(await faultsOf(file('a.jpg'), file(''))).toEqual([twice]);
    expect(await faultsOf(...Array.from({ length: 21 }, (_, index) => file(`${index}`)))).toEqual([
      'image must be sent at most 20 times',
    ]);
    const half = 'x'.repeat(2_700_000);
    expect(await faultsOf(file('a.jpg', half), file('b.jpg', half))).toEqual([
      'image must have at most 5 MB over all pictures',
    ]);
  });

  it('may not come twice, as text, or as several files in one part', async () => {
    const file = part('name="image"; filename="a.jpg"', 'x');
    expect(await fieldsOf(file + file)).toBe('image must be sent once');
    expect(await fieldsOf(part('name="image"', 'x'))).toBe('image must be sent as a file');
    expect(await fieldsOf(part('name="title"; filename="a.txt"', 'x'))).toBe('title must not be a file');
    const mixed = [
      'Content-Disposition: form-data; name="image"',
      'Content-Type: multipart/mixed; boundary=inner',
    ];
    expect(await fieldsOf(withHeaders(mixed, '--inner\r\n\r\nx\r\n--inner--'))).toBe(
      'image must be sent as a file',
    );
  });
});

describe('the bounds of a form', () => {
  const note = (bytes: number) => part('name="note"', 'x'.repeat(bytes));
  const notes = (count: number) =>
    Array.from({ length: count }, (_, index) => part(`name="note${index}"`, 'x'.repeat(16_384))).join('');
  const image = (bytes: number) =>
    withHeaders(['Content-Disposition: form-data; name="image"; filename="a"'], Buffer.alloc(bytes, 1));
  it.each<[string, (size: number) => string | Buffer, number, string]>([
    ['600 parts', interests, 600, 'The form must have at most 600 parts'],
    ['16 KiB for each text', note, 16_384, 'note must have at most 16384 bytes'],
    ['256 KiB for all texts together', notes, 16, 'The fields must have at most 262144 bytes together'],
    ['5 MiB for the picture', image, 5_242_880, 'image must have at most 5 MB'],
  ])('are %s', async (_, of, most, fault) => {
    expect(await readParts(of(most))).toMatchObject({ ok: true });
    expect(await fieldsOf(of(most + 1))).toBe(fault);
  });

  it('hold for the reply too, however long the names of parts are', async () => {
    const files = Array.from({ length: 590 }, (_, index) =>
      part(`name="${`${index}`.padEnd(20_000, '<')}"; filename="x"`, ''),
    ).join('');
    expect((await fieldsOf(files)).length).toBeLessThan(100_000);
  });
});

describe('any well-formed form', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', '[', ']', '_', ' ', '0', '\u00e9', '__proto__', 'constructor'),
    minLength: 1,
    maxLength: 12,
  });
  const line = fc.constantFrom('', '\r\n', '\n', '\r', '--', '--frontie', '\r\n--', 'x', '\u{1F375}', ' ');
  const content = fc.array(line, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const parts = fc.array(fc.tuple(name, content), { maxLength: 12 });

  it('is read as it was written, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 90 }), async (parts, size) => {
        const body = parts.map(([name, text]) => part(`name="${name}"`, text)).join('');
        const read = await readUpload(request(Buffer.from(`${body}--frontier--\r\n`), size));
        const wanted = Map.groupBy(parts, ([name]) => name);
        expect(read).toEqual({
          ok: true,
          form: {
            fields: new Map([...wanted].map(([name, given]) => [name, given.map(([, text]) => text)])),
            pictures: new Map(),
          },
        });
      }),
    );
  });
});

describe('the fingerprint', () => {
  const of = (fields: Record<string, string[]>, picture = 'p') =>
    fingerprint({
      fields: new Map(Object.entries(fields)),
      pictures: new Map([['a.jpg', Buffer.from(picture)]]),
    }).toString('hex');
  const inherited = { ['__proto__']: ['1'] };

  it('does not depend on the order of the names', () => {
    expect(of({ a: ['1'], b: ['2'] })).toBe(of({ b: ['2'], a: ['1'] }));
  });

  it('depends on every value, their order, and the picture', () => {
    const all = [
      of({ a: ['1', '2'] }),
      of({ a: ['2', '1'] }),
      of({ a: ['1', '2'], b: [''] }),
      of({ a: ['1', '2'] }, 'q'),
      of(inherited),
      of({}),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
