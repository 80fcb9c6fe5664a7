import { everyPython, whyNoPython } from './python-tools.ts';

/**
 * For tests that need Python; nothing else in the repository does. In CI nothing is skipped: there the tests fail and say what is missing.
 * A worker loads this module once for all test files, so each of them chooses with its own `describe`.
 */
export const isPythonSkipped = whyNoPython !== null && process.env.CI !== 'true';
if (isPythonSkipped)
  console.warn(`${whyNoPython}: the tests of the Python client and of generators are not run`);
const others = [10, 13].filter((promised) => everyPython.every(({ minor }) => minor !== promised));
if (others.length > 0) console.warn(`The Python client is not tried on 3.${others.join(' and 3.')}`);
