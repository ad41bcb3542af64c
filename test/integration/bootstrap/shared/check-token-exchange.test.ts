import { afterAll, describe, expect, it } from 'vitest';
import { checkAgent } from '../../../../src/bootstrap/agent/run-agent.js';
import { agentContainer } from '../../../../src/bootstrap/agent/start-agent.js';
import { checkGateway } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { privatePem } from '../../../support/agent/exchange-company.js';
import { exchangeConfig } from '../../../support/agent/exchanging-agent.js';
import { optionsOf } from '../../../support/agent/test-agent.js';
import { ecPair, publicPem } from '../../../support/agent/test-tokens.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const pair = ecPair();
const keyFile = folder.write('signing.pem', privatePem(pair));
const publicFile = folder.write('public.pem', publicPem(pair.publicKey));
const gone = folder.file('gone.pem');

/** A gateway whose agent has these lines at the end of its `token-exchange` block, the first of them in line 12. */
const gateway = (lines: string): string =>
  folder.write(
    'gateway.kdl',
    `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; upstream "echo"; agents "auth" } }
upstreams { upstream "echo" { target "127.0.0.1:1" } }
agents { agent "auth" { transport "embedded"; events "request_headers" "request_body_chunk"; config {
api-keys "key-of-orders-which-is-long:orders"
token-exchange {
enabled #true
issuer "https://gateway.example"
signing-algorithm "ES256"
allowed-audiences "orders"
allowed-exchanges { subject-token-type "access_token"; issued-token-type "access_token" }
${lines}
} } } }`,
  );

const checked = async (lines: string) => {
  const { problems, summary } = await checkGateway(gateway(lines), true);
  return { summary, errors: problems.filter(({ severity }) => severity === 'error').map(formatProblem) };
};

const client = (id: string, lines: string) => `client "${id}" {\n${lines}\n}`;

describe('a check of a gateway with token exchange', () => {
  it.each([
    [
      'a key to sign with',
      `signing-key-file "${gone}"`,
      /kdl:12:\d+: error: agent "auth": token-exchange: .*gone\.pem/,
    ],
    [
      'a public key to sign with',
      `signing-key-file "${publicFile}"`,
      /kdl:12:\d+: error: agent "auth": token-exchange: signing-key-file: the file .*public\.pem holds /,
    ],
    [
      'the key of one client',
      `signing-key-file "${keyFile}"\nclients {\n${client('a', `public-key-file "${publicFile}"`)}\n${client('b', `public-key-file "${keyFile}"`)}\n}`,
      /kdl:18:\d+: error: agent "auth": token-exchange: client "b": public-key-file: the file .*signing\.pem /,
    ],
  ])('reports the position of an unusable file: %s', async (_, lines, told) => {
    expect(await checked(lines)).toEqual({ summary: null, errors: [expect.stringMatching(told)] });
  });

  it('finds nothing with valid keys', async () => {
    const clients = `clients {\n${client('a', `public-key-file "${publicFile}"`)}\n}`;
    const { summary, errors } = await checked(`signing-key-file "${keyFile}" "${publicFile}"\n${clients}`);
    expect(errors).toEqual([]);
    expect(summary).toContain('The configuration is fine');
  });
});

describe('a check of an agent with token exchange', () => {
  it('reports issuer and key', async () => {
    const container = agentContainer(new RecordingLogger());
    const { summary } = await checkAgent(container, { overrides: optionsOf(exchangeConfig([keyFile])), block: {} });
    expect(summary).toMatch(
      /\nTokens are issued at \/token\/exchange for https:\/\/gateway\.example, signed with the key [\w-]{43}\.$/,
    );
  });

  it('reports key errors', async () => {
    const container = agentContainer(new RecordingLogger());
    const start = { overrides: optionsOf(exchangeConfig([gone])), block: {} };
    const { problems, summary } = await checkAgent(container, start);
    expect(summary).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { option: 'token-exchange', message: expect.stringContaining('gone.pem cannot be read') },
    ]);
  });
});
