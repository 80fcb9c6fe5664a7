/**
 * A field loses the focus between the press and the release of a button elsewhere. What moves the page in that moment would make the click miss.
 */
const PRESS_MS = 200;

export function afterPress(work: () => void): void {
  setTimeout(work, PRESS_MS);
}
