import { spawnSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { builtProgram } from '../../support/shared/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const remedy = 'run npm rebuild better-sqlite3 --ignore-scripts=false';

let folder: TemporaryFolder;

it.beforeEach(({ cleanUp }) => {
  folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
});

/** Runs a program as it is where npm has run no install script: there is no native code to load. */
const withoutNativeCode = (program: 'main-gateway' | 'main-gateway-auth', ...args: readonly string[]) => {
  const preload = folder.write('no-native-code.cjs', "process.dlopen = () => { throw new Error('no such file'); };");
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram(program), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...process.env, NODE_OPTIONS: `--require=${preload}` },
  });
  return { status, text: stdout + stderr };
};

const configured = (store: string): string =>
  folder.write(
    'gateway.kdl',
    `listeners { listener "main" { address "127.0.0.1:0" } }
     routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health"; agents "auth" } }
     agents {
       agent "auth" {
         transport "embedded"
         events "request_headers" "request_body_chunk"
         config {
           saml {
             enabled #true
             entity-id "urn:example:portcullis"
             acs-url "http://127.0.0.1/saml/acs"
             idp-metadata-url "http://127.0.0.1:9/metadata"
             ${store}
           }
         }
       }
     }`,
  );

describe('without the native code of better-sqlite3', () => {
  const sqlite = (): string => configured(`session-store-path "${folder.file('store/sessions.db')}"`);

  it('config check names the command to run if the configuration needs it', () => {
    const { status, text } = withoutNativeCode('main-gateway', 'config', 'check', sqlite());
    expect(status).toBe(1);
    expect(text).toContain(remedy);
  });

  it('config check does not mention it if the configuration does not need it', () => {
    const { text } = withoutNativeCode('main-gateway', 'config', 'check', configured('session-store "memory"'));
    expect(text).toContain('the metadata of the identity provider is unavailable');
    expect(text).not.toContain('better-sqlite3');
  });

  it('the gateway does not start, and names the command to run', () => {
    const { status, text } = withoutNativeCode('main-gateway', '--config', sqlite());
    expect(status).toBe(1);
    expect(text).toContain(remedy);
  });

  it.each([
    ['list', []],
    ['show', ['3f9a1c7be204']],
    ['revoke', ['--user', 'alice@example.com']],
  ])('sessions %s names the command to run', (command, more) => {
    const file = sqlite();
    const { status, text } = withoutNativeCode('main-gateway-auth', 'sessions', command, '--config', file, ...more);
    expect(status).not.toBe(0);
    expect(text).toContain(remedy);
  });
});

describe('without the addon of the socket layer', () => {
  const withSockets = (sockets: string): string =>
    folder.write(
      'gateway.kdl',
      `system { sockets "${sockets}" }
listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health" } }`,
    );
  const missing = /error: system \{ sockets "native" \}: the native socket layer is not available/;

  it.for([
    ['config check', ['config', 'check']],
    ['--validate', ['--validate', '--config']],
    ['the start', ['--config']],
  ] as const)('%s refuses sockets "native"', ([_, args]) => {
    const { status, text } = withoutNativeCode('main-gateway', ...args, withSockets('native'));
    expect(text).toMatch(missing);
    expect(status).toBe(1);
  });

  it.for(['auto', 'node'])('config check accepts sockets "%s"', (sockets) => {
    const { text } = withoutNativeCode('main-gateway', 'config', 'check', withSockets(sockets));
    expect(text).not.toContain('socket layer');
    expect(text).toContain('The configuration is fine');
  });
});
