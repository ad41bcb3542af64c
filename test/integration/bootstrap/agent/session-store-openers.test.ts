import { describe, expect } from 'vitest';
import { openExistingSessionStores, openSessionStores } from '../../../../src/bootstrap/agent/session-store-openers.js';
import { Secret } from '../../../../src/domain/shared/secret.js';
import { it } from '../../../support/shared/fixtures.js';
import { freePort } from '../../../support/shared/free-port.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';

describe('an unreachable Redis', () => {
  const options = async () => ({ kind: 'redis', url: new Secret(`redis://127.0.0.1:${await freePort()}`) }) as const;

  it('is awaited by an agent', async ({ cleanUp }) => {
    const opened = await openSessionStores(new RecordingLogger()).open(await options(), 'sp');
    if (!opened.ok) throw new Error(opened.error);
    cleanUp.add(() => opened.value.close());
    expect(await opened.value.sessions.count()).toMatchObject({ ok: false });
  });

  it('is an error for commands', async () => {
    const opened = await openExistingSessionStores(new RecordingLogger()).open(await options(), 'sp');
    expect(opened).toMatchObject({ ok: false, error: expect.stringMatching(/cannot be used: connection refused$/) });
  });
});
