/** `npm run bench:gateway`: our gateway, nginx and Caddy before one upstream, in alternation. See bench/README.md. */
import { percent } from '../markdown.ts';
import { machine, publish, runMeasurement, say } from '../run-measurement.ts';
import { checkPeers } from './check.ts';
import { InvalidRun, measure, type Sample } from './measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type PeerName, startPeers } from './peers/peers.ts';
import { findPrograms, ProgramsMissing, versionsOf } from './peers/programs.ts';
import { reportOf } from './report.ts';
import { clientsFor, requestPath } from './requests.ts';
import { setStage } from './stage.ts';
import { saturate } from './wrk.ts';

await runMeasurement({ usage, readOptions, run, forPeople: [ProgramsMissing, InvalidRun] });

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const programs = await findPrograms(say);
  const versions = await versionsOf(programs);
  const stage = await setStage(opened, { nginx: programs.nginx, report: say });
  const peers = await startPeers(opened, {
    stage,
    programs,
    names: options.peers,
    starts: options.starts,
    keysInUse: options.keysInUse,
  });
  await checkPeers(peers, { upstreamUrl: `http://127.0.0.1:${stage.upstreamPort}` });
  say('All peers answer the same; those with a limit refuse the 61st request of one client.');

  const clients = clientsFor(options.firstWarmUpSeconds + options.warmUpSeconds + options.seconds);
  for (const peer of peers) {
    await saturate(
      programs.wrk,
      { url: `${peer.url}${requestPath}`, keysFile: peer.keysFile, clients },
      options.firstWarmUpSeconds,
    );
  }
  const samples = new Map<PeerName, Sample[]>(options.peers.map((name) => [name, []]));
  const invalid: string[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const peer of round % 2 === 1 ? peers : peers.toReversed()) {
      try {
        const sample = await measure(peer, { clients }, { ...options, wrk: programs.wrk });
        samples.get(peer.name)?.push(sample);
        say(told(round, peer.name, sample));
      } catch (error) {
        if (!(error instanceof InvalidRun)) throw error;
        invalid.push(`round ${round}, ${error.message}`);
        say(invalid.at(-1) ?? '');
      }
    }
  }
  const report = reportOf({ samples, options, clients, versions, machine: machine() });
  publish('gateway', report, options.write && invalid.length === 0);
  if (invalid.length > 0)
    throw new InvalidRun(`Not to be used, because runs are invalid:\n${invalid.join('\n')}`);
}

function told(round: number, name: PeerName, sample: Sample): string {
  const { requestsPerSecond, cpuMicrosPerRequest, saturatedP99Ms, steadyP50Ms, foreignLoad } = sample;
  return (
    `round ${round} ${name.padEnd(14)} ${requestsPerSecond.toFixed(0).padStart(6)}/s ` +
    `${cpuMicrosPerRequest.toFixed(1).padStart(6)} µs  p99 ${saturatedP99Ms.toFixed(2)} ms  ` +
    `at 1,500/s p50 ${steadyP50Ms.toFixed(3)} ms  others ${percent(foreignLoad)}`
  );
}
