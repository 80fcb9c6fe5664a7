/** A request to each endpoint of the specification, for what holds for all of them. */
import { endpoints, webhookEndpoints } from '../src/public-api/endpoints.ts';

export type SampleRequest = {
  readonly method: string;
  readonly path: string;
  /** As the call log names it. */
  readonly route: string;
  readonly body: string | undefined;
};

/** Bodies reach no gateway's eye, so any will do. */
export const everyEndpoint: readonly SampleRequest[] = [...endpoints, ...webhookEndpoints].map(
  ({ method, path, takesBody }) => ({
    method: method.toUpperCase(),
    path: path.replaceAll(/:\w+/g, '4711'),
    route: `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    body: takesBody ? '{}' : undefined,
  }),
);
