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
  ADMIN_TOKEN: 'a token of more than thirty-two characters',
};

describe('admin settings', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'admin-')), 'admin.json');
  writeFileSync(file, JSON.stringify(running));

  it('come from the system that runs here', () => {
    expect(readAdminSettings({}, file)).toEqual(running);
  });

  it('come from the environment before that', () => {
    const settings = readAdminSettings({ GATEWAY_ADMIN_URL: 'https://gateway.example/' }, file);
    expect(settings).toEqual({ ...running, GATEWAY_ADMIN_URL: 'https://gateway.example' });
  });

  it('name every missing variable when nothing runs here', () => {
    expect(() => readAdminSettings({}, `${file}.none`)).toThrow(/GATEWAY_ADMIN_URL[\s\S]*ADMIN_TOKEN/);
  });
});
