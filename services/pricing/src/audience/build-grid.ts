/** Builds a grid, from members in any order or from an older grid and what changed since. Everything is sorted by counting. */
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import type { CountedMember } from '../members/member-document.ts';
import { COLUMNS, columnOf, ROWS, rowOf } from './cells.ts';
import { ERASED, type Grid, hasBit, type Ordinals, setBit } from './grid.ts';

export type GridBuild = {
  readonly add: (member: CountedMember) => void;
  readonly members: () => number;
  /** If a member was added twice, the later facts count. */
  readonly finish: () => Grid;
};

/** @param older a grid whose members are added first, apart from those whose ids are erased */
export function startGridBuild(older?: Grid): GridBuild {
  const ids = growing(Float64Array, older?.size);
  /** Row and column in one number. */
  const cells = growing(Uint32Array, older?.size);
  const genders = growing(Uint8Array, older?.size);
  /** By interest, the numbers of the members who have it. */
  const interests = new Map<number, Growing<Uint32Array>>();

  function add(memberId: number, cell: number, gender: number): void {
    ids.push(memberId);
    cells.push(cell);
    genders.push(gender);
  }

  function addInterest(interest: number, number: number): void {
    let interested = interests.get(interest);
    if (interested === undefined) interests.set(interest, (interested = growing(Uint32Array)));
    interested.push(number);
  }

  if (older !== undefined) {
    const numbers = addMembersOf(older, add);
    for (const [interest, ordinals] of older.interests)
      eachOrdinal(ordinals, (ordinal) => {
        const number = numbers[ordinal] as number;
        if (number !== ERASED) addInterest(interest, number);
      });
  }

  return {
    add: ({ memberId, latitude, longitude, gender, interests: wanted }) => {
      for (const interest of wanted) addInterest(interest, ids.length());
      add(memberId, rowOf(latitude) * COLUMNS + columnOf(longitude), memberGenders.indexOf(gender));
    },
    members: ids.length,
    finish: () => gridOf({ ids: ids.values(), cells: cells.values(), genders: genders.values(), interests }),
  };
}

/** @returns by ordinal, the number that the member now has */
function addMembersOf(
  older: Grid,
  add: (memberId: number, cell: number, gender: number) => void,
): Uint32Array {
  const { size, firstCells, columns, firstOrdinals, ids, ordinals } = older;
  const memberIds = new Float64Array(size);
  for (let index = 0; index < ids.length; index += 1) {
    const ordinal = Atomics.load(ordinals, index);
    if (ordinal !== ERASED) memberIds[ordinal] = ids[index] as number;
  }
  const numbers = new Uint32Array(size).fill(ERASED);
  let number = 0;
  for (let row = 0; row < ROWS; row += 1)
    for (let cell = firstCells[row] as number; cell < (firstCells[row + 1] as number); cell += 1)
      for (
        let ordinal = firstOrdinals[cell] as number;
        ordinal < (firstOrdinals[cell + 1] as number);
        ordinal += 1
      ) {
        const memberId = memberIds[ordinal] as number;
        if (memberId === 0) continue;
        // No closure for each of millions: collecting them would keep a second processor busy.
        let gender = 0;
        while (!hasBit(older.genders[gender] as Int32Array, ordinal)) gender += 1;
        add(memberId, row * COLUMNS + (columns[cell] as number), gender);
        numbers[ordinal] = number;
        number += 1;
      }
  return numbers;
}

function eachOrdinal(ordinals: Ordinals, visit: (ordinal: number) => void): void {
  if ('list' in ordinals) {
    for (let at = 0; at < ordinals.list.length; at += 1) visit(ordinals.list[at] as number);
    return;
  }
  for (let word = 0; word < ordinals.bits.length; word += 1)
    for (let left = ordinals.bits[word] as number; left !== 0; left &= left - 1)
      visit(word * 32 + 31 - Math.clz32(left & -left));
}

type Draft = {
  readonly ids: Float64Array;
  readonly cells: Uint32Array;
  readonly genders: Uint8Array;
  readonly interests: ReadonlyMap<number, Growing<Uint32Array>>;
};

function gridOf({ ids, cells, genders, interests }: Draft): Grid {
  const byId = lastOfEach(sortedById(ids), ids);
  const columns = digitsOf(cells, 1, COLUMNS);
  const rows = digitsOf(cells, COLUMNS, ROWS);
  const order = sorted(sorted(byId, columns), rows);
  const size = order.length;
  const ordinalOf = new Uint32Array(ids.length).fill(ERASED);
  for (let ordinal = 0; ordinal < size; ordinal += 1) ordinalOf[order[ordinal] as number] = ordinal;
  const own = { ids: shared(Float64Array, size), ordinals: shared(Uint32Array, size) };
  for (let index = 0; index < size; index += 1) {
    const number = byId[index] as number;
    own.ids[index] = ids[number] as number;
    own.ordinals[index] = ordinalOf[number] as number;
  }
  return {
    size,
    ...cellsOf(order, cells, genders),
    interests: new Map(
      Array.from(interests, ([interest, numbers]) => [
        interest,
        ordinalsOf(numbers.values(), ordinalOf, size),
      ]),
    ),
    ...own,
  };
}

