import { describe, expect, it } from '@jest/globals';
import { visitorOf } from './visit.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('a click address is opened by', () => {
  it.each([
    firefox,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 14; SM-S921B; wv) AppleWebKit/537.36 Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A]',
  ])('a person: %s', (agent) => {
    expect(visitorOf('GET', { 'user-agent': agent })).toBe('person');
  });

  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'AdsBot-Google (+http://www.google.com/adsbot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 (compatible; Yahoo! Slurp)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1',
    'WhatsApp/2.23.20.0 A',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36',
    'curl/8.9.1',
    'python-requests/2.32.0',
    'Go-http-client/2.0',
    'node',
    '',
  ])('a bot: %s', (agent) => {
    expect(visitorOf('GET', { 'user-agent': agent })).toBe('bot');
  });

  it('a bot if it does not say what it is', () => {
    expect(visitorOf('GET', {})).toBe('bot');
  });

  it.each([
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('nobody yet, if a browser loads ahead with %s: %s', (name, value) => {
    expect(visitorOf('GET', { 'user-agent': firefox, [name]: value })).toBe('nobody');
  });

  it('nobody, if only the head is asked for', () => {
    expect(visitorOf('HEAD', { 'user-agent': firefox })).toBe('nobody');
  });
});
