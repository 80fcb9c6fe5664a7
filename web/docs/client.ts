/** The script of guides and references: copy buttons, languages, search, the theme, and the address of this service and a TEST key in commands. */
import './docs.css';
import { askForKey, storedKey } from './test-key.ts';
import { chooseTheme, keep } from './theme-choice.ts';

document.documentElement.dataset['script'] = 'on';

nameThisService();
fillInKey();
addCopyButtons();
letWideBlocksScroll();
chooseLanguage();
chooseTheme();
search(document.querySelector<HTMLElement>('script[data-search]')?.dataset['search'] ?? '');

/** Inserts the address of this service into commands, so that they can be pasted unchanged. */
function nameThisService(): void {
  const example = 'https://ads.example';
  for (const code of document.querySelectorAll('.code code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      // Writing the same text would lay it out again.
      if (text.data.includes(example)) text.data = text.data.replaceAll(example, location.origin);
    }
  }
}

/** Puts the TEST key of this tab where the samples have a placeholder. */
function fillInKey(): void {
  const placeholder = 'pk_test_your_key';
  const places: { readonly node: Text; readonly text: string }[] = [];
  const found = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (found.nextNode()) {
    const node = found.currentNode as Text;
    if (node.data.includes(placeholder)) places.push({ node, text: node.data });
  }
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('.test-key button')];
  const show = (key: string | null) => {
    for (const { node, text } of places) node.data = text.replaceAll(placeholder, key ?? placeholder);
    for (const button of buttons)
      button.textContent = key === null ? 'Use a TEST key of mine' : `TEST key …${key.slice(-4)}: change`;
  };
  show(storedKey());
  for (const button of buttons) button.addEventListener('click', () => askForKey(show));
}

function addCopyButtons(): void {
  for (const block of document.querySelectorAll('.code.command')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    const status = document.createElement('span');
    status.className = 'hidden';
    status.role = 'status';
    const say = (said: string) => {
      button.textContent = said;
      status.textContent = said;
      setTimeout(() => {
        button.textContent = 'Copy';
        status.textContent = '';
      }, 2_000);
    };
    button.addEventListener('click', () => {
      void copy(block.querySelector('code')?.textContent ?? '').then(say);
    });
    block.append(button, status);
  }
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(`${text}\n`);
    return 'Copied';
  } catch {
    // No permission, or no https.
    return 'Not copied';
  }
}

/** Makes wide blocks scrollable by keyboard. */
function letWideBlocksScroll(): void {
  const sizes = new ResizeObserver((entries) => {
    // All sizes are read before anything is written, so that the page is laid out once.
    const blocks = entries.map(({ target }) => ({ target, isWide: target.scrollWidth > target.clientWidth }));
    for (const { target, isWide } of blocks) {
      if (isWide) target.setAttribute('tabindex', '0');
      else target.removeAttribute('tabindex');
    }
  });
  for (const element of document.querySelectorAll('pre, .scrolls')) sizes.observe(element);
}

/** One choice for all samples of all pages. The page was painted with it (early.js). */
function chooseLanguage(): void {
  const root = document.documentElement;
  const radios = [...document.querySelectorAll<HTMLInputElement>('.languages input')];
  const show = () => {
    for (const radio of radios) radio.checked = radio.value === shownIn(radio, root.dataset['language']);
  };
  show();
  for (const radio of radios)
    radio.addEventListener('change', () => {
      const before = radio.getBoundingClientRect().top;
      root.dataset['language'] = radio.value;
      keep('language', radio.value);
      show();
      // Samples above have other lengths now: the chosen one stays where it was.
      scrollBy({ top: radio.getBoundingClientRect().top - before, behavior: 'instant' });
    });
}

/** The chosen language, or the first one where a sample does not exist in it. */
function shownIn(radio: HTMLInputElement, language: string | undefined): string | undefined {
  const all = radio.closest<HTMLElement>('.samples')?.dataset['has']?.split(' ') ?? [];
  return all.find((each) => each === language) ?? all[0];
}

type Entry = readonly [address: string, guide: string, heading: string, text: string];

function search(index: string): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  const found = document.querySelector<HTMLElement>('#found');
  const list = found?.querySelector('ul');
  const status = found?.querySelector('[role=status]');
  if (!input || !found || !list || !status) return;
  let entries: Promise<readonly Entry[]> | undefined;
  const load = () => {
    entries ??= fetch(index).then((reply) => reply.json() as Promise<readonly Entry[]>);
    entries.catch(() => (entries = undefined));
    return entries;
  };

  const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return void (found.hidden = true);
    const all = await load().catch((): readonly Entry[] => []);
    const best = bestOf(all, words);
    list.replaceChildren(...best.map((entry) => result(entry, words)));
    status.textContent = best.length === 0 ? 'Nothing found' : `${best.length} found`;
    status.classList.toggle('hidden', best.length > 0);
    found.hidden = false;
  };
  const links = () => [...list.querySelectorAll('a')];
  const move = (by: number) => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLAnchorElement) + by;
    (all[at] ?? input).focus();
  };

  input.addEventListener('focus', () => void load().catch(() => {}));
  input.addEventListener('input', () => void show());
  found.parentElement?.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && event.target === input) links()[0]?.click();
    else if (event.key === 'Escape') {
      found.hidden = true;
      input.focus();
    } else return;
    event.preventDefault();
  });
  list.addEventListener('click', () => {
    found.hidden = true;
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!found.parentElement?.contains(target as Node)) found.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const isWriting = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

const MAX_RESULTS = 8;

/** All words must occur; headings count more than text. */
function bestOf(entries: readonly Entry[], words: readonly string[]): Entry[] {
  const scored = entries.flatMap((entry) => {
    const [, guide, heading, text] = entry.map((part) => part.toLowerCase()) as unknown as Entry;
    let score = 0;
    for (const word of words) {
      if (heading.includes(word)) score += heading.startsWith(word) ? 12 : 8;
      else if (guide.includes(word)) score += 4;
      else if (text.includes(word)) score += 1;
      else return [];
    }
    return [{ entry, score: text.includes(words.join(' ')) ? score + 2 : score }];
  });
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

function result([address, guide, heading, text]: Entry, words: readonly string[]): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = address;
  const name = document.createElement('strong');
  name.textContent = heading;
  const where = document.createElement('span');
  where.textContent = heading === guide ? excerpt(text, words) : `${guide} · ${excerpt(text, words)}`;
  link.append(name, where);
  item.append(link);
  return item;
}

function excerpt(text: string, words: readonly string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - 30);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 110)}${at + 110 < text.length ? '…' : ''}`;
}
