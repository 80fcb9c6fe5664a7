import { describe, expect, it } from '@jest/globals';
import { reachOf, targetOf } from './target.ts';

describe('the address of an endpoint', () => {
  it.each([
    ['https://shop.example/hooks', 'shop.example'],
    ['https://shop.example:8443/hooks?from=offers', 'shop.example'],
    ['https://shop.example:443/', 'shop.example'],
    ['https://1.1.1.1/', '1.1.1.1'],
    ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
    ['https://münchen.example/', 'xn--mnchen-3ya.example'],
  ])('may be %s', (text, host) => {
    expect(targetOf(text, 'public')).toMatchObject({ ok: true, host });
  });

  it.each([
    ['not-a-url', ''],
    ['not-a-url', 'shop.example'],
    ['not-a-url', 'ftp://shop.example/'],
    ['not-a-url', 'file:///etc/passwd'],
    ['not-a-url', 'https://'],
    ['not-a-url', 'https://300.1.1.1/'],
    ['not-a-url', `https://shop.example/${'a'.repeat(2_048)}`],
    ['not-https', 'http://shop.example/'],
    ['has-credentials', 'https://user@shop.example/'],
    ['has-credentials', 'https://user:password@shop.example/'],
    ['has-credentials', 'https://shop.example@10.0.0.1/'],
    ['port', 'https://shop.example:25/'],
    ['port', 'https://shop.example:22/'],
    ['port', 'https://shop.example:80/'],
    ['not-public', 'https://127.0.0.1/'],
    ['not-public', 'https://127.1/'],
    ['not-public', 'https://2130706433/'],
    ['not-public', 'https://0x7f000001/'],
    ['not-public', 'https://0x7f.0.0.1/'],
    ['not-public', 'https://0177.0.0.1/'],
    ['not-public', 'https://017700000001/'],
    ['not-public', 'https://１２７.0.0.1/'],
    ['not-public', 'https://127.0.0.1./'],
    ['not-public', 'https://0/'],
    ['not-public', 'https://169.254.169.254/latest/meta-data'],
    ['not-public', 'https://0xa9fea9fe/'],
    ['not-public', 'https://10.0.0.1:8443/'],
    ['not-public', 'https://[::1]/'],
    ['not-public', 'https://[::ffff:10.0.0.1]/'],
    ['not-public', 'https://[::ffff:8.8.8.8]/'],
    ['not-public', 'https://[64:ff9b::10.0.0.1]/'],
    ['not-public', 'https://[fd00:ec2::254]/'],
  ])('is refused as %s: %s', (reason, text) => {
    expect(targetOf(text, 'public')).toEqual({ ok: false, reason });
  });

  it.each(['http://127.0.0.1:3000/hooks', 'http://localhost/', 'https://10.0.0.1:25/'])(
    'may be %s where development is allowed',
    (text) => {
      expect(targetOf(text, 'any')).toMatchObject({ ok: true });
    },
  );

  it('has no credentials and is http or https, also where development is allowed', () => {
    expect(targetOf('http://user@localhost/', 'any')).toEqual({ ok: false, reason: 'has-credentials' });
    expect(targetOf('gopher://localhost/', 'any')).toEqual({ ok: false, reason: 'not-a-url' });
  });
});

it('LIVE mode reaches only the public internet, whatever is allowed in TEST mode', () => {
  expect([reachOf('LIVE', 'any'), reachOf('LIVE', 'public')]).toEqual(['public', 'public']);
  expect([reachOf('TEST', 'any'), reachOf('TEST', 'public')]).toEqual(['any', 'public']);
});
