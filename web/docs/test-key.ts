/**
 * A TEST key for the samples of this tab: pasted, or created by the signed-in person with the portal's own call. It is kept in the session
 * storage of this tab alone; the portal's sign-out and the end of the tab delete it. The service keeps no key that could be filled in by itself.
 */
import type { IssuedKeyReply } from '@offer-ads/contracts/portal/organisation-api';
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';

const storageName = 'test-key';
const portalApi = '/portal/api';

export function storedKey(): string | null {
  try {
    return sessionStorage.getItem(storageName);
  } catch {
    return null;
  }
}

/** @param changed called after the key was set or removed */
export function askForKey(changed: (key: string | null) => void): void {
  const input = element('input', {
    id: 'test-key',
    autocomplete: 'off',
    spellcheck: false,
    value: storedKey() ?? '',
  });
  const fault = element('p', { className: 'fault', role: 'alert' });
  const create = element('p', {});
  const dialog = element('dialog', { className: 'stack', ariaLabel: 'A TEST key for the samples' });
  const take = (key: string | null) => {
    keepKey(key);
    changed(key);
    dialog.close();
  };
  const use = () => {
    const key = input.value.trim();
    if (/^pk_test_[\w-]{8,200}$/.test(key)) return take(key);
    fault.textContent = key.startsWith('pk_live_')
      ? 'That is a LIVE key. The samples take TEST keys alone.'
      : 'A TEST key begins with pk_test_.';
    input.focus();
  };
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') use();
  });
  dialog.append(
    element('h2', { textContent: 'A TEST key for the samples' }),
    element('p', {
      textContent:
        'It is put into all samples of this tab, and into what you copy. It is forgotten when the tab is closed.',
    }),
    element('label', { htmlFor: input.id, textContent: 'TEST key' }),
    input,
    fault,
    create,
    row(
      button('Use it', use),
      ...(storedKey() === null ? [] : [button('Remove it', () => take(null), 'quiet')]),
      button('Close', () => dialog.close(), 'quiet'),
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  void offerToCreate(
    create,
    (key) => take(key),
    (words) => (fault.textContent = words),
  );
}

/** Shows a button to those who may create keys. */
async function offerToCreate(
  place: HTMLElement,
  created: (key: string) => void,
  failed: (words: string) => void,
): Promise<void> {
  const session = await ask<SessionReply>('GET', '/session');
  if (!session.ok)
    return place.append(element('a', { href: '/portal', textContent: 'Sign in to create one' }));
  const { permissions, organisation, csrfToken } = session.body;
  if (!permissions.includes('keys')) return;
  const send = async () => {
    create.disabled = true;
    const body = { mode: 'TEST', name: 'Samples of the docs' };
    const reply = await ask<IssuedKeyReply>('POST', '/keys', { csrfToken, body });
    create.disabled = false;
    if (reply.ok) created(reply.body.key);
    else failed(reply.message);
  };
  const create = button(`Create a TEST key of ${organisation.tradingName}`, () => void send(), 'quiet');
  place.append(create);
}

type Answer<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly message: string };

async function ask<Body>(
  method: 'GET' | 'POST',
  path: string,
  { csrfToken, body }: { readonly csrfToken?: string; readonly body?: object } = {},
): Promise<Answer<Body>> {
  try {
    const reply = await fetch(portalApi + path, {
      method,
      headers: {
        ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const answer = (await reply.json()) as unknown;
    return reply.ok
      ? { ok: true, body: answer as Body }
      : { ok: false, message: (answer as { readonly message: string }).message };
  } catch {
    return {
      ok: false,
      message: 'The portal does not answer. Look at its list of keys before you try again.',
    };
  }
}

const DEADLINE_MS = 20_000;

function keepKey(key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(storageName);
    else sessionStorage.setItem(storageName, key);
  } catch {
    // Storage is not available: the key lasts until the page is left.
  }
}

function row(...parts: readonly HTMLElement[]): HTMLElement {
  const group = element('div', { className: 'row' });
  group.append(...parts);
  return group;
}

function button(text: string, work: () => void, kind = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', className: kind, textContent: text });
  made.addEventListener('click', work);
  return made;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
