/** The events of each service in its README, between two marks, from their declarations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allEvents } from '@offer-ads/contracts/events/events';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from './start/folder.ts';

const marked = /(?<=<!-- events: begin -->\n)[^]*?(?=<!-- events: end -->)/;

/** Path and text of each README. */
export function readmesWithEvents(): [string, string][] {
  return serviceNames.map((service) => {
    const path = `services/${service}/README.md`;
    const text = readFileSync(join(repository, path), 'utf8');
    if (!marked.test(text)) throw new Error(`${path} has lost the marks between which events are listed`);
    return [path, text.replace(marked, `${eventsOf(service)}\n`)];
  });
}

function eventsOf(service: ServiceName): string {
  const emitted = allEvents.filter(({ owner }) => owner === service);
  const consumed = allEvents.filter(({ consumers }) => consumers.includes(service));
  return `**Emits** ${namesOf(emitted)}. **Consumes** ${namesOf(consumed)}.`;
}

function namesOf(events: readonly { readonly name: string }[]): string {
  return events.map(({ name }) => name).join(', ') || 'nothing';
}
