/**
 * The same in several languages. With script one language is shown, chosen once for all pages; without it all are shown, one below
 * another (client.ts, early.js, docs.css).
 */

export const languages = { sh: 'curl', ts: 'Node', python: 'Python' } as const;
export type Language = keyof typeof languages;
export type Sample = { readonly language: Language; readonly code: string };

export function isLanguage(text: string): text is Language {
  return text in languages;
}

/** @param name different for each group of a page: radio buttons of one name exclude each other */
export function samplesHtml(
  name: string,
  samples: readonly { readonly language: Language; readonly html: string }[],
): string {
  const choices = samples.map(
    ({ language }, at) =>
      `<label><input type="radio" name="${name}" value="${language}"${at === 0 ? ' checked' : ''}>${languages[language]}</label>`,
  );
  const parts = samples.map(
    ({ language, html }) =>
      `<div class="sample" data-language="${language}">\n<p class="language">${languages[language]}</p>\n${html}</div>`,
  );
  return `<div class="samples" data-has="${samples.map(({ language }) => language).join(' ')}">
<fieldset class="languages"><legend class="hidden">Language of all samples</legend>${choices.join('')}</fieldset>
${parts.join('\n')}
</div>
`;
}
