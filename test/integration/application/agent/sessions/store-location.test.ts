import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteStoreOpener } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { openStore, type StoreLocation } from '../../../../../src/application/agent/sessions/store-location.js';
import { configuredSessionStore } from '../../../../../src/application/agent/sign-on/shared/configured-session-store.js';
import { agentBlockReader } from '../../../../../src/application/whole/read-agent-block.js';
import { samlBlockText, samlConfiguration } from '../../../../support/agent/saml-configuration.js';
import { succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { loadConfiguration } from '../../../../support/gateway/configuration-files.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const entityId = 'https://gateway.example/saml/metadata';

describe('the store of the commands', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const open = (place: StoreLocation) =>
    openStore(place, {
      configuredStore: configuredSessionStore((file) => agentBlockReader({ load: () => loadConfiguration(file) })),
      stores: new SqliteStoreOpener({ creates: false }),
    });

  const agent = (block: string): StoreLocation => ({
    kind: 'agent',
    configFile: folder.write('gateway.kdl', samlConfiguration(block)),
    agentName: null,
  });

  const errorOf = async (place: StoreLocation): Promise<string> => {
    const opened = await open(place);
    if (opened.ok) throw new Error('it was opened');
    return opened.error.map(({ message }) => message).join();
  };

  it('is that of the agent, even without sign-on', async () => {
    const path = folder.file('sessions.db');
    const stores = await succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, entityId));
    await succeeded(stores.sessions.insert(testSession('one')));
    await stores.close();
    const lines = `session-store-path "${path}"; session-idle-secs 60; enabled #false`;
    for (const place of [agent(samlBlockText(lines)), { kind: 'file', path, entityId } as const]) {
      const opened = await open(place);
      if (!opened.ok) throw new Error(opened.error[0]?.message);
      expect(await opened.value.stores.sessions.count()).toEqual({ ok: true, value: 1 });
      expect(opened.value.idleMs).toBe(place.kind === 'agent' ? 60_000 : null);
      await opened.value.stores.close();
    }
    const other = await open({ kind: 'file', path, entityId: 'https://other.example' });
    if (!other.ok) throw new Error(other.error[0]?.message);
    expect(await other.value.stores.sessions.count()).toEqual({ ok: true, value: 0 });
    await other.value.stores.close();
  });

  it('is that of the block sessions', async () => {
    const path = folder.file('common.db');
    const stores = await succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, entityId));
    await succeeded(stores.sessions.insert(testSession('one')));
    await stores.close();
    const opened = await open(agent(`${samlBlockText()}\nsessions { path "${path}"; idle-secs 60 }`));
    if (!opened.ok) throw new Error(opened.error[0]?.message);
    expect(await opened.value.stores.sessions.count()).toEqual({ ok: true, value: 1 });
    expect(opened.value.idleMs).toBe(60_000);
    await opened.value.stores.close();
  });

  it('is that of an agent without saml, under the origin of the first public-url', async () => {
    const path = folder.file('logins.db');
    const namespace = 'https://portal.example.com';
    const stores = await succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, namespace));
    await succeeded(stores.sessions.insert(testSession('one', { method: 'oidc' })));
    await stores.close();
    for (const enabled of ['#true', '#false']) {
      const block = `oidc-login "corp" {
  enabled ${enabled}
  issuer "https://id.example.com"
  client-id "portal"
  client-secret "0123456789abcdef0123456789abcdef"
  public-url "${namespace}/"
}
sessions { path "${path}"; idle-secs 60 }`;
      for (const place of [agent(block), { kind: 'file', path, entityId: namespace } as const]) {
        const opened = await open(place);
        if (!opened.ok) throw new Error(opened.error[0]?.message);
        expect(await opened.value.stores.sessions.count()).toEqual({ ok: true, value: 1 });
        expect(opened.value.idleMs).toBe(place.kind === 'agent' ? 60_000 : null);
        await opened.value.stores.close();
      }
    }
  });

  it('is absent without a way to sign on', async () => {
    expect(await errorOf(agent('sessions { store "sqlite" }'))).toContain('no saml block and no oidc-login block');
  });

  it('is never created', async () => {
    const path = folder.file('absent.db');
    expect(await errorOf(agent(samlBlockText(`session-store-path "${path}"`)))).toContain(path);
    expect(await errorOf({ kind: 'file', path, entityId })).toContain(path);
    expect(existsSync(path)).toBe(false);
  });

  it('cannot be the memory of another process', async () => {
    expect(await errorOf(agent(samlBlockText('session-store "memory"')))).toContain('the session store is memory');
  });

  it('is absent if the configuration has errors', async () => {
    expect(await errorOf(agent(samlBlockText('session-store "redis"')))).toContain('session-store-url');
    expect(await errorOf({ kind: 'agent', configFile: folder.file('absent.kdl'), agentName: null })).toContain(
      'absent.kdl',
    );
  });
});
