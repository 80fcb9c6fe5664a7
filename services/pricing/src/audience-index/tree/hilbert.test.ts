import { describe, expect, it } from '@jest/globals';
import { hilbertKey } from './hilbert.ts';

const CELLS = 2 ** 19;
/** In the middle of a cell. */
const keyOfCell = (x: number, y: number) =>
  hilbertKey(((y + 0.5) * 180e6) / CELLS - 90e6, ((x + 0.5) * 360e6) / CELLS - 180e6);

describe('the curve', () => {
  it('visits every cell of a square once and moves only between neighbours', () => {
    const cells: { x: number; y: number; key: number }[] = [];
    const corner = 291 * 64;
    for (let x = corner; x < corner + 64; x += 1) {
      for (let y = corner; y < corner + 64; y += 1) cells.push({ x, y, key: keyOfCell(x, y) });
    }
    cells.sort((a, b) => a.key - b.key);
    const steps = cells.slice(1).map((cell, at) => {
      const before = cells[at]!;
      return [cell.key - before.key, Math.abs(cell.x - before.x) + Math.abs(cell.y - before.y)];
    });
    expect(steps).toEqual(steps.map(() => [1, 1]));
  });

  it('begins and ends at the southern corners, and needs 38 bits', () => {
    expect(hilbertKey(-90e6, -180e6)).toBe(0);
    expect(hilbertKey(-90e6, 180e6)).toBe(2 ** 38 - 1);
    expect(hilbertKey(90e6, 180e6)).toBeLessThan(2 ** 38);
  });
});
