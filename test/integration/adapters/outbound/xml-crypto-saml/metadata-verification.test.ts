import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { WorkerDocumentVerifier } from '../../../../../src/adapters/outbound/xml-crypto-saml/worker-document-verifier.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { documentKeys } from '../../../../support/agent/saml-verifying.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const query = { certificates: [], entityId: null, nowMs: 0 };
const keys = documentKeys();
/** Answers a document with its kind and thread; what says `hang` it never answers. */
const program = `import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', (job) => {
  for (; job.text === 'hang';);
  parentPort.postMessage({ ok: true, value: { kind: job.kind, threadId } });
});
`;

const verifying = (cleanUp: CleanUp, metadataDeadlineMs = 60_000): WorkerDocumentVerifier => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const url = pathToFileURL(folder.write('worker.mjs', program));
  const verifier = new WorkerDocumentVerifier(url, { threads: 1, deadlineMs: 60_000, metadataDeadlineMs });
  cleanUp.add(() => verifier.stop());
  return verifier;
};

const failed = { ok: false, error: 'verifier_failed' };
const cancelled = { ok: false, error: 'cancelled' };
const read = { ok: true, value: { kind: 'metadata' } };

describe('metadata verification on its thread', () => {
  it('does not delay sign-ons', async ({ cleanUp }) => {
    const verifier = verifying(cleanUp);
    const hanging = verifier.verifyMetadata('hang', query, neverCancelled);
    const responses = await Promise.all(
      ['a', 'b', 'c'].map((encoded) => verifier.verifyResponse(encoded, keys, neverCancelled)),
    );
    for (const response of responses) expect(response).toMatchObject({ ok: true, value: { kind: 'response' } });
    await verifier.stop();
    expect(await hanging).toEqual(failed);
    expect(await verifier.verifyMetadata('a', query, neverCancelled)).toEqual(failed);
  });

  it('has timeouts for the queue and for the work', async ({ cleanUp }) => {
    const verifier = verifying(cleanUp, 500);
    const results = await Promise.all([
      verifier.verifyMetadata('hang', query, neverCancelled),
      verifier.verifyMetadata('hang', query, neverCancelled),
    ]);
    expect(results[0]).toEqual(failed);
    expect(results[1]?.ok).toBe(false);
  });

  it('ends when cancelled, queued or running, and frees its place', async ({ cleanUp }) => {
    const verifier = verifying(cleanUp);
    const [running, waiting, early] = [new CancellationSource(), new CancellationSource(), new CancellationSource()];
    const first = verifier.verifyMetadata('hang', query, running);
    const second = verifier.verifyMetadata('hang', query, waiting);
    const third = verifier.verifyMetadata('a', query, neverCancelled);
    early.cancel();
    expect(await verifier.verifyMetadata('hang', query, early)).toEqual(cancelled);
    waiting.cancel();
    expect(await second).toEqual(cancelled);
    running.cancel();
    expect(await first).toEqual(cancelled);
    expect(await third).toMatchObject(read);
  });

  it('has a bounded queue', async ({ cleanUp }) => {
    const verifier = verifying(cleanUp);
    const source = new CancellationSource();
    const many = Array.from({ length: 18 }, () => verifier.verifyMetadata('hang', query, source));
    expect(await many[17]).toEqual({ ok: false, error: 'overloaded' });
    source.cancel();
    expect(await Promise.all(many.slice(0, 17))).toEqual(Array.from({ length: 17 }, () => cancelled));
    const large = 'x'.repeat(4 * 1024 * 1024);
    const whole = Array.from({ length: 6 }, () => verifier.verifyMetadata(large, query, neverCancelled));
    expect(await whole[5]).toEqual({ ok: false, error: 'overloaded' });
    expect(await verifier.verifyMetadata(`${large}x`, query, neverCancelled)).toEqual({
      ok: false,
      error: 'document_too_large',
    });
    for (const result of await Promise.all(whole.slice(0, 5))) expect(result).toMatchObject(read);
  });

  it('leaves no thread', async ({ cleanUp }) => {
    const verifier = verifying(cleanUp);
    const first = await verifier.verifyMetadata('a', query, neverCancelled);
    const second = await verifier.verifyMetadata('a', query, neverCancelled);
    expect([first, second]).toMatchObject([read, read]);
    expect(second).not.toEqual(first);
  });
});
