import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeAgentOptions } from '../../../../src/domain/agent/configuration/decode-agent-options.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { loadConfiguration } from '../../../support/gateway/configuration-files.js';
import { withAgent } from '../../../support/shared/configuration-text.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const events = 'events "request_headers" "request_body_chunk"';

const configuration = (block: string): string =>
  withAgent(`transport "embedded"; ${events}; config { jwt-secret (env)"JWT"\ntoken-exchange {\n${block}\n} }`);

const settings = {
  issuer: 'issuer "https://tokens.example"',
  keys: 'signing-key-file "/sign.pem"',
  exchange: 'allowed-exchanges { subject-token-type "jwt"; issued-token-type "access_token" }',
  clients: 'clients { client "api" { secret (env)"SECRET" } }',
};

const block = (own: Partial<typeof settings> = {}, more = ''): string =>
  ['enabled #true', ...Object.values({ ...settings, ...own }), more].join('\n');

const environment = { JWT: 'j'.repeat(32), SECRET: 'S3CRET of the client' };

const load = (text: string) => loadConfiguration(folder.write('gateway.kdl', text), environment);

/** What is wrong; lines count from the one that opens the block, which is 0. */
const report = async (text: string): Promise<string> => {
  const { problems } = await load(configuration(text));
  const first = configuration('')
    .split('\n')
    .findIndex((line) => line.includes('token-exchange {'));
  return problems
    .map(formatProblem)
    .join('\n')
    .replaceAll(`${folder.path}/`, '')
    .replaceAll(/gateway\.kdl:(\d+)/g, (_text, line: string) => `line ${Number(line) - 1 - first}`);
};

