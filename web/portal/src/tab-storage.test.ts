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

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

it('keeps nothing of a person who signs out: the next one begins in TEST mode', () => {
  const tab = storage();
  const page = {
    hash: '',
    assign: (address: string) => {
      page.hash = new URL(address, 'https://ads.example').hash;
    },
  };
  put('sessionStorage', tab);
  put('localStorage', storage());
  put('location', page);
  tab.setItem('draft', 'Two for one');
  rememberMode('live');
  expect(lastMode()).toBe('live');
  expect(hasJustSignedOut()).toBe(false);

  leave();
  expect(lastMode()).toBe('test');
  expect(tab.getItem('draft')).toBeNull();
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
