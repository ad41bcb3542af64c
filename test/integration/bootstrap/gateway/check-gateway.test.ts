import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkGateway } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const pki = new OpensslCertificates();
const dayMs = 86_400_000;
let good: OpensslCertificate;
let other: OpensslCertificate;
let expired: OpensslCertificate;
beforeAll(() => {
  const by = pki.authority('root');
  const names = ['DNS:a.example'];
  good = pki.server('good', { by, names });
  other = pki.server('other', { by, names: ['DNS:b.example'] });
  expired = pki.server('expired', { by, names, validity: [Date.now() - 20 * dayMs, Date.now() - 2 * dayMs] });
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

/** A configuration of one https listener with these files and keys. */
const written = (certificate: string, key: string, more = ''): string => {
  folder.write('c.pem', certificate);
  folder.write('c.key', key);
  const tls = `cert-file "${folder.file('c.pem')}"; key-file "${folder.file('c.key')}"\n${more}`;
  return folder.write(
    'gateway.kdl',
    `listeners { listener "public" { address "127.0.0.1:0"; protocol "https"; tls {\n${tls}\n} } }
routes { route "health" { matches { path "/" }; service-type "builtin"; builtin-handler "health" } }`,
  );
};

const checked = async (file: string, thorough = true) => {
  const { problems, summary } = await checkGateway(file, thorough);
  return { summary, problems: problems.map(formatProblem) };
};

describe('a thorough check of a configuration', () => {
  it('finds nothing if certificate and key match', async () => {
    expect(await checked(written(good.certificate, good.key))).toEqual({
      problems: [],
      summary: 'The configuration is fine: 1 listener, 1 route, 0 upstreams, 0 agents.',
    });
  });

  it('finds a key of another certificate, and names the files', async () => {
    const { problems, summary } = await checked(written(good.certificate, other.key));
    expect(summary).toBeNull();
    expect(problems).toEqual([
      `error: listener "public": cert-file ${folder.file('c.pem')} with key-file ${folder.file('c.key')}: the private key does not belong to the certificate`,
    ]);
  });

  it('warns about an expired certificate with its date', async () => {
    const { problems, summary } = await checked(written(expired.certificate, expired.key));
    expect(summary).not.toBeNull();
    expect(problems).toEqual([expect.stringMatching(/^warning: listener "public": .* has expired on .*\d{4} GMT/)]);
  });

  it('finds missing files and invalid authorities', async () => {
    const clients = `client-auth "require"; ca-cert-file "${folder.write('ca.pem', 'nothing')}"`;
    expect((await checked(written(good.certificate, good.key, clients))).problems).toEqual([
      expect.stringContaining(`listener "public": ca-cert-file ${folder.file('ca.pem')}: `),
    ]);
    const gone = 'certificate { cert-file "/nowhere/c.pem"; key-file "/nowhere/c.key" }';
    expect((await checked(written(good.certificate, good.key, gone))).problems).toEqual([
      'error: listener "public": cert-file: the file /nowhere/c.pem cannot be read: it does not exist',
      'error: listener "public": key-file: the file /nowhere/c.key cannot be read: it does not exist',
    ]);
  });

  it('reads files, unlike a plain check', async () => {
    expect((await checked(written('', ''), false)).problems).toEqual([]);
    expect((await checked(written('', ''))).problems).toHaveLength(1);
  });

  it.each([
    ['written in the place of its path', (key: string) => `key-file "${key.replaceAll('\n', '\\n')}"`],
    ['written over several lines', (key: string) => `key-file """\n${key}\n"""`],
    ['referred to with (file)', () => `key-file (file)"${folder.file('c.key')}"`],
  ])('does not print a key that is %s', async (_how, keyFile) => {
    written(good.certificate, good.key);
    const file = folder.write(
      'gateway.kdl',
      `listeners { listener "public" { address "127.0.0.1:0"; protocol "https"; tls {
cert-file "${folder.file('c.pem')}"; ${keyFile(good.key.trim())}
} } }`,
    );
    const { problems, summary } = await checked(file);
    expect(summary).toBeNull();
    expect(problems.join('\n')).toContain('"key-file" must be ');
    const keyLines = good.key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-'));
    expect(keyLines.length).toBeGreaterThan(1);
    for (const line of keyLines) expect(problems.join('\n')).not.toContain(line);
  });
});
