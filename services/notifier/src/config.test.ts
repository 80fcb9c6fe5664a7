import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { readNotifierConfig } from './config.ts';

const secret = '0123456789abcdef0123456789abcdef';
const settings = {
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  MONGO_URL: 'mongodb://127.0.0.1:27017/notifier',
  RABBITMQ_URL: 'amqp://127.0.0.1:5672',
  SMTP_URL: 'smtps://user:password@mail.example:465',
  MAIL_FROM: 'Offers <offers@mail.example>',
  PORTAL_URL: 'https://ads.example/portal',
  NOTIFIER_CONTEXT_SECRET: secret,
  UNSUBSCRIBE_SECRET: secret,
  WEBHOOK_SEAL_SECRET: secret,
};

describe('the addresses from which webhooks come', () => {
  const read = (WEBHOOK_SENDER_ADDRESSES: string) =>
    readNotifierConfig({ ...settings, WEBHOOK_SENDER_ADDRESSES }).WEBHOOK_SENDER_ADDRESSES;

  it('are addresses and networks, or are not published', () => {
    expect(read('192.0.2.10, 2001:db8::/64')).toEqual(['192.0.2.10', '2001:db8::/64']);
    expect(read('')).toBeUndefined();
    for (const wrong of ['ads.example', '192.0.2.10,', '192.0.2.0/33'])
      expect(() => read(wrong)).toThrow(/WEBHOOK_SENDER_ADDRESSES.*must be addresses or networks/);
  });
});

describe('the settings of mail', () => {
  it('need only a server and a sender', () => {
    const config = readNotifierConfig(settings);
    expect(config).toMatchObject({ SMTP_URL: settings.SMTP_URL, SMTP_CONNECTIONS: 5 });
    expect(config.SMTP_RATE_PER_SECOND).toBeUndefined();
  });

  it('can limit the rate and the connections, and name a certificate authority', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'notifier-')), 'ca.pem');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    const given = { SMTP_RATE_PER_SECOND: '0.5', SMTP_CONNECTIONS: '20', SMTP_CA_FILE: file };
    expect(readNotifierConfig({ ...settings, ...given })).toMatchObject({
      SMTP_RATE_PER_SECOND: 0.5,
      SMTP_CONNECTIONS: 20,
      SMTP_CA_FILE: file,
    });
  });

  it.each([
    ['SMTP_TLS', 'never', 'must be required or off'],
    ['SMTP_CA_FILE', '/no/such/file.pem', 'must be a readable file of certificates'],
    ['SMTP_CONNECTIONS', '0', 'must be a whole number from 1 to 100'],
    ['SMTP_RATE_PER_SECOND', '0', 'must be a number of mails per second'],
    ['SMTP_URL', 'smtp://mail.example:465', 'must begin with smtps:// for port 465'],
    ['SMTP_URL', 'http://mail.example', 'must be an address such as smtps://'],
  ])('%s=%s is refused: %s', (name, value, problem) => {
    expect(() => readNotifierConfig({ ...settings, [name]: value })).toThrow(`${name}: ${problem}`);
  });
});
