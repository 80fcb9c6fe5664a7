/** The text of terms as advertisers see it in the portal: the portal's own renderer. */
import { useMemo } from 'preact/hooks';
import { markdownElements } from '../../../portal/src/pages/terms/markdown.ts';
import '../../../portal/src/pages/terms/terms.css';
import './terms.css';

/** The title of the page and the title of the version, as in the portal. */
const headingsAbove = 2;

export function TermsText({ text }: { readonly text: string }) {
  const elements = useMemo(() => markdownElements(text, headingsAbove), [text]);
  return <div class="card terms">{elements}</div>;
}
