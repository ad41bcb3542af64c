import { afterEach, describe, expect, it } from 'vitest';
import type { CertificateReader } from '../../../../../src/application/ports/shared/certificate-reader.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { startedTestAgent, testAgent } from '../../../../support/agent/test-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const authorityFile = (text: string): TemporaryFolder => {
  const folder = temporaryFolder();
  folders.push(folder);
  folder.write('ca.pem', text);
  return folder;
};

/** Takes every text but `broken`, and remembers it. */
const readerOf = (texts: string[]): CertificateReader => ({
  read: () => err('holds no certificate'),
  readPem: (text) => {
    texts.push(text);
    return text === 'broken' ? err('holds no certificate') : ok([]);
  },
});

const problemsOf = async (mtls: Record<string, string | boolean | string[]>, certificates = readerOf([])) => {
  const { agent } = testAgent(
    { mtls: { enabled: true, ...mtls } },
    { loadCertificateReader: async () => certificates },
  );
  const started = await agent.start();
  return started.ok ? [] : started.error.map(({ option, message }) => `${option}: ${message}`);
};

describe('the authorities of client certificates', () => {
  it('are read from their file, and again on each reload', async () => {
    const folder = authorityFile('one');
    const texts: string[] = [];
    const mtls = { enabled: true, 'ca-cert-path': folder.file('ca.pem') };
    const { agent } = await startedTestAgent({ mtls }, { loadCertificateReader: async () => readerOf(texts) });
    folder.write('ca.pem', 'two');
    expect(await agent.reload()).toMatchObject({ ok: true });
    folder.write('ca.pem', 'broken');
    expect(await agent.reload()).toEqual({
      ok: false,
      error: `mtls: ca-cert-path: the file ${folder.file('ca.pem')} holds no certificate`,
    });
    expect(texts).toEqual(['one', 'two', 'broken']);
  });

  it('cause an error if they cannot be read', async () => {
    expect((await problemsOf({ 'ca-cert-path': '/no/such/file' }))[0]).toMatch(
      /^mtls: ca-cert-path: the file \/no\/such\/file /,
    );
    const folder = authorityFile('broken');
    expect(await problemsOf({ 'ca-cert-path': folder.file('ca.pem') })).toEqual([
      `mtls: ca-cert-path: the file ${folder.file('ca.pem')} holds no certificate`,
    ]);
  });

  it('can be left to the gateway, with a warning', async () => {
    const { logger } = await startedTestAgent({ mtls: { enabled: true } });
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^mtls: ca-cert-path is not set/),
    ]);
  });
});

it('the lists of client certificates are checked before any file is read', async () => {
  const texts: string[] = [];
  const problems = await problemsOf({ 'ca-cert-path': '/no/such/file', 'allowed-dns': ['nonsense'] }, readerOf(texts));
  expect(problems).toEqual([expect.stringMatching(/^mtls: allowed-dns: entry 1 /)]);
  expect(texts).toEqual([]);
});

it('client certificates are announced as a method, and their header as forbidden for clients', async () => {
  const { agent, ask, logger } = await startedTestAgent({
    mtls: { enabled: true, 'client-cert-header': 'X-SSL-Cert' },
  });
  expect(logger.lines.find(({ message }) => message === 'configuration applied')?.fields['methods']).toEqual(['mtls']);
  expect(agent.capabilities().ownedHeaders).toContain('X-SSL-Cert');
  const { decision } = await ask(['x-ssl-cert', 'a', 'X-SSL-Cert', 'b']);
  expect(decision).toMatchObject({ kind: 'block', status: 401 });
  expect(logger.lines.at(-1)?.fields['reason']).toBe('ambiguous_credentials');
});
