import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type VerificationLimits,
  WorkerDocumentVerifier,
} from '../../../../../src/adapters/outbound/xml-crypto-saml/worker-document-verifier.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { documentKeys } from '../../../../support/agent/saml-verifying.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const keys = documentKeys();
const overloaded = { ok: false, error: 'overloaded' };
const cancelled = { ok: false, error: 'cancelled' };
const failed = { ok: false, error: 'verifier_failed' };

/** Says how many documents the thread has answered before; an endless document gets no answer. */
const counting = `import { parentPort } from 'node:worker_threads';
let answered = 0;
const answer = () => parentPort.postMessage({ ok: true, value: answered++ });
parentPort.on('message', (job) => {
  const text = job.encoded ?? job.message.encoded;
  if (text !== 'endless') answer();
});
`;

let folder: TemporaryFolder;
let verifier: WorkerDocumentVerifier | null = null;

const verifying = (limits: Partial<VerificationLimits> = {}): WorkerDocumentVerifier => {
  const program = pathToFileURL(folder.write('worker.mjs', counting));
  verifier = new WorkerDocumentVerifier(program, { threads: 1, deadlineMs: 60_000, ...limits });
  return verifier;
};

const response = (by: WorkerDocumentVerifier, text: string, cancellation: Cancellation = neverCancelled) =>
  by.verifyResponse(text, keys, cancellation);
const logout = (by: WorkerDocumentVerifier, text: string, cancellation: Cancellation = neverCancelled) =>
  by.verifyLogoutRequest({ binding: 'post', encoded: text }, keys, cancellation);

const token = (by: WorkerDocumentVerifier, text: string, cancellation: Cancellation = neverCancelled) =>
  by.verifyAssertion(text, keys, cancellation);

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(async () => {
  await verifier?.stop();
  verifier = null;
  folder.remove();
});

