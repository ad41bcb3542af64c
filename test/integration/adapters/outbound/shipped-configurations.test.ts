import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../support/gateway/configuration-files.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

const config = fileURLToPath(new URL('../../../../config/', import.meta.url));
const environment = {
  ADMIN_TOKEN: 'a-token-for-the-test',
  API_KEYS: 'key:alice',
  OIDC_SECRET: 'a-client-secret-for-the-test',
  ORDERS_SECRET: 'a-secret-for-the-test',
  RATE_LIMIT_REDIS: 'rediss://:a-password@redis.internal:6379/0',
};

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** The text with the secrets of the machine in the place where a test can put them. */
const placed = (name: string): string => {
  folder.write('api-keys', 'key:alice\nother:bob\n');
  const text = readFileSync(join(config, name), 'utf8');
  return folder.write(name, text.replaceAll('/run/secrets/portcullis-api-keys', folder.file('api-keys')));
};

describe('the shipped configurations', () => {
  it.each(readdirSync(config).filter((name) => name.endsWith('.kdl')))('contain no error: %s', async (name) => {
    const { configuration, problems } = await loadConfiguration(placed(name), environment);
    expect(problems).toEqual([]);
    expect(configuration).not.toBeNull();
  });

  it('include one without requirements on the machine', async () => {
    const { configuration } = await loadConfiguration(join(config, 'gateway.kdl'));
    expect(configuration).toMatchObject({
      listeners: [{ address: { host: '127.0.0.1', port: 8080 } }],
      admin: { address: { host: '127.0.0.1', port: 9090 }, token: null },
      routes: [
        { id: 'health', priority: 1000, builtinHandler: 'health', matches: { paths: ['/health'] }, agents: [] },
        { id: 'api', upstream: 'echo', matches: { pathPrefixes: ['/'] }, agents: ['auth'] },
      ],
      upstreams: [{ name: 'echo', targets: [{ address: { host: '127.0.0.1', port: 8081 } }] }],
      agents: [{ name: 'auth', transport: { kind: 'embedded' }, failureMode: 'closed' }],
    });
  });

  it.each(['gateway.kdl', 'production.kdl', 'behind-load-balancer.kdl'])(
    'protect every route except builtin ones with an agent: %s',
    async (name) => {
      const { configuration } = await loadConfiguration(placed(name), environment);
      for (const route of configuration?.routes ?? [])
        expect(route.agents.length === 0).toBe(route.builtinHandler !== null);
    },
  );
});
