/** A letter is what a mail says; its text and its HTML are two renderings of the same, so neither can say less. */
import { escapeHtml, oneLine } from './plain-text.ts';

export type Letter = {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Label and value, one line each. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Why the reader gets this. */
  readonly reason: string;
};

export type Message = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Beside those that every mail has; names and values are our own, never from outside. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Whatever the letter holds, headers cannot be added, nor markup. */
export function render(letter: Letter): Message {
  const clean = cleaned(letter);
  return { subject: clean.subject, text: asText(clean), html: asHtml(clean) };
}

function cleaned(letter: Letter): Letter {
  return {
    subject: oneLine(letter.subject),
    heading: oneLine(letter.heading),
    paragraphs: letter.paragraphs.map(oneLine),
    facts: letter.facts.map(([label, value]) => [oneLine(label), oneLine(value)] as const),
    reason: oneLine(letter.reason),
    ...(letter.action === undefined
      ? {}
      : { action: { label: oneLine(letter.action.label), url: oneLine(letter.action.url) } }),
  };
}

function asText({ heading, paragraphs, facts, action, reason }: Letter): string {
  const blocks = [
    heading,
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    action === undefined ? '' : `${action.label}:\n${action.url}`,
    `--\n${reason}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Tables and inline styles, because that is what mail readers understand; one column, so that a phone shows it whole. */
function asHtml({ subject, heading, paragraphs, facts, action, reason }: Letter): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0;background:#f3f4f6;color:#1f2933;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:8px">
<tr><td style="padding:32px 24px">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(heading)}</h1>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`).join('\n')}
${facts.length === 0 ? '' : factsTable(facts)}
${action === undefined ? '' : button(action)}
<p style="margin:24px 0 0;padding-top:16px;border-top:1px solid #e4e7eb;font-size:13px;color:#616e7c">${escapeHtml(reason)}</p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function factsTable(facts: Letter['facts']): string {
  const cell = 'padding:8px 0;border-top:1px solid #e4e7eb;vertical-align:top';
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td style="${cell};width:38%;color:#616e7c">${escapeHtml(label)}</td><td style="${cell}">${escapeHtml(value)}</td></tr>`,
  );
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;word-break:break-word">\n${rows.join('\n')}\n</table>`;
}

/** The address is written out too, for readers that show no links and for people who distrust buttons. */
function button({ label, url }: { label: string; url: string }): string {
  const href = escapeHtml(url);
  return `<p style="margin:24px 0 8px"><a href="${href}" style="display:inline-block;padding:12px 20px;background:#1c64b4;color:#ffffff;border-radius:6px;text-decoration:none;font-weight:600">${escapeHtml(label)}</a></p>
<p style="margin:0;font-size:13px;color:#616e7c;word-break:break-all">${href}</p>`;
}
