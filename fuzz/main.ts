// `npm run fuzz`: inputs that nobody sends by mistake, through the codec and the gateway, beside other readers of HTTP.
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { codecPart } from './codec/codec-part.js';
import { FindingLog } from './findings.js';
import type { FuzzPart, RunningPart } from './fuzz-part.js';
import { gatewayPart } from './gateway/gateway-part.js';
import { responsesPart } from './gateway/responses-part.js';
import { Growth } from './growth.js';
import { http2Part } from './http2/http2-part.js';
import { http2ResponsesPart } from './http2/http2-responses-part.js';
import { nginxPart } from './nginx/nginx-part.js';
import { nodePart } from './node/node-part.js';
import { nodeResponsesPart } from './node/node-responses-part.js';
import { readSettings, type Settings, usage } from './settings.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

const allParts: readonly FuzzPart[] = [
  codecPart,
  nodePart,
  nodeResponsesPart,
  nginxPart,
  gatewayPart,
  responsesPart,
  http2Part,
  http2ResponsesPart,
];
const progressMs = 5_000;
/** Of a part's time, after which its memory has settled. */
const settledPart = 1 / 3;
/** A case that runs off gives the loop a turn after so long. */
const turnMs = 50;

interface Run {
  readonly part: FuzzPart;
  readonly running: RunningPart;
  readonly settings: Settings;
  readonly log: FindingLog;
  readonly watchdog: Watchdog;
  readonly growth: Growth;
  readonly endsMs: number;
}

/** Tries cases until the time is over; gives how many. */
const runCases = async ({ part, running, settings, log, watchdog, growth, endsMs }: Run): Promise<number> => {
  const { seed } = settings;
  let next = settings.index ?? 0;
  let tried = 0;
  let turnedMs = performance.now();
  let toldMs = turnedMs;
  const place = allParts.indexOf(part);
  const line = async (): Promise<void> => {
    while (performance.now() < endsMs && (settings.index === null || tried === 0)) {
      const index = next;
      next += 1;
      tried += 1;
      watchdog.beat(place, index);
      const outcome = running.tryCase(seed, index);
      const finding = outcome instanceof Promise ? await outcome : outcome;
      if (finding !== null) log.add({ part: part.name, seed, index }, finding);
      const nowMs = performance.now();
      if (nowMs - toldMs > progressMs) {
        toldMs = nowMs;
        console.error(`${part.name}: ${tried} cases, ${log.count} findings`);
      }
      if (nowMs - turnedMs > turnMs) {
        growth.look(tried);
        await new Promise((resolve) => setImmediate(resolve));
        turnedMs = performance.now();
      }
    }
  };
  await Promise.all(Array.from({ length: settings.index === null ? running.width : 1 }, line));
  return tried;
};

const runPart = async (part: FuzzPart, settings: Settings, seconds: number, log: FindingLog, watchdog: Watchdog) => {
  const running = await part.start();
  try {
    const beganMs = performance.now();
    const growth = new Growth(part.settledCases, beganMs + seconds * settledPart * 1_000);
    const endsMs = beganMs + seconds * 1_000;
    const tried = await runCases({ part, running, settings, log, watchdog, growth, endsMs });
    console.log(`\n${part.name}: ${tried} cases`);
    if (settings.index === null) {
      const { told, finding } = growth.conclude(tried);
      if (finding !== null) log.add({ part: part.name, seed: settings.seed, index: tried }, finding);
      console.log(`            ${told}`);
    }
    const counts = [...running.counts].sort(([, one], [, other]) => other - one);
    for (const [kind, count] of counts) console.log(`${String(count).padStart(10)}  ${kind}`);
  } finally {
    await running.stop();
  }
};

const main = async (): Promise<void> => {
  const settings = readSettings(process.argv.slice(2), randomInt(2 ** 31));
  if (settings === null) {
    console.log(usage);
    return;
  }
  const wanted = allParts.filter(({ name }) => settings.only.some((only) => only === name));
  for (const { name, missing } of wanted) if (missing !== null) console.error(`${name}: ${missing}, left out`);
  const parts = wanted.filter(({ missing }) => missing === null);
  if (parts.length === 0) throw new Error('no part is left to run');
  console.error(`seed ${settings.seed}, ${settings.seconds} s for ${parts.map(({ name }) => name).join(', ')}`);
  writeFileSync(settings.file, '');
  const log = new FindingLog(settings.file);
  const watchdog = startWatchdog(
    settings.seed,
    allParts.map(({ name }) => name),
  );
  for (const part of parts) await runPart(part, settings, settings.seconds / parts.length, log, watchdog);
  await watchdog.stop();
  if (log.count === 0) {
    console.log('\nnothing was found');
    return;
  }
  console.log(`\n${log.count} findings, written to ${settings.file}\n${log.summary()}`);
  process.exitCode = 1;
};

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // What a part has left open would keep the process.
  process.exit(1);
}