describe('a token-exchange block in a file', () => {
  it('is sent so that the agent reads the same', async () => {
    const { configuration: loaded, problems } = await load(
      configuration(
        block(
          {
            exchange: `${settings.exchange}
              allowed-exchanges subject-token-type="access_token" issued-token-type="jwt"`,
            clients: `clients {
              client "a" { secret (env)"SECRET" "another secret of it"; allowed-audiences "x" "y" }
              client "b" { public-key-file "/b.pem"; allowed-scopes "read"
                allowed-exchanges { subject-token-type "jwt"; issued-token-type "jwt" }
              }
            }`,
          },
          'allowed-audiences "x"\nrate-limit #null\nclaims-copied "mail"',
        ),
      ),
    );
    expect(problems.map(formatProblem)).toEqual([]);
    const handedOver = decodeAgentOptions(loaded?.agents[0]?.config ?? null);
    expect(handedOver.problems).toEqual([]);
    const exchange = handedOver.options?.tokenExchange;
    expect(exchange).toMatchObject({
      rateLimit: null,
      claimsCopied: ['mail'],
      allowedAudiences: ['x'],
      allowedExchanges: [
        { subjectKind: 'jwt', issuedKind: 'access_token' },
        { subjectKind: 'access_token', issuedKind: 'jwt' },
      ],
      clients: [
        { id: 'a', allowedAudiences: ['x', 'y'], allowedScopes: null, allowedExchanges: null, publicKeyFiles: [] },
        {
          id: 'b',
          secrets: [],
          publicKeyFiles: ['/b.pem'],
          allowedAudiences: null,
          allowedScopes: ['read'],
          allowedExchanges: [{ subjectKind: 'jwt', issuedKind: 'jwt' }],
        },
      ],
    });
    expect(exchange?.clients?.[0]?.secrets.map((secret) => secret.reveal())).toEqual([
      'S3CRET of the client',
      'another secret of it',
    ]);
  });

  it('has errors shown at their position', async () => {
    const found = await report(
      block({
        issuer: 'issuer "tokens"',
        clients: `clients {
          client "a" { secret (env)"SECRET" }
          client "b" {
            public-key-file "/b.pem"
            allowed-exchanges { subject-token-type "saml2"; issued-token-type "jwt" }
          }
          client "c" { allowed-scopes "read" }
          client "a" { public-key-file "/a.pem" }
        }`,
      }),
    );
    const places = found.split('\n').filter((line) => line.startsWith('line '));
    expect(places).toEqual([
      'line 2:8: error: "token-exchange": issuer must be a URL that begins with https://',
      'line 9:13: error: "token-exchange": client "b": allowed-exchanges has saml2, which needs single sign-on, but saml is not enabled',
      'line 11:11: error: "token-exchange": client "c": it has neither a secret nor a key, so it cannot authenticate',
      'line 12:18: error: "token-exchange": client "a": an earlier client already has that id',
    ]);
  });

  it('keeps the position of a client key for later errors', async () => {
    const { locate } = await load(
      configuration(
        block({
          clients:
            'clients {\n  client "a" { secret "S3CRET of the client" }\n  client "b" { public-key-file "/b.pem" }\n}',
        }),
      ),
    );
    const lineOf = (place: { client?: number; key: string }) =>
      locate?.('auth', { option: 'token-exchange', place })?.line?.trim();
    expect(lineOf({ client: 1, key: 'public-key-file' })).toBe('client "b" { public-key-file "/b.pem" }');
    expect(lineOf({ key: 'signing-key-file' })).toBe('signing-key-file "/sign.pem"');
    // What was not written stands for the client as a whole, and shows nothing of its secret.
    expect(lineOf({ client: 0, key: 'public-key-file' })).toBe('secret [secret]');
  });

  it.each([
    ['a digest', 'secret "sha256:S3CRET"', 'the secret does not have 64 hexadecimal digits'],
    ['a hash', 'secret "$1$S3CRET$S3CRET"', 'the secret uses an unsupported hash'],
    ['a short secret', 'secret "S3CRET"', 'the secret has fewer than 16 bytes'],
    ['white space', 'secret "S3CRET of the client "', 'the secret begins or ends with white space'],
    ['the same one twice', 'secret "S3CRET of it" "S3CRET of it"', 'secret 2 repeats an earlier one'],
    ['a misspelt key', 'secrit "S3CRET of the client"', 'unknown key "secrit" in client'],
    ['a block', 'secret { S3CRET 1 }', '"secret" takes a value, not a block'],
    ['a mistake beside it', 'secret "S3CRET of the client"; allowed-scopes 1', '"allowed-scopes" must be a string'],
    ['a second line', 'secret \\\n "S3CRET of the client"; allowed-scopes 1', '"allowed-scopes" must be a string'],
    ['a variable as the id', 'secret "S3CRET of it"; name (env)"SECRET"', '"name" must be written literally'],
  ])('shows nothing of a secret: %s', async (_name, line, message) => {
    const name = line.includes('name') ? '' : '"api" ';
    const found = await report(block({ clients: `clients {\n client ${name}{\n ${line}\n }\n}` }));
    expect(found).toContain(message);
    expect(found).not.toContain('S3CRET');
  });

  it('shows no URL with a password', async () => {
    const found = await report(block({ issuer: 'issuer "https://user:S3CRET@tokens.example"' }));
    expect(found).toContain('issuer must not contain a user name or a password');
    expect(found).not.toContain('S3CRET');
  });

  it.each([
    ['a query', 'issuer "https://tokens.example/?key=S3CRET"', 'issuer must not contain a query'],
    ['a user', 'issuer "https://user:S3CRET@tokens.example"', 'issuer must not contain a user name or a password'],
    ['a query by HTTP', 'issuer "http://tokens.example/?key=S3CRET"', 'issuer is not https'],
  ])('shows the position of a URL with %s, and not the URL', async (_name, issuer, message) => {
    const found = await report(block({ issuer }));
    expect(found).toContain(`line 2:8: `);
    expect(found).toContain(message);
    expect(found).not.toMatch(/S3CRET|tokens\.example/);
  });

  it('keeps the position of a URL for later errors, and does not show its line', async () => {
    const { locate } = await load(configuration(block()));
    const found = locate?.('auth', { option: 'token-exchange', place: { key: 'issuer', isConcealed: true } });
    expect(found).toMatchObject({ position: { column: 8 }, line: null });
  });

  it('has one error if the variable of a secret is unset', async () => {
    const found = await report(block({ clients: 'clients { client "api" { secret (env)"UNSET" } }' }));
    expect(found.match(/error: /g)).toHaveLength(1);
    expect(found).toContain('UNSET');
  });

  it('has one error if conversions are not blocks', async () => {
    const found = await report(block({ exchange: 'allowed-exchanges "jwt" "access_token"' }));
    expect(found.match(/(error|warning): /g)).toHaveLength(1);
    expect(found).toContain('"allowed-exchanges" needs a block');
    expect(found).toContain('subject-token-type "access_token"; issued-token-type "access_token"');
  });

  it('has a warning at the block for a missing member', async () => {
    expect(await report(block({ clients: '' }, 'allowed-audiences "a"'))).toMatch(
      /^line 0:1: warning: "token-exchange": clients is not set: anyone with a token may exchange it\n/,
    );
  });
});
