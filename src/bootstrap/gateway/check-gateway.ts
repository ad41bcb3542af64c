import type { CommandOutput } from '../../adapters/command-line/command-output.js';
import { counted, reportProblems } from '../../adapters/command-line/terminal-text.js';
import { zlibCoders } from '../../adapters/outbound/node-zlib-compressor/zlib-coders.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { nativeSocketsMissing } from '../../application/ports/shared/socket-layer-choice.js';
import type { AgentOptionLocator } from '../../domain/configuration/agent-option-problem.js';
import { type ConfigurationProblem, unplacedProblem } from '../../domain/configuration/configuration-problem.js';
import { boundedProblems, inFileOrder } from '../../domain/configuration/schema/problem-report.js';
import { advice } from '../../domain/configuration/whole/advice/advice-report.js';
import { adviseOnRedirects } from '../../domain/configuration/whole/advice/redirect-advice.js';
import { missingCodings } from '../../domain/gateway/configuration/compress-schema.js';
import type { GatewayConfiguration } from '../../domain/gateway/configuration/gateway-configuration.js';
import { compileRouteTable } from '../../domain/gateway/routing/route-table.js';
import { configurationFile } from '../shared/configuration-file.js';

export interface GatewayCheck {
  readonly problems: readonly ConfigurationProblem[];
  /** The content of the configuration on one line; null after an error. */
  readonly summary: string | null;
}

/** @param strict whether warnings cause exit code 1 */
export const checkOutput = ({ problems, summary }: GatewayCheck, strict = false): CommandOutput => ({
  stdout: summary === null ? '' : `${summary}\n`,
  stderr: reportProblems(problems),
  exitCode: summary === null || (strict && problems.length > 0) ? 1 : 0,
});

/** Loaded on demand: it needs all serving modules, which reading a configuration does not. */
const checkReferred = async (
  configuration: GatewayConfiguration,
  locate: AgentOptionLocator | undefined,
): Promise<readonly ConfigurationProblem[]> => {
  const { checkReferences } = await import('../shared/check-references.js');
  return checkReferences(configuration, locate);
};

/** Loads the addon for `sockets "native"`, as the start does. */
const checkSockets = async ({ system }: GatewayConfiguration): Promise<readonly ConfigurationProblem[]> => {
  if (system.sockets !== 'native') return [];
  const { SocketLayerSelector } = await import('../../adapters/stream-sockets/socket-layer-selector.js');
  const chosen = await new SocketLayerSelector().choose('native');
  return chosen.ok ? [] : [unplacedProblem('error', nativeSocketsMissing(chosen.error))];
};

/**
 * Loads a configuration and reports. `thorough` also loads what the start loads: certificates and
 * keys of listeners, keys and lists of embedded agents, the addon for `sockets "native"`.
 */
export const checkGateway = async (configFile: string, thorough: boolean): Promise<GatewayCheck> => {
  const { configuration, problems, locate } = await configurationFile(configFile).load();
  if (configuration === null) return { problems, summary: null };
  const routes = compileRouteTable(configuration.routes, re2PathPatterns);
  const codings = new Set(zlibCoders.keys());
  const faults = [...(routes.ok ? [] : routes.error), ...missingCodings(configuration.routes, codings)].map(
    ({ routeId, message }) => unplacedProblem('error', `route "${routeId}": ${message}`),
  );
  const found = thorough
    ? [...(await checkSockets(configuration)), ...(await checkReferred(configuration, locate))]
    : [];
  const all = [...problems, ...faults, ...found];
  const isValid = all.every(({ severity }) => severity !== 'error');
  return { problems: all, summary: isValid ? `The configuration is fine: ${counts(configuration)}.` : null };
};

/**
 * Reports the findings of a thorough `checkGateway`, deprecated forms, and unsafe settings. A
 * running gateway does not report the latter two.
 */
export const checkConfigurationFile = async (configFile: string): Promise<GatewayCheck> => {
  const { problems, summary } = await checkGateway(configFile, true);
  const { advise, configuration, settings, texts } = await configurationFile(configFile).load();
  const unsafe = advise?.() ?? [];
  const table = configuration === null ? null : compileRouteTable(configuration.routes, re2PathPatterns);
  const redirects =
    configuration !== null && table?.ok ? adviseOnRedirects(configuration, table.value, settings ?? []) : [];
  const found = [
    ...problems,
    ...(await deprecatedForms(texts ?? new Map())),
    ...unsafe,
    ...redirects,
    ...(await readableSecrets(unsafe)),
  ];
  return { problems: boundedProblems(inFileOrder(found)), summary };
};

const deprecatedForms = async (texts: ReadonlyMap<string, string>): Promise<readonly ConfigurationProblem[]> => {
  const { migrateText } = await import('../../adapters/outbound/kdl-configuration/migrate-text.js');
  return [...texts].flatMap(([file, text]) => {
    const { changes, left } = migrateText(text);
    const count = changes.length + left.length;
    const [first] = [...changes, ...left];
    if (first === undefined) return [];
    const places = count === 1 ? 'one place is' : `${count} places are`;
    const position = { file, line: first.line, column: 1 };
    return [advice('deprecated-form', `${places} written as in earlier versions: ${first.message}`, position, null)];
  });
};

/** Reports files with secrets that other users can read. */
const readableSecrets = async (unsafe: readonly ConfigurationProblem[]): Promise<readonly ConfigurationProblem[]> => {
  const { isReadableByOthers } = await import('../../adapters/outbound/node-text-files/replace-text-file.js');
  const secret = unsafe.filter(({ id }) => id === 'plain-secret');
  const files = [...new Set(secret.flatMap(({ position }) => position?.file ?? []))];
  const open = await Promise.all(files.map(isReadableByOthers));
  return files
    .filter((_file, index) => open[index])
    .map((file) =>
      advice(
        'secrets-readable-by-others',
        'every user of this host can read it: restrict its permissions',
        { file, line: 1, column: 1 },
        null,
      ),
    );
};

const counts = ({ listeners, routes, upstreams, agents }: GatewayConfiguration): string =>
  [
    counted(listeners.length, 'listener'),
    counted(routes.length, 'route'),
    counted(upstreams.length, 'upstream'),
    counted(agents.length, 'agent'),
  ].join(', ');
