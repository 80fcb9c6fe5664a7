/**
 * Prints the namespace of the overlay dev and its Secrets, random ones:
 *
 *     node k8s/dev-secrets.ts | kubectl create -f -
 *
 * `create`, so that what is there already is never replaced: stores have taken its passwords in.
 */
import { devNamespace, secretsOfDev } from './secrets-of-dev.ts';

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: devNamespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};
const list = { apiVersion: 'v1', kind: 'List', items: [namespace, ...secretsOfDev()] };
process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
