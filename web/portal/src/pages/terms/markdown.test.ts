import { describe, expect, it } from '@jest/globals';
import type { ComponentChild, ComponentChildren, VNode } from 'preact';
import { markdownElements } from './markdown.ts';

/** HTML to compare, with attributes in their order. */
function markup(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map((child: ComponentChild) => markup(child)).join('');
  if (typeof children !== 'object' || children === null) return String(children ?? '');
  const { type, props } = children as VNode<Record<string, unknown>>;
  const attributes = Object.entries(props)
    .filter(([name]) => name !== 'children')
    .map(([name, value]) => ` ${name}="${String(value)}"`);
  return `<${String(type)}${attributes.join('')}>${markup(props.children)}</${String(type)}>`;
}

const shown = (text: string) => markup(markdownElements(text, 2));

describe('the text of terms', () => {
  it('has headings below those of the page, paragraphs and lists', () => {
    expect(shown('# Terms\n\nYou **pay**.\n\n- one\n- two')).toBe(
      '<h3>Terms</h3><p>You <strong>pay</strong>.</p><ul><li>one</li><li>two</li></ul>',
    );
  });

  it('breaks lines only where the text asks for it, and keeps the numbers of lists', () => {
    expect(shown('Line one\nline two')).toBe('<p>Line one\nline two</p>');
    expect(shown('Line one  \nline two\\\nthree')).toBe('<p>Line one<br></br>line two<br></br>three</p>');
    expect(shown('7. seventh')).toBe('<ol start="7"><li>seventh</li></ol>');
  });

  it('shows indented text as a paragraph', () => {
    expect(shown('Above\n\n      indented')).toBe('<p>Above</p><p>indented</p>');
  });

  it('shows HTML as text', () => {
    const hostile = '<img src=x onerror=alert(1)> and <b>bold</b>';
    expect(shown(hostile)).toBe(`<p>${hostile}</p>`);
  });

  it('links to other sites and mailboxes, never to scripts or to this site', () => {
    expect(shown('[law](https://law.example/a?b=c)')).toBe(
      '<p><a href="https://law.example/a?b=c" rel="noreferrer">law</a></p>',
    );
    expect(shown('[us](mailto:us@ads.example)')).toContain('<a href="mailto:us@ads.example"');
    for (const address of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '/portal/api/sign-out',
      '//evil.example',
    ])
      expect(shown(`[here](${address})`)).not.toContain('<a');
  });

  it('has no pictures', () => {
    expect(shown('![dot](https://spy.example/dot.gif)')).not.toContain('<img');
  });

  it('has tables with column headings', () => {
    expect(shown('| A | B |\n|---|---|\n| 1 | 2 |')).toBe(
      '<table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    );
  });
});
