import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { LiveSamlProvider } from '../../support/agent/live-saml-provider.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { runAgent, runGateway } from '../../support/shared/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const xmlPackages = /node_modules\/(?:@xmldom\/|xml|fast-xml|xpath)/;
/** Packages of features that have to be configured. */
const optional =
  /node_modules\/(?:undici|@peculiar|asn1js|prom-client|@opentelemetry|@grpc|redis|@redis|better-sqlite3|pino-pretty|@node-rs|@xmldom|xml-|fast-xml)/;

const storePackages = /node_modules\/(?:better-sqlite3|redis|@redis)\//;

/** The files that programs have loaded, as Node writes them to this folder when it ends. */
const loadedFiles = (coverage: string): readonly string[] =>
  readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(`${coverage}/${name}`, 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });

/** The scripts that the agent has loaded on its main thread, from its start until it was told to end. */
const loadedBy = async (cleanUp: CleanUp, folder: TemporaryFolder, config: string): Promise<readonly string[]> => {
  const configFile = folder.write('agent.kdl', config);
  const coverage = folder.file('coverage');
  const args = ['--config', configFile, '--agent', 'auth', '--socket', folder.file('agent.sock')];
  const agent = runAgent(args, { NODE_V8_COVERAGE: coverage });
  cleanUp.add(() => agent.stop());
  await agent.wrote(/The agent listens/);
  agent.signal('SIGTERM');
  expect((await agent.exited).code).toBe(0);
  return loadedFiles(coverage);
};

const agentWith = (members: string): string => `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health" } }
agents { agent "auth" { transport "embedded"; events "request_headers" "request_body_chunk"; config { ${members} } } }
`;

describe('the agent', () => {
  it('loads no package of an unconfigured feature', async ({ cleanUp, folder }) => {
    const config = agentWith('jwt-secret "a-secret-of-at-least-thirty-two-bytes"');
    const scripts = await loadedBy(cleanUp, folder, config);
    expect(scripts.filter((url) => optional.test(url))).toEqual([]);
    // What every start needs comes in a few files: our own modules, the parser of the configuration, inversify, jose.
    expect(scripts.filter((url) => /\/dist\/programs\/main-gateway-auth\.js$/.test(url))).toHaveLength(1);
    const single =
      /^(?!.*\/node_modules\/).*\/dist\/(?!programs\/)|node_modules\/(?:kdljs|chevrotain|lodash-es|@?inversify(?:js)?|jose)\//;
    expect(scripts.filter((url) => single.test(url))).toEqual([]);
  });

  it('loads no XML package on its main thread after reading metadata', async ({ cleanUp, folder }) => {
    const provider = new LiveSamlProvider();
    await provider.start();
    cleanUp.add(() => provider.stop());
    const config = agentWith(`saml {
      enabled #true
      entity-id "urn:example:portcullis"
      acs-url "http://127.0.0.1/saml/acs"
      idp-metadata-url "${provider.origin}/metadata"
      session-store-path "${folder.file('store/sessions.db')}"
    }`);
    const scripts = await loadedBy(cleanUp, folder, config);
    expect(provider.metadataRequests).toBe(1);
    expect(scripts.filter((url) => xmlPackages.test(url))).toEqual([]);
    expect(scripts.filter((url) => storePackages.test(url))).not.toEqual([]);
  });
});

describe('a gateway', () => {
  /** What every start needs, and is in the bundles for that reason. */
  const bundled =
    /^(?!.*\/node_modules\/).*\/dist\/(?!programs\/)|node_modules\/(?:kdljs|@?chevrotain|lodash-es|@bgotink|@?inversify(?:js)?|jose|commander|reflect-metadata)\//;
  /** Classes in the bundles, by the feature that they are of. */
  const optionalClasses = ['KqlParser', 'AuthAgent', 'JoseVerificationKeys', 'OtelTracer', 'SqliteStoreOpener'];

  const definedIn = (texts: readonly string[], names: readonly string[]): readonly string[] =>
    names.filter((name) => texts.some((text) => new RegExp(`\\b${name} = class\\b|\\bclass ${name}\\b`).test(text)));

  const loadedWith = async (cleanUp: CleanUp, system: string, begun: RegExp): Promise<readonly string[]> => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const file = folder.write(
      'gateway.kdl',
      `system { ${system} }
       listeners { listener "main" { address "127.0.0.1:0" } }
       routes { route "all" { matches { path-prefix "/" }; upstream "u" } }
       upstreams { upstream "u" { target "127.0.0.1:9" } }`,
    );
    const coverage = folder.file('coverage');
    const gateway = runGateway(['--config', file], { NODE_V8_COVERAGE: coverage, GATEWAY_WORKER_THREADS: '' });
    cleanUp.add(() => gateway.stop());
    await gateway.wrote(begun);
    gateway.signal('SIGTERM');
    expect((await gateway.exited).code).toBe(0);
    return loadedFiles(coverage);
  };

  it.for([
    ['in one process', 'worker-threads 1', /the gateway listens/],
    ['with workers', 'worker-threads 2', /the workers serve/],
  ] as const)('loads no module of an unconfigured feature %s', async ([_, system, begun], { cleanUp }) => {
    const files = await loadedWith(cleanUp, system, begun);
    expect(files.filter((url) => /\/dist\/programs\/main-gateway\.js$/.test(url))).toHaveLength(1);
    expect(files.filter((url) => optional.test(url) || bundled.test(url))).toEqual([]);
    const programs = files.filter((url) => url.includes('/dist/programs/'));
    const texts = programs.map((url) => readFileSync(fileURLToPath(url), 'utf8'));
    expect(definedIn(texts, ['CoreHttpEngine'])).toHaveLength(1);
    expect(definedIn(texts, optionalClasses)).toEqual([]);
  });

  it('has each optional class in some bundle', () => {
    const folder = new URL('../../../dist/programs/', import.meta.url);
    const all = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    // Nothing uses the query language of kdljs, so its parser is in no bundle.
    expect(definedIn(all, optionalClasses)).toEqual(optionalClasses.filter((name) => name !== 'KqlParser'));
  });
});
