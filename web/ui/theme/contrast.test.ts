/** Texts can be read, and the edges of fields seen, in both themes (WCAG 2.2, 1.4.3 and 1.4.11). */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

const css = await readFile(new URL('./theme-colours.css', import.meta.url), 'utf8');
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

const text = 4.5;
const edge = 3;
const readable: readonly [colour: string, grounds: readonly string[], least: number][] = [
  ['text', ['ground', 'surface', 'raised', 'soft', 'hover', 'line'], text],
  ['muted', ['ground', 'surface', 'raised', 'soft', 'hover'], text],
  ['accent', ['ground', 'surface', 'raised', 'soft'], text],
  ['on-accent', ['accent'], text],
  ['on-solid', ['solid', 'solid-hover'], text],
  ['on-test', ['test'], text],
  ['text', ['test-soft'], text],
  ['on-danger', ['danger', 'danger-hover'], text],
  ['good', ['surface', 'good-soft'], text],
  ['warning', ['surface', 'warning-soft'], text],
  ['problem', ['ground', 'surface', 'raised', 'problem-soft'], text],
  ['text', ['good-soft', 'warning-soft', 'problem-soft'], text],
  ['field-line', ['ground', 'surface', 'raised'], edge],
  ['chart-2', ['surface'], edge],
];

describe.each(themes)('the %s colours', (theme) => {
  const pairs = readable.flatMap(([colour, grounds, least]) =>
    grounds.map((ground) => ({ colour, ground, least })),
  );
  it.each(pairs)('$colour stands out from $ground', ({ colour, ground, least }) => {
    expect(contrast(luminanceOf(colour, theme), luminanceOf(ground, theme))).toBeGreaterThanOrEqual(least);
  });
});

function valueOf(name: string, theme: Theme): string {
  const [, value = ''] = new RegExp(`--${name}: ([^;]+);`).exec(css) ?? [];
  const [, light, dark] = /light-dark\((#\w+), (#\w+)\)/.exec(value) ?? [];
  return (theme === 'light' ? light : dark) ?? value;
}

function luminanceOf(name: string, theme: Theme): number {
  const [, hex] = /^#([\da-f]{6})$/.exec(valueOf(name, theme)) ?? [];
  if (hex === undefined) throw new Error(`--${name} is not a colour with six digits`);
  const [red = 0, green = 0, blue = 0] = (hex.match(/../g) ?? []).map((part) => {
    const share = Number.parseInt(part, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
