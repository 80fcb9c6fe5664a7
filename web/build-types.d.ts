/** The type of `build.ts`, without the browser types of its imports. */
export function buildWeb(o: { readonly report: (line: string) => void }): Promise<void>;
