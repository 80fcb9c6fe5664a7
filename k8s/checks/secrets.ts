/** The Secrets that External Secrets makes in production, those of backups and of a restore among them. */

import type { Manifest } from '../render/patch.ts';
import { manifestsOf } from './overlays.ts';

export type ExternalSecret = Manifest & {
  readonly spec: {
    readonly target: {
      readonly name: string;
      readonly template: { readonly type?: string; readonly data: Readonly<Record<string, string>> };
    };
    readonly data: readonly {
      readonly secretKey: string;
      readonly remoteRef: { readonly key: string; readonly property: string };
    }[];
  };
};

/** What a person has put into the store of secrets, by its key and property. */
export type LookUp = (key: string, property: string) => string;

export function externalSecrets(): ExternalSecret[] {
  return manifestsOf('overlays/production/restore').filter(
    ({ kind }) => kind === 'ExternalSecret',
  ) as ExternalSecret[];
}

export function secretData({ spec }: ExternalSecret, lookUp: LookUp): Record<string, string> {
  const known = new Map(
    spec.data.map(({ secretKey, remoteRef }) => [secretKey, lookUp(remoteRef.key, remoteRef.property)]),
  );
  return Object.fromEntries(
    Object.entries(spec.target.template.data).map(([name, template]) => [
      name,
      template.replaceAll(/\{\{(.*?)\}\}/g, (_, expression: string) => {
        const value = known.get(/^ \.(\w+) $/.exec(expression)?.[1] ?? '');
        if (value === undefined) throw new Error(`${spec.target.name}: {{${expression}}} is not known`);
        return value;
      }),
    ]),
  );
}
