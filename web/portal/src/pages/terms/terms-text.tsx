/** The words of the terms. A page of its own for the script, which nobody loads who reads no terms. */
import { useMemo } from 'preact/hooks';
import { markdownElements } from './markdown.ts';

/** Below the title of the page and that of the version. */
const headingsAbove = 2;

export function TermsText({ text }: { readonly text: string }) {
  const elements = useMemo(() => markdownElements(text, headingsAbove), [text]);
  return <div class="card terms">{elements}</div>;
}
