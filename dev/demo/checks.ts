/** Output and checks of the demo. The first failed check ends it. */

export function scene(title: string): void {
  console.log(`\n${title}\n${'-'.repeat(title.length)}`);
}

export function say(line: string): void {
  console.log(`  ${line}`);
}

export class NotTrue extends Error {}

export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new NotTrue(what);
}

export function mustEqual<T>(actual: T, expected: T, what: string): void {
  must(actual === expected, `${what}: ${String(expected)} was expected, ${String(actual)} found`);
}
