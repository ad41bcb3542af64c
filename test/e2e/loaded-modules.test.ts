import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { LiveSamlProvider } from '../support/live-saml-provider.js';
import { runAgent } from '../support/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

const xmlPackages = /node_modules\/(?:@xmldom\/|xml|fast-xml|xpath)/;
const storePackages = /node_modules\/(?:better-sqlite3|redis|@redis)\//;

/** The scripts that the agent has loaded on its main thread, from its start until it was told to end. */
const loadedBy = async (folder: TemporaryFolder, config: string): Promise<readonly string[]> => {
  const configFile = folder.write('agent.kdl', config);
  // Node writes there, when it ends, which scripts have run.
  const coverage = folder.file('coverage');
  const args = ['--config', configFile, '--agent', 'auth', '--socket', folder.file('agent.sock')];
  const agent = runAgent(args, { NODE_V8_COVERAGE: coverage });
  cleanUp.add(() => agent.stop());
  await agent.wrote(/The agent listens/);
  agent.signal('SIGTERM');
  expect((await agent.exited).code).toBe(0);
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(`${coverage}/${name}`, 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });
};

const agentWith = (members: string): string => `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health" } }
agents { agent "auth" { transport "embedded"; events "request_headers" "request_body_chunk"; config { ${members} } } }
`;

describe('the agent', () => {
  it('loads nothing for XML or sessions where single sign-on is not configured', async () => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const config = agentWith('jwt-secret "a-secret-of-at-least-thirty-two-bytes"');
    const scripts = await loadedBy(folder, config);
    expect(scripts.filter((url) => xmlPackages.test(url) || storePackages.test(url))).toEqual([]);
    // What every start needs comes in a few files: our own modules, the parser of the configuration, inversify, jose.
    expect(scripts.filter((url) => /\/dist\/programs\/main-gateway-auth\.js$/.test(url))).toHaveLength(1);
    const single =
      /^(?!.*\/node_modules\/).*\/dist\/(?!programs\/)|node_modules\/(?:kdljs|chevrotain|lodash-es|@?inversify(?:js)?|jose)\//;
    expect(scripts.filter((url) => single.test(url))).toEqual([]);
  });

  it('loads nothing for XML on its main thread, though it has read metadata', async () => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
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
    const scripts = await loadedBy(folder, config);
    expect(provider.metadataRequests).toBe(1);
    expect(scripts.filter((url) => xmlPackages.test(url))).toEqual([]);
    expect(scripts.filter((url) => storePackages.test(url))).not.toEqual([]);
  });
});