describe('messages of single logout', () => {
  it('never use the last thread', async () => {
    const by = verifying({ threads: 2 });
    const endless = [logout(by, 'endless'), logout(by, 'endless'), logout(by, 'endless')];
    expect(await response(by, 'a')).toEqual({ ok: true, value: 0 });
    expect(await response(by, 'b')).toEqual({ ok: true, value: 1 });
    await by.stop();
    expect(await Promise.all(endless)).toEqual([failed, failed, failed]);
  });

  it('are verified one at a time while responses arrive', async () => {
    const by = verifying({ threads: 2 });
    const all = [logout(by, 'first'), logout(by, 'a'), response(by, 'first'), logout(by, 'b')];
    expect((await Promise.all(all)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  it('do not precede a queued response', async () => {
    const by = verifying();
    const first = response(by, 'first');
    const messages = [logout(by, 'a'), logout(by, 'b')];
    const responses = [response(by, 'c'), response(by, 'd')];
    expect(await first).toEqual({ ok: true, value: 0 });
    expect((await Promise.all(responses)).map((result) => result.ok && result.value)).toEqual([1, 2]);
    expect((await Promise.all(messages)).map((result) => result.ok && result.value)).toEqual([3, 4]);
  });

  it('use no queue place of responses', async () => {
    const by = verifying({ waiting: 1, waitingLogouts: 2 });
    const first = response(by, 'first');
    const messages = ['a', 'b', 'c'].map((text) => logout(by, text));
    const responses = ['d', 'e'].map((text) => response(by, text));
    expect(await Promise.all(messages)).toEqual([{ ok: true, value: 2 }, { ok: true, value: 3 }, overloaded]);
    expect(await Promise.all(responses)).toEqual([{ ok: true, value: 1 }, overloaded]);
    expect((await first).ok).toBe(true);
  });

  it('have a bound for queued characters', async () => {
    const by = verifying({ waitingLogoutCharacters: 5 });
    const first = response(by, 'first');
    const messages = ['aaa', 'bbb', 'cc'].map((text) => logout(by, text));
    expect((await Promise.all(messages)).map(({ ok }) => ok)).toEqual([true, false, true]);
    expect((await first).ok).toBe(true);
  });

  it('are refused at once if oversized', async () => {
    const by = verifying();
    expect(await logout(by, 'A'.repeat(128 * 1024 + 1))).toEqual({ ok: false, error: 'document_too_large' });
    expect((await response(by, 'A'.repeat(128 * 1024 + 1))).ok).toBe(true);
  });
});

describe('assertions as tokens', () => {
  it('never use the last thread, alone or with logout messages', async () => {
    const by = verifying({ threads: 2 });
    const endless = [token(by, 'endless'), token(by, 'endless'), logout(by, 'endless')];
    expect(await response(by, 'a')).toEqual({ ok: true, value: 0 });
    expect(await response(by, 'b')).toEqual({ ok: true, value: 1 });
    await by.stop();
    expect(await Promise.all(endless)).toEqual([failed, failed, failed]);
  });

  it('do not precede a queued response', async () => {
    const by = verifying();
    const first = response(by, 'first');
    const tokens = [token(by, 'a'), token(by, 'b')];
    const last = response(by, 'c');
    expect(await first).toEqual({ ok: true, value: 0 });
    expect(await last).toEqual({ ok: true, value: 1 });
    expect(await Promise.all(tokens)).toEqual([
      { ok: true, value: 2 },
      { ok: true, value: 3 },
    ]);
  });

  it('take turns with logout messages, so that neither starves', async () => {
    const by = verifying();
    const first = response(by, 'first');
    const tokens = ['a', 'b', 'c'].map((text) => token(by, text));
    const messages = ['d', 'e', 'f'].map((text) => logout(by, text));
    expect((await first).ok).toBe(true);
    expect((await Promise.all(messages)).map((result) => result.ok && result.value)).toEqual([1, 3, 5]);
    expect((await Promise.all(tokens)).map((result) => result.ok && result.value)).toEqual([2, 4, 6]);
  });

  it('use no queue place of others, and have separate bounds', async () => {
    const by = verifying({ waiting: 1, waitingLogouts: 1, waitingTokens: 2, waitingTokenCharacters: 5 });
    const first = response(by, 'first');
    const tokens = ['aaa', 'bbb', 'cc', 'd'].map((text) => token(by, text));
    const others = [response(by, 'e'), logout(by, 'f')];
    expect((await Promise.all(tokens)).map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect((await Promise.all(others)).map(({ ok }) => ok)).toEqual([true, true]);
    expect((await first).ok).toBe(true);
  });

  it('leave the queue when cancelled', async () => {
    const by = verifying({ waitingTokens: 1 });
    const source = new CancellationSource();
    const first = response(by, 'first');
    const second = token(by, 'a', source);
    source.cancel();
    expect(await second).toEqual(cancelled);
    expect(await token(by, 'b')).toEqual({ ok: true, value: 1 });
    expect((await first).ok).toBe(true);
  });

  it('are refused at once if oversized', async () => {
    const by = verifying();
    expect(await token(by, 'A'.repeat(2 * 1024 * 1024 + 1))).toEqual({ ok: false, error: 'document_too_large' });
  });
});

describe('a cancelled document', () => {
  it('leaves the queue and frees its place', async () => {
    const by = verifying({ waiting: 1 });
    const source = new CancellationSource();
    const first = response(by, 'first');
    const second = response(by, 'a', source);
    expect(await response(by, 'b')).toEqual(overloaded);
    source.cancel();
    expect(await second).toEqual(cancelled);
    const third = response(by, 'c');
    expect(await first).toEqual({ ok: true, value: 0 });
    expect(await third).toEqual({ ok: true, value: 1 });
  });

  it('leaves the queue of logout messages too', async () => {
    const by = verifying({ waitingLogouts: 1 });
    const source = new CancellationSource();
    const first = response(by, 'first');
    const second = logout(by, 'a', source);
    source.cancel();
    expect(await second).toEqual(cancelled);
    expect(await logout(by, 'b')).toEqual({ ok: true, value: 1 });
    expect((await first).ok).toBe(true);
  });

  it('is answered at once while running, and its result is dropped', async () => {
    const by = verifying();
    const source = new CancellationSource();
    const running = response(by, 'first', source);
    const next = response(by, 'a');
    source.cancel();
    expect(await running).toEqual(cancelled);
    expect(await next).toEqual({ ok: true, value: 1 });
  });

  it('does not reach a thread if already cancelled', async () => {
    const by = verifying();
    const source = new CancellationSource();
    source.cancel();
    expect(await response(by, 'a', source)).toEqual(cancelled);
    expect(await response(by, 'b')).toEqual({ ok: true, value: 0 });
  });

  it('has no listener once answered', async () => {
    let listeners = 0;
    const counted: Cancellation = {
      onCancel: () => {
        listeners += 1;
        return () => {
          listeners -= 1;
        };
      },
    };
    const by = verifying({ waiting: 1 });
    const all = [response(by, 'first', counted), response(by, 'a', counted), response(by, 'b', counted)];
    expect((await Promise.all(all)).map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(listeners).toBe(0);
  });
});

describe('a document that times out in the queue', () => {
  it('is refused as overload, not as failure', async () => {
    const by = verifying({ deadlineMs: 300 });
    const all = ['endless', 'endless', 'a'].map((text) => response(by, text));
    expect(await Promise.all(all)).toEqual([failed, failed, overloaded]);
  });
});
