import { afterEach, expect, it } from '@jest/globals';
import { hasJustSignedOut, lastMode, leave, rememberMode } from './tab-storage.ts';

type Globals = Record<'sessionStorage' | 'localStorage' | 'location', unknown>;

const globals = globalThis as unknown as Partial<Globals>;
const names = ['sessionStorage', 'localStorage', 'location'] as const;
const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);

afterEach(() => {
  for (const [name, was] of before)
    if (was === undefined) delete globals[name];
    else Object.defineProperty(globalThis, name, was);
});

function put(name: keyof Globals, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}

/** As in browsers, what is stored are its own keys. */
function storage() {
  const kept: Record<string, string> = Object.create({
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, text: string) => {
      kept[key] = text;
    },
    removeItem: (key: string) => delete kept[key],
    clear: () => {
      for (const key of Object.keys(kept)) delete kept[key];
    },
  });
  return kept as Record<string, string> & Storage;
}

it('keeps nothing but the theme of a person who signs out: the next one begins in TEST mode', () => {
  const tab = storage();
  const browser = storage();
  const page = {
    hash: '',
    assign: (address: string) => {
      page.hash = new URL(address, 'https://ads.example').hash;
    },
  };
  put('sessionStorage', tab);
  put('localStorage', browser);
  put('location', page);
  browser.setItem('theme', 'dark');
  browser.setItem('offer-target 7 test', '{}');
  tab.setItem('draft', 'Two for one');
  rememberMode('live');
  expect(lastMode()).toBe('live');
  expect(hasJustSignedOut()).toBe(false);

  leave();
  expect(lastMode()).toBe('test');
  expect(tab.getItem('draft')).toBeNull();
  expect(Object.entries(browser)).toEqual([['theme', 'dark']]);
  expect(hasJustSignedOut()).toBe(true);
});

it('begins in TEST mode when the browser allows no storage', () => {
  put('localStorage', {
    getItem: () => {
      throw new Error('forbidden');
    },
  });
  expect(lastMode()).toBe('test');
});