function cellsOf(order: Uint32Array, cells: Uint32Array, genderOf: Uint8Array) {
  const size = order.length;
  let count = 0;
  for (let ordinal = 0, last = -1; ordinal < size; ordinal += 1) {
    const cell = cells[order[ordinal] as number] as number;
    if (cell !== last) count += 1;
    last = cell;
  }
  const firstCells = shared(Uint32Array, ROWS + 1);
  const columns = shared(Uint16Array, count);
  const firstOrdinals = shared(Uint32Array, count + 1);
  const genderTotals = memberGenders.map(() => shared(Uint32Array, count + 1));
  const genders = memberGenders.map(() => shared(Int32Array, Math.ceil(size / 32)));
  const totals = memberGenders.map(() => 0);
  let next = 0;
  const noteTotal = (total: number, gender: number) => {
    (genderTotals[gender] as Uint32Array)[next] = total;
  };
  for (let ordinal = 0, last = -1; ordinal < size; ordinal += 1) {
    const number = order[ordinal] as number;
    const cell = cells[number] as number;
    if (cell !== last) {
      columns[next] = cell % COLUMNS;
      firstOrdinals[next] = ordinal;
      totals.forEach(noteTotal);
      next += 1;
      firstCells[Math.floor(cell / COLUMNS) + 1] = next;
      last = cell;
    }
    const gender = genderOf[number] as number;
    totals[gender] = (totals[gender] as number) + 1;
    setBit(genders[gender] as Int32Array, ordinal);
  }
  firstOrdinals[count] = size;
  totals.forEach(noteTotal);
  // A row without cells begins where the row before it ends.
  for (let row = 1; row <= ROWS; row += 1)
    firstCells[row] = Math.max(firstCells[row] as number, firstCells[row - 1] as number);
  return { firstCells, columns, firstOrdinals, genderTotals, genders };
}

/** @param numbers of the members who have an interest */
function ordinalsOf(numbers: Uint32Array, ordinalOf: Uint32Array, size: number): Ordinals {
  const found = growing(Uint32Array, numbers.length);
  for (let index = 0; index < numbers.length; index += 1) {
    const ordinal = ordinalOf[numbers[index] as number] as number;
    if (ordinal !== ERASED) found.push(ordinal);
  }
  const ordinals = found.values();
  if (ordinals.length * 32 < size) {
    const list = shared(Uint32Array, ordinals.length);
    list.set(ordinals.toSorted());
    return { list };
  }
  const bits = shared(Int32Array, Math.ceil(size / 32));
  for (let index = 0; index < ordinals.length; index += 1) setBit(bits, ordinals[index] as number);
  return { bits };
}

/** Digits of 16 bits: four of them hold every id. */
const DIGIT = 2 ** 16;

function sortedById(ids: Float64Array): Uint32Array {
  let numbers = new Uint32Array(ids.length);
  let [largest, isSorted] = [0, true];
  for (let number = 0; number < ids.length; number += 1) {
    const id = ids[number] as number;
    if (id < largest) isSorted = false;
    else largest = id;
    numbers[number] = number;
  }
  if (isSorted) return numbers;
  for (let unit = 1; unit <= largest; unit *= DIGIT) numbers = sorted(numbers, digitsOf(ids, unit, DIGIT));
  return numbers;
}

/** @param byId the numbers of members, sorted by id; of one id the latest is the last */
function lastOfEach(byId: Uint32Array, ids: Float64Array): Uint32Array {
  const last = growing(Uint32Array, byId.length);
  for (let index = 0; index < byId.length; index += 1) {
    const number = byId[index] as number;
    if (ids[number] !== ids[byId[index + 1] as number]) last.push(number);
  }
  return last.values();
}

/** By number: what stands at this unit, to this base. */
function digitsOf(values: Float64Array | Uint32Array, unit: number, base: number): Uint16Array {
  const digits = new Uint16Array(values.length);
  for (let number = 0; number < values.length; number += 1)
    digits[number] = ((values[number] as number) / unit) % base;
  return digits;
}

/** Sorts by counting; equal ones keep their order. @param digits by number */
function sorted(numbers: Uint32Array, digits: Uint16Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(DIGIT + 1);
  // By index: typed arrays are iterated at a third of the speed.
  for (let index = 0; index < numbers.length; index += 1) {
    const after = (digits[numbers[index] as number] as number) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let digit = 1; digit <= DIGIT; digit += 1)
    next[digit] = (next[digit] as number) + (next[digit - 1] as number);
  const result = new Uint32Array(numbers.length);
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] as number;
    const digit = digits[number] as number;
    const at = next[digit] as number;
    result[at] = number;
    next[digit] = at + 1;
  }
  return result;
}

type TypedArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;
type TypedArrayType<T extends TypedArray> = {
  new (lengthOrBuffer: number | SharedArrayBuffer): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Memory that a thread may hand to another without copying. */
function shared<T extends TypedArray>(Type: TypedArrayType<T>, length: number): T {
  return new Type(new SharedArrayBuffer(length * Type.BYTES_PER_ELEMENT));
}

type Growing<T extends TypedArray> = {
  readonly push: (value: number) => void;
  readonly length: () => number;
  readonly values: () => T;
};

function growing<T extends TypedArray>(Type: TypedArrayType<T>, expected = 0): Growing<T> {
  let values = new Type(Math.max(64, expected));
  let length = 0;
  return {
    push: (value) => {
      if (length === values.length) {
        const larger = new Type(2 * length);
        larger.set(values);
        values = larger;
      }
      values[length] = value;
      length += 1;
    },
    length: () => length,
    values: () => values.subarray(0, length) as T,
  };
}
