// `npm run bench`: Portcullis and the proxies it is compared with, on one upstream, in one run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { agents } from './agents/agents.js';
import { authentication } from './authentication/authentication.js';
import { authorization } from './authorization/authorization.js';
import { benchToken } from './bench-token.js';
import { runComparisons } from './checks/run-comparisons.js';
import { runCompressionBench } from './compression/compression.js';
import type { Contender, Place, RunningContender } from './contender.js';
import { exchange } from './exchange/exchange.js';
import { runFaults } from './faults/faults.js';
import { runHandshakeBench } from './handshakes/handshakes.js';
import { type Load, type Measurement, measure, warmUp } from './measure.js';
import { otherProxies } from './other-proxies.js';
import { runOverload } from './overload/overload.js';
import { portcullis } from './portcullis.js';
import { runReloads } from './reloads/reloads.js';
import { renderPreface, renderTable, type Series } from './report.js';
import type { Scenario } from './scenarios.js';
import { sessions } from './sessions/sessions.js';
import { readSettings, type Settings, usage } from './settings.js';
import { runSoak } from './soak/soak.js';
import { installed } from './started.js';
import { runStreams } from './streams/streams.js';
import { tracing } from './tracing/tracing.js';
import { startUpstream } from './upstream.js';
import { runUpstreamTlsBench } from './upstream-tls/upstream-tls.js';
import { variedRequests, variedScript } from './varied-requests.js';
import { runWorkers } from './workers/workers.js';

const proxyCore = 0;
const otherCore = 1;
/** A round in which something else had more of the proxy's core than this says nothing. */
const tolerableForeignShare = 0.1;
/** Behind the start of a proxy. */
const warmUpSeconds = 2;
/** At the begin of each of its rounds: the others have had theirs since the last one. */
const roundWarmUpSeconds = 1;
/** How often such a round is tried again. */
const retries = 2;

interface Entered {
  readonly contender: Contender;
  readonly running: RunningContender;
  readonly rounds: (Measurement | null)[];
}

const measureQuietly = async (entry: Entered, load: Load, keepNoisy: boolean): Promise<Measurement | null> => {
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    await warmUp(entry.running, load, roundWarmUpSeconds);
    const measurement = await measure(entry.running, load);
    if (keepNoisy || measurement.foreignShare <= tolerableForeignShare) return measurement;
    const percent = (100 * measurement.foreignShare).toFixed(0);
    console.error(`  ${entry.contender.name}: thrown away, something else had ${percent}% of the core`);
  }
  return null;
};

/** A proxy that does not start costs the others nothing, but the run has failed. */
const startOrLeaveOut = async (contender: Contender, place: Place): Promise<RunningContender | null> => {
  try {
    return await contender.start(place);
  } catch (error) {
    console.error(`${contender.name}: left out: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
    return null;
  }
};

/** The script of wrk that sends the varied requests of a scenario; null where all requests are alike. */
const loadScript = (folder: string, scenario: Scenario): string | null => {
  if (!scenario.isVaried) return null;
  const [script, requests] = [join(folder, 'varied.lua'), join(folder, 'varied-requests')];
  writeFileSync(requests, variedRequests(scenario, 'shop.example.com').join('\0'));
  writeFileSync(script, variedScript(requests));
  return script;
};

const runScenario = async (
  scenario: Scenario,
  contenders: readonly Contender[],
  settings: Settings,
  wrk: string,
): Promise<{ readonly upstream: string; readonly series: readonly Series[] }> => {
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const upstream = await startUpstream(folder, otherCore, scenario);
  const entries: Entered[] = [];
  const load: Load = {
    wrk,
    generatorCore: otherCore,
    proxyCore,
    seconds: settings.seconds,
    connections: settings.connections,
    headers: scenario.isVaried ? [] : [`Authorization: Bearer ${benchToken()}`, ...scenario.requestHeaders],
    script: loadScript(folder, scenario),
  };
  try {
    for (const contender of contenders) {
      const own = join(folder, contender.name);
      mkdirSync(own, { recursive: true });
      const running = await startOrLeaveOut(contender, { folder: own, core: proxyCore, upstreamPort: upstream.port });
      if (running === null) continue;
      entries.push({ contender, running, rounds: [] });
      await warmUp(running, load, warmUpSeconds);
    }
    for (let round = 1; round <= settings.rounds; round += 1) {
      console.error(`${scenario.name}: round ${round} of ${settings.rounds}`);
      for (const entry of entries) entry.rounds.push(await measureQuietly(entry, load, settings.keepNoisy));
    }
  } finally {
    for (const { running } of entries) await running.stop();
    await upstream.stop();
  }
  const series = entries.map(({ contender, rounds }) => ({
    name: contender.name,
    describes: contender.describes,
    rounds,
  }));
  return { upstream: upstream.name, series };
};

const runAll = async (settings: Settings): Promise<void> => {
  const wrk = installed('wrk');
  if (wrk === null || installed('taskset') === null)
    throw new Error('the benchmark needs wrk and taskset (util-linux)');
  if (cpus().length < 2) throw new Error('the benchmark needs two cores');
  const wanted = [...portcullis, ...otherProxies].filter(({ name }) => settings.only?.includes(name) ?? true);
  const unknown = (settings.only ?? []).filter((name) => !wanted.some((contender) => contender.name === name));
  if (unknown.length > 0) throw new Error(`there is no proxy "${unknown[0]}"`);
  const left = wanted.filter(({ missing }) => missing !== null);
  for (const { name, missing } of left) console.error(`${name}: ${missing}, left out`);
  const contenders = wanted.filter(({ missing }) => missing === null);
  if (contenders.length === 0) throw new Error('no proxy is left to measure');

  const tables: string[] = [];
  let upstream = '';
  for (const scenario of settings.scenarios) {
    const outcome = await runScenario(scenario, contenders, settings, wrk);
    upstream = outcome.upstream;
    tables.push(renderTable(scenario, outcome.series));
  }
  const runs = contenders.map(({ name, describes }) => `- ${name}: ${describes}`);
  const preface = renderPreface(upstream, settings.rounds, settings.seconds, settings.connections);
  const report = [preface, '', ...runs, '', tables.join('\n\n'), ''].join('\n');
  console.log(`\n${report}`);
  if (settings.writeTo !== null) writeFileSync(settings.writeTo, report);
};

const main = async ([first, ...others]: readonly string[]): Promise<void> => {
  const benchmark = [authentication, authorization, ...sessions, exchange, agents, tracing].find(
    ({ name }) => name === first,
  );
  if (benchmark !== undefined) return runComparisons(benchmark, others);
  if (first === 'overload') return runOverload(others);
  if (first === 'streams') return runStreams(others);
  if (first === 'faults') return runFaults(others);
  if (first === 'reloads') return runReloads(others);
  if (first === 'workers') return runWorkers(others);
  if (first === 'handshakes') return runHandshakeBench(others);
  if (first === 'upstream-tls') return runUpstreamTlsBench(others);
  if (first === 'compress') return runCompressionBench(others);
  if (first === 'soak') return runSoak(others);
  const settings = readSettings(process.argv.slice(2));
  if (settings === null) console.log(usage);
  else await runAll(settings);
};

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
