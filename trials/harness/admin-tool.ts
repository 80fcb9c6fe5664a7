/** The commands of the admin tool, run in this process, because a start of the tool takes half a second. */
import { readAdminSettings } from '@offer-ads/admin/config';
import { runAdmin } from '@offer-ads/admin/run';
import { createTools } from '@offer-ads/admin/tools';
import { eventually } from '@offer-ads/testing/waiting/eventually';

/** Returns what `--json` prints, also when a check found something. */
export type AdminTool = <T>(...words: readonly string[]) => Promise<T>;

export function adminToolOf(env: () => NodeJS.ProcessEnv): AdminTool {
  return async <T>(...words: readonly string[]): Promise<T> => {
    const result = await eventually(async () => {
      let printed = '';
      const out = (line: string) => void (printed += line);
      await runAdmin([...words, '--json'], () => createTools(readAdminSettings(env())), { out, err: out });
      const result = JSON.parse(printed) as { readonly error?: string };
      // A busy machine may answer 503, so the command is repeated. Every other refusal is the trial's to judge.
      if (result.error?.includes('Service unavailable (HTTP 503)') === true) throw new Error(result.error);
      return result;
    });
    if (result.error !== undefined) throw new Error(`${words.join(' ')}: ${result.error}`);
    return result as T;
  };
}
