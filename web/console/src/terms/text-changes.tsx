/** The changes between two texts, line by line. */
import { changedLines } from './changed-lines.ts';

type TextChangesProps = { readonly before: string; readonly after: string };

export function TextChanges({ before, after }: TextChangesProps) {
  if (before === after) return <p>Nothing is changed.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard.
    <pre class="diff" tabIndex={0} aria-label="Changed lines">
      {changedLines(before, after).map((line, index) => {
        if (line === null) return <span key={index}>…</span>;
        const text = line.slice(1);
        if (line.startsWith('+')) return <ins key={index}>+ {text}</ins>;
        if (line.startsWith('-')) return <del key={index}>− {text}</del>;
        return <span key={index}> {text}</span>;
      })}
    </pre>
  );
}
