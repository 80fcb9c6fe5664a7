/** Which traces are recorded: OpenTelemetry's settings `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`, asked without its SDK. */
import type { TraceIds } from './trace-context.ts';

/**
 * Whether the work that enters this process, or begins here, is recorded.
 * @param parent the work of another process, or of the past, that it continues
 */
export type Sampler = (traceId: string, parent: TraceIds | null) => boolean;

type Decide = (traceId: string) => boolean;
const decisions: Readonly<Record<string, (ratio: number) => Decide>> = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: (ratio) => (traceId) => shareOf(traceId) < ratio,
};
const ofParent = 'parentbased_';
const names = Object.keys(decisions).flatMap((name) => [name, `${ofParent}${name}`]);

/** @throws Error for a setting that is not known, so that a typing error does not send everything or nothing */
export function samplerOf(env: NodeJS.ProcessEnv): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || `${ofParent}always_on`;
  const argument = env.OTEL_TRACES_SAMPLER_ARG || '1';
  const ratio = Number(argument);
  const decision = decisions[name.replace(ofParent, '')];
  if (!names.includes(name) || decision === undefined)
    throw new Error(`OTEL_TRACES_SAMPLER is ${name}, and must be one of ${names.join(', ')}`);
  if (!(ratio >= 0 && ratio <= 1))
    throw new Error(`OTEL_TRACES_SAMPLER_ARG is ${argument}, and must be a number from 0 to 1`);
  const decide = decision(ratio);
  return name.startsWith(ofParent)
    ? (traceId, parent) => (parent === null ? decide(traceId) : parent.isSampled)
    : decide;
}

/** From 0 to 1, of the digits that are random in every trace id: all services choose the same traces. */
function shareOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52;
}
