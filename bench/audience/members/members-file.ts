/** The population as lines of text that Postgres copies, neighbours beside each other, so that they share pages. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { interestsOf, type Population } from './population.ts';

/** Tabs between: id, latitude and longitude in microdegrees, gender as a bit, interests as an array of Postgres. */
export async function writeMembersFile(file: string, population: Population): Promise<void> {
  await pipeline(Readable.from(chunks(population)), createWriteStream(file));
}

const LINES_OF_A_CHUNK = 10_000;

function* chunks(population: Population): Generator<string> {
  const { memberIds, latitudesE6, longitudesE6, genderBits, interestBits } = population;
  let lines: string[] = [];
  for (const row of hilbertOrder(population)) {
    const interests = interestsOf(interestBits[row] ?? 0).join(',');
    lines.push(
      `${memberIds[row]}\t${latitudesE6[row]}\t${longitudesE6[row]}\t${genderBits[row]}\t{${interests}}\n`,
    );
    if (lines.length < LINES_OF_A_CHUNK) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

/** The place in line takes 26 bits, the key the other 38. */
const ROW_BITS = 26;
const BITS_OF_AN_AXIS = 19;

function* hilbertOrder({ size, latitudesE6, longitudesE6 }: Population): Generator<number> {
  const keyed = new BigUint64Array(size);
  const halves = new Uint32Array(keyed.buffer);
  const scale = 2 ** BITS_OF_AN_AXIS / 360_000_001;
  for (let row = 0; row < size; row += 1) {
    const x = Math.floor(((longitudesE6[row] ?? 0) + 180_000_000) * scale);
    const y = Math.floor(((latitudesE6[row] ?? 0) + 90_000_000) * scale);
    const key = hilbertKey(x, y);
    const lowBits = 32 - ROW_BITS;
    halves[2 * row] = (key % 2 ** lowBits) * 2 ** ROW_BITS + row;
    halves[2 * row + 1] = Math.floor(key / 2 ** lowBits);
  }
  keyed.sort();
  for (let at = 0; at < size; at += 1) yield (halves[2 * at] ?? 0) % 2 ** ROW_BITS;
}

/** How far along Hilbert's curve through a square of 2^19 by 2^19. */
function hilbertKey(x: number, y: number): number {
  let [right, up, key] = [x, y, 0];
  for (let side = 2 ** (BITS_OF_AN_AXIS - 1); side >= 1; side /= 2) {
    const [east, north] = [(right & side) === 0 ? 0 : 1, (up & side) === 0 ? 0 : 1];
    key = key * 4 + ((3 * east) ^ north);
    if (north === 1) continue;
    if (east === 1) [right, up] = [2 * side - 1 - right, 2 * side - 1 - up];
    [right, up] = [up, right];
  }
  return key;
}
