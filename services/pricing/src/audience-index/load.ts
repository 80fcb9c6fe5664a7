/** Loads an index from the bytes of `save`. */

import { type AudienceIndex, type AudienceOptions, emptyParts, indexOn, type Parts } from './index-parts.ts';
import { read, reserve, usedWords } from './memory/heap.ts';
import { superblock } from './memory/layout.ts';
import { readSaved } from './memory/saved-bytes.ts';
import { createVocabulary, type Vocabulary } from './memory/vocabulary.ts';
import { superblocksOf, type Tree } from './tree/tree.ts';

const { max } = Math;

/** @throws {AudienceBytesError} for another format version or damaged bytes */
export async function loadAudienceIndex(
  chunks: AsyncIterable<Uint8Array>,
  options: AudienceOptions = {},
): Promise<AudienceIndex> {
  return indexOn(await loadParts(chunks, options));
}

export async function loadParts(
  chunks: AsyncIterable<Uint8Array>,
  options: AudienceOptions = {},
): Promise<Parts> {
  const parts = emptyParts(options);
  let vocabulary: Vocabulary = parts.vocabulary;
  await readSaved(chunks, (head) => {
    vocabulary = createVocabulary(head.genders, head.interests);
    reserve(parts.heap, max(0, head.words - usedWords(parts.heap)));
    return new Uint8Array(parts.heap.u32.buffer, 0, head.words * 4);
  });
  numberSuperblocks(parts.tree, [...superblocksOf(parts.tree)]);
  return { ...parts, vocabulary };
}

/** The table of superblocks is not saved, because each superblock contains its number. */
function numberSuperblocks({ heap, superblocks, freeNumbers }: Tree, addresses: readonly number[]): void {
  const numbers = addresses.map((address) => read(heap, address + superblock.number));
  const highest = numbers.reduce((most, number) => max(most, number), 0);
  while (superblocks.length <= highest) superblocks.push(0);
  numbers.forEach((number, at) => {
    superblocks[number] = addresses[at] as number;
  });
  for (let number = 1; number <= highest; number += 1) {
    if (superblocks[number] === 0) freeNumbers.push(number);
  }
}
