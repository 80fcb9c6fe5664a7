/** What `build.ts` offers, without the browser's types that its own imports bring along. */
export function buildWeb(o: { readonly report: (line: string) => void }): Promise<void>;
