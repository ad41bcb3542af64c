import { afterAll, describe, expect, it } from 'vitest';
import { tryAgent } from '../../../../src/application/agent/configure-agent/try-agent.js';
import { agentTokens } from '../../../../src/bootstrap/agent/agent-tokens.js';
import { readStartOptions } from '../../../../src/bootstrap/agent/run-agent.js';
import { agentContainer } from '../../../../src/bootstrap/agent/start-agent.js';
import { checkGateway } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { agentBlocksOfFile } from '../../../../src/bootstrap/shared/configuration-file.js';
import { locatedProblem, toConfigurationProblem } from '../../../../src/domain/agent/configuration/option-report.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { newSamlKey } from '../../../support/agent/live-saml-provider.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const [ours, other] = [newSamlKey('ours'), newSamlKey('other')];
const keyFile = folder.write('sp.key', ours.key);
const otherFile = folder.write('other.crt', other.certificate);
const severalFile = folder.write('several.crt', ours.certificate + other.certificate);
const gone = folder.file('gone.pem');

afterAll(() => folder.remove());

/** A gateway whose agent has these lines at the end of its `saml` block, the first of them in line 9. */
const gateway = (lines: string, transport = '"embedded"'): string =>
  folder.write(
    'gateway.kdl',
    `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; upstream "echo"; agents "auth" } }
upstreams { upstream "echo" { target "127.0.0.1:1" } }
agents { agent "auth" { transport ${transport}; events "request_headers" "request_body_chunk"; config {
saml {
enabled #true
entity-id "urn:example:sp"
acs-url "https://app.example/saml/acs"
${lines}
} } } }`,
  );

const configured = 'idp-entity-id "urn:example:idp"; idp-sso-url "https://idp.example/sso"';

const checked = async (lines: string) => (await checkGateway(gateway(lines), true)).problems.map(formatProblem);

describe('a check of a gateway with single sign-on', () => {
  it.each([
    [
      'the certificate of the provider',
      `${configured}\nidp-cert-file "${gone}"`,
      [/kdl:10:\d+: error: agent "auth": saml: idp-cert-file: the file .*gone\.pem cannot be read/],
    ],
    [
      'the certificate of its metadata',
      `idp-metadata-url "https://127.0.0.1:1/"\nidp-metadata-cert-file "${keyFile}"`,
      [/kdl:10:\d+: error: agent "auth": saml: idp-metadata-cert-file: the file .*sp\.key /],
    ],
    [
      'the key and its certificate',
      `${configured}; idp-cert-file "${otherFile}"\nsp-key-file "${gone}"\nsp-cert-file "${severalFile}"`,
      [
        /kdl:10:\d+: error: agent "auth": saml: sp-key-file: the file .*gone\.pem cannot be read/,
        /kdl:11:\d+: error: agent "auth": saml: sp-cert-file: the file .*several\.crt holds several certificates; keep only that of the key/,
      ],
    ],
    [
      'a key of another certificate',
      `${configured}; idp-cert-file "${otherFile}"\nsp-key-file "${keyFile}"\nsp-cert-file "${otherFile}"`,
      [/kdl:10:\d+: error: .*sp-key-file: the file .*sp\.key does not match the certificate in sp-cert-file\n/],
    ],
  ])('reports the position of an unusable file: %s', async (_, lines, told) => {
    expect(await checked(lines)).toEqual(told.map((pattern) => expect.stringMatching(pattern)));
  });

  it('names both places of a key that saml and sessions set', async () => {
    const twins = `${configured}; idp-cert-file "${otherFile}"\nsession-ttl-secs 60\n}\nsessions {\n  ttl-secs 60`;
    const { problems } = await checkGateway(gateway(twins), false);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(
        /kdl:13:12: error: "sessions": ttl-secs is also set in saml, as session-ttl-secs: remove one of the two[\s\S]*the other one is at .*gateway\.kdl:10:18/,
      ),
    ]);
  });

  it('reports the position of an invalid store URL without its password', async () => {
    const store = 'session-store "redis"\nsession-store-url "redis://me:S3CRET@db:0"';
    const file = gateway(`${configured}; idp-cert-file "${otherFile}"; ${store}`);
    const { problems } = await checkGateway(file, false);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/kdl:10:\d+: error: "saml": session-store-url must have a port from 1 to 65535/),
    ]);
    expect(JSON.stringify(problems)).not.toContain('S3CRET');
  });
});

describe('a check of an agent with a block in a file', () => {
  it('reports the position of an unusable file', async () => {
    const configFile = gateway(`${configured}\nidp-cert-file "${gone}"`, '"unix_socket" { path "/tmp/unused.sock" }');
    const run = { options: [], block: { configFile, agentName: null }, verbose: false, exposedSecrets: [] };
    const { start, locate } = await readStartOptions(run, async (file) => agentBlocksOfFile(file));
    const { problems } = await tryAgent(
      start?.block ?? {},
      agentContainer(new RecordingLogger()).get(agentTokens.agentProcessServices),
    );
    const told = problems.map((one) => formatProblem(toConfigurationProblem(locatedProblem(one, locate(one)))));
    expect(told).toEqual([expect.stringMatching(/kdl:10:\d+: error: saml: idp-cert-file: the file .*gone\.pem /)]);
  });
});
