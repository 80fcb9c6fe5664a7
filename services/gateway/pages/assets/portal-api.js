/** The portal API as the pages call it. */

/** Longer than the service allows itself for any such request. */
const timeoutMs = 10_000;

/** @returns {Promise<{status: number, body: any}>} status 0: there was no reply. */
export async function call(method, path, { json, csrfToken } = {}) {
  const headers = {
    accept: 'application/json',
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken }),
  };
  try {
    const response = await fetch(`/portal/api${path}`, {
      method,
      headers,
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const body = response.status === 204 ? {} : await response.json();
    return { status: response.status, body, retryAfter: Number(response.headers.get('retry-after')) };
  } catch {
    return { status: 0, body: {}, retryAfter: 0 };
  }
}

/** What a person is told of a request that did not do what it should. */
export function explain({ status, body, retryAfter }) {
  if (status === 0) return 'The portal cannot be reached. Check your connection and try again.';
  if (status === 429) return `That was too often. Please try again in ${inWords(retryAfter)}.`;
  if (status >= 500) return 'The portal is not available at the moment. Please try again in a minute.';
  return typeof body.message === 'string' ? `${body.message}.` : 'That did not work. Please try again.';
}

function inWords(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 1 ? 'a minute' : `${minutes} minutes`;
}

export const element = (id) => document.getElementById(id);

/** Read out by screen readers, and where the keyboard goes on. */
export function notify(text, { isProblem = false } = {}) {
  const notice = element('notice');
  notice.textContent = text;
  notice.classList.toggle('problem', isProblem);
  if (text !== '') notice.focus();
}

/** No second click while the first is under way. */
export async function whileBusy(button, work) {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  try {
    await work();
  } finally {
    button.ariaDisabled = null;
  }
}
