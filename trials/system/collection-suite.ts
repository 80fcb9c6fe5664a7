/**
 * The Postman collection that the service publishes, sent from first to last. Only what the collection uses of Postman is here: variables,
 * scripts, and bodies without files. (Newman itself brings 150 packages.)
 */
import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newOrganisation, unusedAddress } from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

type Pair = {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
  readonly contentType?: string;
};
type Events = readonly { readonly listen: string; readonly script: { readonly exec: readonly string[] } }[];
type Item = {
  readonly name: string;
  readonly event: Events;
  readonly request: {
    readonly method: string;
    readonly header: readonly Pair[];
    readonly url: {
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query?: readonly Pair[];
      readonly variable?: readonly Pair[];
    };
    readonly body?: { readonly raw?: string; readonly formdata?: readonly Pair[] };
  };
};
type Collection = {
  readonly variable: readonly Pair[];
  readonly event: Events;
  readonly item: readonly Item[];
};

export function describeCollection(system: () => TestSystem): void {
  describe('the Postman collection', () => {
    const variables = new Map<string, string>();
    let collection: Collection;
    beforeAll(async () => {
      const response = await fetch(`${system().state().gateway}/docs/postman-collection.json`);
      collection = (await response.json()) as Collection;
      for (const { key, value } of collection.variable) variables.set(key, value);
      variables.set('apiKey', (await newOrganisation(system())).key);
    });

    it('needs only a key: each request succeeds and passes its checks', async () => {
      const passed: string[] = [];
      for (const item of collection.item) {
        run(collection.event, 'prerequest', {});
        const { status, text } = await send(item);
        const response = {
          to: {
            have: {
              status: (expected: number) => expect({ status, text }).toMatchObject({ status: expected }),
            },
          },
          json: () => JSON.parse(text) as unknown,
        };
        const test = (name: string, check: () => void) => {
          check();
          passed.push(`${item.name}: ${name}`);
        };
        run(item.event, 'test', { response, test });
      }
      expect(passed.length).toBeGreaterThan(collection.item.length);
      expect(passed).toContain('Create an offer: S1');
    }, 120_000);

    const filled = (text: string) =>
      text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) =>
        name === '$guid' ? randomUUID() : (variables.get(name) ?? `no variable ${name}`),
      );

    function run(events: Events, listen: string, more: object): void {
      const collectionVariables = {
        set: (name: string, value: unknown) => variables.set(name, String(value)),
      };
      const pm = {
        variables: { get: (name: string) => variables.get(name) },
        collectionVariables,
        expect: (actual: unknown) => ({
          to: { eql: (expected: unknown) => expect(actual).toEqual(expected) },
        }),
        ...more,
      };
      for (const { script } of events.filter((event) => event.listen === listen))
        runInNewContext(script.exec.join('\n'), { pm });
    }

    async function send({ request }: Item): Promise<{ status: number; text: string }> {
      const headers = new Headers({ 'x-api-key': filled('{{apiKey}}'), 'x-forwarded-for': unusedAddress() });
      for (const { key, value } of sent(request.header)) headers.set(key, filled(value));
      const path = request.url.path.map((part) =>
        filled(request.url.variable?.find(({ key }) => part === `:${key}`)?.value ?? part),
      );
      const query = new URLSearchParams(
        sent(request.url.query ?? []).map(({ key, value }): [string, string] => [key, filled(value)]),
      );
      const { raw, formdata } = request.body ?? {};
      if (raw !== undefined) headers.set('content-type', 'application/json');
      const address = `${filled(request.url.host.join('.'))}/${path.join('/')}?${query.toString()}`;
      const body = formdata === undefined ? raw && filled(raw) : form(formdata);
      const response = await fetch(address, { method: request.method, headers, body: body ?? null });
      return { status: response.status, text: await response.text() };
    }

    function form(parts: readonly Pair[]): FormData {
      const form = new FormData();
      for (const { key, value, contentType } of sent(parts)) {
        const text = filled(value);
        form.append(key, contentType === undefined ? text : new Blob([text], { type: contentType }));
      }
      return form;
    }
  });
}

function sent<P extends Pair>(pairs: readonly P[]): readonly P[] {
  return pairs.filter(({ disabled }) => disabled !== true);
}
