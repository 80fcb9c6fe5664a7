/**
 * The fonts of PDFs. A document contains only the glyphs that it shows. The fonts for other scripts have one weight, and are opened when a
 * text first needs them.
 */
import { fileURLToPath } from 'node:url';
import { type Font, openSync } from 'fontkit';

const open = (address: string | URL) => openSync(fileURLToPath(address)) as Font;

/** The alphabets of Europe, Hebrew and Arabic. */
const fonts = {
  regular: open(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
  bold: open(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')),
};

export type Weight = keyof typeof fonts;

/** The first one that has a character draws it. Small ones first, because asking a font opens it. */
const others = [
  import.meta.resolve('@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf'),
  import.meta.resolve('@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf'),
  import.meta.resolve('@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf'),
  // Of China, with the traditional characters and those of Japan. A package of @embedpdf exports only its module.
  new URL('../fonts/NotoSansHans-Regular.otf', import.meta.resolve('@embedpdf/fonts-sc')),
  new URL('../fonts/NotoSansKR-Regular.otf', import.meta.resolve('@embedpdf/fonts-kr')),
];
const opened: Font[] = [];

/** The first font draws what no font has: as a box. */
export function fontFor(grapheme: string, weight: Weight): Font {
  if (hasAll(fonts[weight], grapheme)) return fonts[weight];
  for (const [index, address] of others.entries()) {
    opened[index] ??= open(address);
    if (hasAll(opened[index], grapheme)) return opened[index];
  }
  return fonts[weight];
}

/** Joiners and selectors of variants are not drawn. */
const undrawn = /\p{Default_Ignorable_Code_Point}/u;

function hasAll(font: Font, grapheme: string): boolean {
  return Array.from(grapheme).every(
    (character) => undrawn.test(character) || font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0),
  );
}
