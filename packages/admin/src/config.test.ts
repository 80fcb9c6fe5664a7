import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAdminSettings } from './config.ts';

const running = {
  GATEWAY_ADMIN_URL: 'http://127.0.0.1:8080',
  OFFERS_ADMIN_URL: 'http://127.0.0.1:8081',
  BILLING_ADMIN_URL: 'http://127.0.0.1:8082',
  PRICING_ADMIN_URL: 'http://127.0.0.1:8083',
  MODERATION_ADMIN_URL: 'http://127.0.0.1:8085',
  NOTIFIER_ADMIN_URL: 'http://127.0.0.1:8084',
  RABBITMQ_URL: 'amqp://127.0.0.1:5672',
  ADMIN_TOKEN: 'a-token-of-more-than-thirty-two-characters',
};

describe('admin settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'admin-'));
  writeFileSync(join(folder, 'admin.json'), JSON.stringify(running));

  it('come from the system that runs here in the same folder', () => {
    expect(readAdminSettings({ DEV_FOLDER: folder })).toEqual(running);
  });

  it('come from the environment before that', () => {
    const settings = readAdminSettings({
      GATEWAY_ADMIN_URL: 'https://gateway.example/',
      DEV_FOLDER: folder,
    });
    expect(settings).toEqual({ ...running, GATEWAY_ADMIN_URL: 'https://gateway.example' });
  });

  it('come from a file that the environment names before that too', () => {
    const token = 'another-token-of-more-than-thirty-two-characters';
    writeFileSync(join(folder, 'token'), `${token}\n`);
    const settings = readAdminSettings({ ADMIN_TOKEN_FILE: join(folder, 'token'), DEV_FOLDER: folder });
    expect(settings).toEqual({ ...running, ADMIN_TOKEN: token });
  });

  it('name every missing variable when nothing runs here', () => {
    expect(() => readAdminSettings({ DEV_FOLDER: `${folder}-none` })).toThrow(
      /GATEWAY_ADMIN_URL[\s\S]*ADMIN_TOKEN/,
    );
  });
});
