import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { supervisionTimes } from '../../../src/application/gateway/workers/supervise/supervision-times.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { loadConfiguration } from '../../support/gateway/configuration-files.js';
import { tcpAddress } from '../../support/gateway/tcp-address.js';
import { deployFile, isInRepository, readDeployFile } from '../../support/shared/deploy-files.js';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';

const containerfile = readDeployFile('container/Containerfile');
const compose = readDeployFile('container/compose.yaml');
const haproxy = readDeployFile('container/haproxy.cfg');

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, first = '']) => first);

/** A line of the Containerfile's last stage. */
const finalStage = containerfile.slice(containerfile.lastIndexOf('\nFROM '));
const instruction = (name: string): string => new RegExp(`^${name} (.+)$`, 'm').exec(finalStage)?.[1] ?? '';

/** The names under `services:`. */
const services = (): readonly string[] => {
  const text = compose.slice(compose.indexOf('\nservices:\n'), compose.indexOf('\nvolumes:\n'));
  return matches(text, /^ {2}([a-z][a-z-]*):/gm);
};

const configuration = async (): Promise<GatewayConfiguration> => {
  const environment = Object.fromEntries(
    [...compose.matchAll(/^ {4}([A-Z_]+): "(.*)"$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const loaded = await loadConfiguration(deployFile('container/gateway.kdl'), environment);
  expect(loaded.problems).toEqual([]);
  if (loaded.configuration === null) throw new Error('there is no configuration');
  return loaded.configuration;
};

describe('the image', () => {
  it('runs as a user with a number, starts a program of the package, and ends by a signal that drains', () => {
    const { bin } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as { bin: object };
    expect(instruction('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(Object.keys(bin)).toContain((JSON.parse(instruction('ENTRYPOINT')) as string[])[0]);
    expect(instruction('STOPSIGNAL')).toBe('SIGTERM');
  });

  it('has nothing of the machine that it is made on but what is in the repository', () => {
    const ignored = readFileSync(join(repositoryRoot, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist', '.git']));
  });

  it('leaves it to the configuration where its health is asked for: the admin address may want a token', () => {
    expect(finalStage).not.toMatch(/^HEALTHCHECK/m);
  });
});

describe('the compose file', () => {
  it('names files that are there', () => {
    const folder = 'deploy/container';
    const mounted = matches(compose, /^\s+- (\.\/[^:]+):/gm);
    expect(mounted).toEqual(['./gateway.kdl', './haproxy.cfg']);
    for (const file of mounted) expect(isInRepository(join(folder, file))).toBe(true);
    const [context = ''] = matches(compose, /context: (\S+)/g);
    const [dockerfile = ''] = matches(compose, /dockerfile: (\S+)/g);
    expect(normalize(join(folder, context, dockerfile))).toBe('deploy/container/Containerfile');
    expect(dirname(normalize(join(folder, context, 'x')))).toBe('.');
  });

  it('mounts the configuration where the image looks for it', () => {
    const [target = ''] = matches(compose, /\.\/gateway\.kdl:([^:]+):ro/g);
    expect(JSON.parse(instruction('CMD'))).toEqual(['--config', target]);
  });

  it('lets no service gain privileges, or write to its root file system', () => {
    expect(compose).toContain('read_only: true\n  cap_drop: [ALL]\n  security_opt: ["no-new-privileges:true"]');
    const blocks = compose.slice(compose.indexOf('\nservices:\n'), compose.indexOf('\nvolumes:\n'));
    for (const name of services()) {
      const block = new RegExp(`^ {2}${name}:(.*(?:\\n(?: {4}.*)?)*)`, 'm').exec(blocks)?.[1] ?? '';
      expect([name, /\*gateway|<<: \*hardened/.test(block)]).toEqual([name, true]);
    }
    expect(compose).toContain('x-gateway: &gateway\n  <<: *hardened');
    expect(matches(compose, /^ {6}- "([\d.]+):\d+:\d+"$/gm)).toEqual(['127.0.0.1']);
  });

  it('has the services that the balancer and the gateways look for', async () => {
    const { upstreams, limits } = await configuration();
    const hosts = [
      ...matches(haproxy, /^ {2}server \w+ ([\w-]+):8080$/gm),
      ...upstreams.flatMap(({ targets }) => targets.map(({ address }) => tcpAddress(address).host)),
      new URL(limits.rateLimitStore.kind === 'redis' ? limits.rateLimitStore.url.reveal() : 'x://').hostname,
    ];
    expect(hosts).toHaveLength(4);
    for (const host of hosts) expect(services()).toContain(host);
  });

  it('asks for health on a listener, by a route that needs no token', async () => {
    const { listeners, routes } = await configuration();
    const health = compose.slice(compose.indexOf('\n  healthcheck:'), compose.indexOf('\n  depends_on:'));
    const [port = '', path = ''] = matches(health, /127\.0\.0\.1:(\d+)\//g).concat(matches(health, /:\d+(\/\w+)'/g));
    const [listener] = listeners;
    expect(listener?.address).toEqual({ host: '0.0.0.0', port: Number(port) });
    expect(listener).toMatchObject({ tls: null, proxyProtocol: false });
    const route = routes.find(({ builtinHandler }) => `/${builtinHandler}` === path);
    expect(route?.agents).toEqual([]);
  });

  it('gives a gateway the time to drain', async () => {
    const { shutdownDelayMs, gracefulShutdownTimeoutMs } = (await configuration()).system;
    const [seconds] = matches(compose, /stop_grace_period: (\d+)s/g);
    const { endMs, killedMs } = supervisionTimes;
    expect(Number(seconds) * 1000).toBeGreaterThan(shutdownDelayMs + gracefulShutdownTimeoutMs + endMs + killedMs);
  });

  it('has a balancer that passes on nothing of what clients say of their address, scheme and host', () => {
    const guide = readFileSync(join(repositoryRoot, 'docs/guides/behind-a-load-balancer.md'), 'utf8');
    const documented = guide.slice(guide.indexOf('\n## HAProxy\n'), guide.indexOf('\nbackend gateways\n'));
    const rules = /^ {2}(http-request (?:del|set)-header .+)$/gm;
    expect(matches(haproxy, rules)).toEqual(matches(documented, rules));
    expect(matches(haproxy, rules).join('\n')).toContain('set-header X-Forwarded-For %[src]');
    expect(matches(haproxy, rules)).toHaveLength(4);
    expect(haproxy).not.toContain('option forwardfor');
    expect(compose.includes('see `secrets`')).toBe(/^secrets:/m.test(compose));
  });

  it('has a balancer that sees a gateway leave before it does', async () => {
    const { system, routes } = await configuration();
    const [checkMs = ''] = matches(haproxy, /check inter (\d+)s fall 1/g);
    expect(system.shutdownDelayMs).toBeGreaterThan(Number(checkMs) * 1000);
    const [path] = matches(haproxy, /option httpchk GET (\S+)/g);
    expect(routes.some(({ builtinHandler }) => `/${builtinHandler}` === path)).toBe(true);
  });
});
