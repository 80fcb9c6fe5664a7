/** Who opens a click address: a person, a program that says that it is one, or nobody yet. */

/** `bot`: counted beside the figures. `nobody`: a browser that loads the page in case somebody clicks, or a program that only looks. */
export type Visitor = 'person' | 'bot' | 'nobody';

type Header = string | readonly string[] | undefined;

/** Headers of browsers that load ahead: of today's (`sec-purpose`), and of older ones. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const loadsAhead = /prefetch|prerender|preview/i;
/** Words by which programs say what they are. Phones of the make Cubot are no programs. */
const declaredBot =
  /(?<!cu)bot\b|crawl|spider|slurp|preview|externalhit|externalagent|^whatsapp|headless|lighthouse|http-?client|node-fetch|undici|^node|python|curl|wget|^java\b|go-http|okhttp|axios|libwww|scrapy/i;

export function visitorOf(method: string | undefined, headers: Readonly<Record<string, Header>>): Visitor {
  if (method === 'HEAD' || purposes.some((name) => loadsAhead.test(String(headers[name] ?? ''))))
    return 'nobody';
  const agent = String(headers['user-agent'] ?? '');
  // Every browser names itself.
  return agent === '' || declaredBot.test(agent) ? 'bot' : 'person';
}
