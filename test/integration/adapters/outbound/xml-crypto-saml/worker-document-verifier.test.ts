import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type VerificationLimits,
  WorkerDocumentVerifier,
} from '../../../../../src/adapters/outbound/xml-crypto-saml/worker-document-verifier.js';
import {
  logoutRequestXml,
  logoutResponseXml,
  posted,
  redirected,
  signedResponse,
} from '../../../../support/agent/saml-documents.js';
import { encryptedAssertion } from '../../../../support/agent/saml-encryption.js';
import { asToken } from '../../../../support/agent/saml-exchange.js';
import { idpKey } from '../../../../support/agent/saml-keys.js';
import { piece, swapped } from '../../../../support/agent/saml-pieces.js';
import { signedToken } from '../../../../support/agent/saml-token-forgeries.js';
import { documentKeys } from '../../../../support/agent/saml-verifying.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';
import { startProcess } from '../../../../support/shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const program = new URL('../../../../../dist/programs/main-saml-verifier.js', import.meta.url);
const encoded = posted(signedResponse());
const keys = documentKeys();
const accepted = { ok: true, value: { assertion: { nameId: { value: 'alice@example.com' } } } };
const query = { certificates: [], entityId: null, nowMs: 0 };
const notMetadata = {
  unusable: 'is not SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor',
};
const failed = { ok: false, error: 'verifier_failed' };

const verifiers: WorkerDocumentVerifier[] = [];
const folders: TemporaryFolder[] = [];

const verifying = (by: URL, limits: Partial<VerificationLimits> = {}): WorkerDocumentVerifier => {
  // The deadline is long, but where a test is about it: how busy the machine is shall not matter.
  const verifier = new WorkerDocumentVerifier(by, { deadlineMs: 60_000, ...limits });
  verifiers.push(verifier);
  return verifier;
};

/** A program for the threads that does something else. */
const misbehaving = (code: string): URL => {
  const folder = temporaryFolder();
  folders.push(folder);
  const text = `import { parentPort } from 'node:worker_threads';\n${code}\n`;
  return pathToFileURL(folder.write('worker.mjs', text));
};

afterEach(async () => {
  await Promise.all(verifiers.splice(0).map((verifier) => verifier.stop()));
  for (const folder of folders.splice(0)) folder.remove();
});

