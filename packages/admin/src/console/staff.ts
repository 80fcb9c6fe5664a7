/** Who of the platform's own people may sign in to the console, and by which tokens: the setting CONSOLE_STAFF. */
import { createHash, timingSafeEqual } from 'node:crypto';

type Entry = { readonly name: string; readonly proof: Buffer };

/** Removed means out at once: a session is worth nothing once its `proof` is no longer among these. */
export type Staff = {
  /** What the session keeps of the token, or null. Takes the same time whoever asks, with whatever. */
  readonly prove: (name: string, token: string) => Buffer | null;
  readonly has: (name: string, proof: Buffer) => boolean;
};

/** It travels in a header and stands in audit logs. */
const namePattern = /^[a-z0-9][a-z0-9.@_-]{0,63}$/;
/** 32 characters: not to be guessed. Neither a comma nor a blank, so that the list is read in one way only. */
const tokenPattern = /^[!-+\--~]{32,200}$/;

export type StaffProblem = string;

/** `ann:TOKEN,bo:TOKEN`; somebody whose token is replaced stands there twice meanwhile. */
export function parseStaff(
  setting: string,
): { ok: true; staff: Staff } | { ok: false; problem: StaffProblem } {
  const entries: Entry[] = [];
  for (const [index, part] of setting.split(',').entries()) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon));
    const token = part.slice(colon + 1);
    // Never the text itself, which may be a token in the wrong place.
    const where = `entry ${index + 1}`;
    if (!namePattern.test(name))
      return wrong(`${where} must begin with a name of lower case letters, digits, ".", "@", "_" or "-"`);
    if (!tokenPattern.test(token))
      return wrong(
        `${where} must have a token of 32 to 200 characters, for example from \`openssl rand -hex 32\``,
      );
    const proof = digest(token);
    if (entries.some((entry) => entry.proof.equals(proof)))
      return wrong(`${where} has the token of another entry, and nobody could tell who it was`);
    entries.push({ name, proof });
  }
  return { ok: true, staff: staffOf(entries) };
}

function staffOf(entries: readonly Entry[]): Staff {
  const has = (name: string, proof: Buffer) =>
    // Every entry is compared, whether one was found or not.
    entries.map((entry) => timingSafeEqual(entry.proof, proof) && entry.name === name).includes(true);
  return {
    has,
    prove: (name, token) => {
      const proof = digest(token);
      return has(name, proof) ? proof : null;
    },
  };
}

export const nobody: Staff = staffOf([]);

function wrong(problem: StaffProblem) {
  return { ok: false, problem } as const;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
