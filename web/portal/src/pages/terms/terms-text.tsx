/** The text of the terms. A separate file, so that the Markdown parser is loaded only on this page. */
import { useMemo } from 'preact/hooks';
import { markdownElements } from './markdown.ts';

/** The title of the page and the title of the version. */
const headingsAbove = 2;

export function TermsText({ text }: { readonly text: string }) {
  const elements = useMemo(() => markdownElements(text, headingsAbove), [text]);
  return <div class="card terms">{elements}</div>;
}