describe('WorkerDocumentVerifier', () => {
  it('has its program built', () => {
    expect(existsSync(program)).toBe(true);
  });

  it('warms up its threads with its own document, and verifies others meanwhile', async () => {
    const verifier = verifying(program);
    const warm = verifier.warmUp();
    expect(verifier.warmUp()).toBe(warm);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toMatchObject(accepted);
    expect(await warm).toBe(true);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toMatchObject(accepted);
  });

  it.each([
    ['crashes', `parentPort.on('message', () => { throw new Error('broken'); });`],
    [
      'finds its own document wrong',
      `parentPort.on('message', () => parentPort.postMessage({ ok: false, error: 'verifier_failed' }));`,
    ],
  ])('reports a thread that %s during warm-up', async (_, code) => {
    expect(await verifying(misbehaving(code)).warmUp()).toBe(false);
  });

  it('does not warm up once stopped', async () => {
    const verifier = verifying(program);
    await verifier.stop();
    expect(await verifier.warmUp()).toBe(false);
  });

  it('verifies every kind of document on a thread', async () => {
    const verifier = verifying(program);
    const key = idpKey();
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toMatchObject(accepted);
    expect(await verifier.verifyResponse(posted('<a/>'), keys, neverCancelled)).toEqual({
      ok: false,
      error: 'unexpected_root',
    });
    expect(await verifier.verifyAssertion(asToken(signedToken()), keys, neverCancelled)).toMatchObject({
      ok: true,
      value: { head: null, ...accepted.value },
    });
    const request = { binding: 'redirect', ...redirected(logoutRequestXml(), { key }) } as const;
    expect(await verifier.verifyLogoutRequest(request, keys, neverCancelled)).toMatchObject({
      ok: true,
      value: { id: '_logout-1' },
    });
    const response = { binding: 'post', encoded: posted(logoutResponseXml()) } as const;
    expect(await verifier.verifyLogoutResponse(response, keys, neverCancelled)).toMatchObject({
      ok: true,
      value: { isSigned: false },
    });
    expect(await verifier.verifyMetadata('<a/>', query, neverCancelled)).toEqual({ ok: false, error: notMetadata });
  });

  it('passes its key to the thread', async () => {
    const xml = signedResponse();
    const assertion = piece(xml, 'saml:Assertion');
    const encrypted = swapped(xml, assertion, await encryptedAssertion(assertion));
    expect(await verifying(program).verifyResponse(posted(encrypted), keys, neverCancelled)).toMatchObject(accepted);
  });

  it('does not block the event loop', async () => {
    const verifier = verifying(program);
    let isDone = false;
    const verified = verifier.verifyResponse(encoded, keys, neverCancelled).then((result) => {
      isDone = true;
      return result;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    expect(await verified).toMatchObject(accepted);
  });

  it('verifies many concurrently, each with its own answer', async () => {
    const verifier = verifying(program);
    const names = Array.from({ length: 40 }, (_, index) => `user-${index}@example.com`);
    const results = await Promise.all(
      names.map((nameId) =>
        verifier.verifyResponse(posted(signedResponse({ assertion: { nameId } })), keys, neverCancelled),
      ),
    );
    expect(results.map((result) => (result.ok ? result.value.assertion.nameId?.value : result.error))).toEqual(names);
  });

  it('refuses an oversized document at once', async () => {
    const verifier = verifying(misbehaving('process.exit(3);'));
    const result = await verifier.verifyResponse('A'.repeat(3_000_000), keys, neverCancelled);
    expect(result).toEqual({ ok: false, error: 'document_too_large' });
  });

  it('refuses documents when too many wait', async () => {
    const verifier = verifying(program, { threads: 1, waiting: 2 });
    const results = await Promise.all(
      Array.from({ length: 4 }, () => verifier.verifyResponse(encoded, keys, neverCancelled)),
    );
    expect(results.map((result) => (result.ok ? 'accepted' : result.error))).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'overloaded',
    ]);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toMatchObject(accepted);
  });

  it('refuses documents when too many characters wait', async () => {
    const verifier = verifying(program, { threads: 1, waitingCharacters: encoded.length });
    const results = await Promise.all(
      Array.from({ length: 3 }, () => verifier.verifyResponse(encoded, keys, neverCancelled)),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(results[2]).toEqual({ ok: false, error: 'overloaded' });
  });

  it('stops a document that times out, replaces its thread, and refuses queued ones in time', async () => {
    const hangs = `parentPort.on('message', () => { for (;;) {} });`;
    const verifier = verifying(misbehaving(hangs), { threads: 1, deadlineMs: 200 });
    const results = await Promise.all([
      verifier.verifyResponse(encoded, keys, neverCancelled),
      verifier.verifyResponse(encoded, keys, neverCancelled),
    ]);
    expect(results[0]).toEqual(failed);
    expect(results[1]?.ok).toBe(false);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toEqual(failed);
  });

  it('fails if its thread crashes, and continues with another', async () => {
    const answer = JSON.stringify({ ok: false, error: 'unsigned' });
    const crashing = `parentPort.on('message', (job) => {
      if (job.encoded === 'throw') throw new Error('x');
      if (job.encoded === 'exit') process.exit(1);
      if (job.encoded === 'memory') { const kept = []; for (;;) kept.push(new Array(1e6).fill({})); }
      parentPort.postMessage(${answer});
    });`;
    const verifier = verifying(misbehaving(crashing), { threads: 1 });
    for (const way of ['throw', 'exit', 'memory']) {
      expect(await verifier.verifyResponse(way, keys, neverCancelled)).toEqual(failed);
      expect(await verifier.verifyResponse('x', keys, neverCancelled)).toEqual({ ok: false, error: 'unsigned' });
    }
  });

  it('fails without its program', async () => {
    const verifier = verifying(new URL('none.js', program));
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toEqual(failed);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toEqual(failed);
  });

  it('gives its threads no environment', async () => {
    const tells = `parentPort.on('message', () => parentPort.postMessage({ ok: true, value: Object.keys(process.env).length }));`;
    const verifier = verifying(misbehaving(tells));
    expect(await verifier.verifyMetadata('<a/>', query, neverCancelled)).toEqual({ ok: true, value: 0 });
  });

  it('answers all unfinished and later documents when stopped', async () => {
    const hangs = `parentPort.on('message', () => { for (;;) {} });`;
    const verifier = verifying(misbehaving(hangs), { threads: 1 });
    const pending = [
      verifier.verifyResponse(encoded, keys, neverCancelled),
      verifier.verifyResponse(encoded, keys, neverCancelled),
    ];
    await verifier.stop();
    expect(await Promise.all(pending)).toEqual([failed, failed]);
    expect(await verifier.verifyResponse(encoded, keys, neverCancelled)).toEqual(failed);
  });

  it('keeps a process alive only while it works', async () => {
    const module = fileURLToPath(
      new URL('../../../../../dist/adapters/outbound/xml-crypto-saml/worker-document-verifier.js', import.meta.url),
    );
    const code = [
      `const { WorkerDocumentVerifier } = await import(${JSON.stringify(pathToFileURL(module).href)});`,
      `const verifier = new WorkerDocumentVerifier(new URL(${JSON.stringify(program.href)}));`,
      `console.log(JSON.stringify(await verifier.verifyMetadata('<a/>', ${JSON.stringify(query)}, { onCancel: () => () => {} })));`,
    ].join('\n');
    const started = startProcess(process.execPath, ['--input-type=module', '--eval', code]);
    expect(await started.exited).toEqual({ code: 0, signal: null });
    expect(started.output()).toContain('{"ok":false,"error":{"unusable":"is not SAML metadata');
  });
});
