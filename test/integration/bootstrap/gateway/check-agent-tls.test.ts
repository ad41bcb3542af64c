import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkGateway } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const pki = new OpensslCertificates();
const dayMs = 86_400_000;
let root: OpensslCertificate;
let good: OpensslCertificate;
let other: OpensslCertificate;
let expired: OpensslCertificate;
beforeAll(() => {
  root = pki.authority('root');
  const names = ['DNS:gateway.example'];
  good = pki.server('good', { by: root, names });
  other = pki.server('other', { by: root, names });
  expired = pki.server('expired', { by: root, names, validity: [Date.now() - 20 * dayMs, Date.now() - 2 * dayMs] });
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

/** What a check says of a gateway whose agent is reached with these keys of `tls`. */
const checked = async (tls: string, thorough = true): Promise<readonly string[]> => {
  const file = folder.write(
    'gateway.kdl',
    `listeners { listener "public" { address "127.0.0.1:0" } }
routes { route "health" { matches { path "/" }; service-type "builtin"; builtin-handler "health" } }
agents { agent "waf" { transport { grpc { address "waf.example:50051"; tls { ${tls} } } } } }`,
  );
  return (await checkGateway(file, thorough)).problems.map(formatProblem);
};

const pair = (certificate: string, key: string): string =>
  `cert-file "${folder.write('c.pem', certificate)}"; key-file "${folder.write('c.key', key)}"`;

describe('a thorough check of TLS to an agent', () => {
  it('finds nothing in consistent files', async () => {
    const ca = `ca-cert-file "${folder.write('ca.pem', root.certificate)}"`;
    expect(await checked(`${ca}; ${pair(good.certificate, good.key)}`)).toEqual([]);
    expect(await checked('')).toEqual([]);
  });

  it('finds all missing files, only in thorough mode', async () => {
    const gone = 'ca-cert-file "/nowhere/ca.pem"; cert-file "/nowhere/c.pem"; key-file "/nowhere/c.key"';
    expect(await checked(gone)).toEqual([
      'error: agent "waf": ca-cert-file: the file /nowhere/ca.pem cannot be read: it does not exist',
      'error: agent "waf": cert-file: the file /nowhere/c.pem cannot be read: it does not exist',
      'error: agent "waf": key-file: the file /nowhere/c.key cannot be read: it does not exist',
    ]);
    expect(await checked(gone, false)).toEqual([]);
  });

  it('finds invalid authorities', async () => {
    expect(await checked(`ca-cert-file "${folder.write('none.pem', 'nothing')}"`)).toEqual([
      expect.stringContaining(`error: agent "waf": ca-cert-file: the file ${folder.file('none.pem')} `),
    ]);
  });

  it('finds a key of another certificate without printing it', async () => {
    const problems = await checked(pair(good.certificate, other.key));
    expect(problems).toEqual([
      `error: agent "waf": cert-file ${folder.file('c.pem')} with key-file ${folder.file('c.key')}: the private key does not belong to the certificate`,
    ]);
  });

  it('warns about an expired certificate', async () => {
    expect(await checked(pair(expired.certificate, expired.key))).toEqual([
      expect.stringMatching(/^warning: agent "waf": .* has expired on .*\d{4} GMT/),
    ]);
  });

  it('does not print a private key in place of authorities', async () => {
    const [problem = ''] = await checked(`ca-cert-file "${folder.write('swapped.pem', good.key)}"`);
    expect(problem).toContain('error: agent "waf": ca-cert-file');
    for (const line of good.key.split('\n').filter((text) => text.length > 20 && !text.startsWith('-'))) {
      expect(problem).not.toContain(line);
    }
  });
});
