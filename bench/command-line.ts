/** What the command lines of all measurements share. */

export class WrongOption extends Error {
  override readonly name = 'WrongOption';
}

export function wholeNumber(name: string, given: string | undefined, otherwise: number): number {
  const value = Number(given ?? otherwise);
  if (!Number.isInteger(value) || value < 1 || value > 60) {
    throw new WrongOption(`--${name} must be a whole number from 1 to 60`);
  }
  return value;
}
