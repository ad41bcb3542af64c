import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAgentArguments } from '../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';
import { parseGatewayArguments } from '../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { supervisionTimes } from '../../../src/application/gateway/workers/supervise/supervision-times.js';
import { loadConfiguration } from '../../support/gateway/configuration-files.js';
import { testConfiguration } from '../../support/gateway/in-process-gateway.js';
import { readDeployFile, readUnit, type UnitFile, valueIn } from '../../support/shared/deploy-files.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const gateway = readUnit(readDeployFile('systemd/portcullis-gateway.service'));
const agent = readUnit(readDeployFile('systemd/portcullis-gateway-auth.service'));
const socket = readUnit(readDeployFile('systemd/portcullis-gateway.socket'));

const service = (unit: UnitFile, key: string): string => valueIn(unit, 'Service', key);

/** What else a gateway needs that has the agent of the example. */
const examplesGateway = `
listeners { listener "public" { address "127.0.0.1:8080" } }
routes { route "all" { matches { path-prefix "/" }; upstream "api"; agents "auth" } }
upstreams { upstream "api" { target "127.0.0.1:8081" } }
`;

/** Without any of these the service could do more than it has to. */
const hardening: Readonly<Record<string, string>> = {
  NoNewPrivileges: 'yes',
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  ProtectClock: 'yes',
  ProtectControlGroups: 'yes',
  ProtectHostname: 'yes',
  ProtectKernelLogs: 'yes',
  ProtectKernelModules: 'yes',
  ProtectKernelTunables: 'yes',
  ProtectProc: 'invisible',
  RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  RestrictNamespaces: 'yes',
  RestrictRealtime: 'yes',
  RestrictSUIDSGID: 'yes',
  LockPersonality: 'yes',
  SystemCallArchitectures: 'native',
};

describe.each([
  ['portcullis-gateway.service', gateway, 'CAP_NET_BIND_SERVICE'],
  ['portcullis-gateway-auth.service', agent, ''],
] as const)('%s', (_name, unit, capabilities) => {
  it('runs as a user that may write nowhere but in folders of its own', () => {
    expect(service(unit, 'User')).toMatch(/^portcullis(-auth)?$/);
    expect(service(unit, 'Group')).toBe('portcullis');
    expect(Object.fromEntries(Object.keys(hardening).map((key) => [key, service(unit, key)]))).toEqual(hardening);
    expect(unit.get('Service')?.has('ReadWritePaths')).toBe(false);
    expect(service(unit, 'StateDirectory')).not.toContain('/');
    expect(Number.parseInt(service(unit, 'UMask'), 8) & 0o007).toBe(0o007);
  });

  it('has no capability that it does not need, and no call that needs one', () => {
    expect(service(unit, 'CapabilityBoundingSet')).toBe(capabilities);
    expect(unit.get('Service')?.get('AmbientCapabilities') ?? []).toEqual(capabilities === '' ? [] : [capabilities]);
    expect(unit.get('Service')?.get('SystemCallFilter')).toEqual(['@system-service', '~@privileged']);
  });

  it('does not forbid what V8 does', () => {
    expect(unit.get('Service')?.has('MemoryDenyWriteExecute')).toBe(false);
  });

  it('is started again where it fails, and is told by SIGHUP to read its configuration', () => {
    expect(service(unit, 'Restart')).toBe('on-failure');
    expect(service(unit, 'ExecReload')).toBe('/bin/kill -HUP $MAINPID');
  });
});

describe('what the units start', () => {
  const words = (command: string): readonly string[] => command.split(' ').slice(1);

  it('is the gateway, with options that it has, after a look at its configuration', () => {
    const configFile = '/etc/portcullis/gateway.kdl';
    expect(service(gateway, 'ExecStart')).toMatch(/^\/usr\/bin\/gateway /);
    expect(parseGatewayArguments(words(service(gateway, 'ExecStart')), {}, '0')).toMatchObject({
      kind: 'run',
      configFile,
    });
    expect(parseGatewayArguments(words(service(gateway, 'ExecStartPre')), {}, '0')).toMatchObject({
      kind: 'check',
      configFile,
    });
  });

  it('is the agent, with options that it has', () => {
    expect(service(agent, 'ExecStart')).toMatch(/^\/usr\/bin\/gateway-auth /);
    expect(parseAgentArguments(words(service(agent, 'ExecStart')), {}, '0')).toMatchObject({ kind: 'run' });
  });
});

it('the agent that the unit names as an example is one that a gateway takes', async () => {
  const [example] =
    /^# {3}(agent "auth" .+)$/m.exec(readDeployFile('systemd/portcullis-gateway-auth.service'))?.slice(1) ?? [];
  const folder = temporaryFolder();
  try {
    const file = folder.file('gateway.kdl');
    writeFileSync(file, `${examplesGateway}agents {\n  ${example}\n}\n`);
    const { problems, configuration } = await loadConfiguration(file);
    expect(problems).toEqual([]);
    expect(configuration?.agents).toMatchObject([{ name: 'auth' }]);
    expect(example).toContain(`"/run/${service(agent, 'RuntimeDirectory')}/`);
  } finally {
    folder.remove();
  }
});

describe('what systemd and the gateway tell each other', () => {
  it('is taken from the tool that speaks for the gateway, also when another process is in charge', () => {
    expect(service(gateway, 'Type')).toBe('notify');
    expect(service(gateway, 'NotifyAccess')).toBe('all');
    expect(Number(service(gateway, 'WatchdogSec'))).toBeGreaterThan(0);
  });

  it('is the signal to end for the supervisor alone, and time enough to do so', () => {
    expect(service(gateway, 'KillMode')).toBe('mixed');
    const { shutdownDelayMs, gracefulShutdownTimeoutMs } = testConfiguration([]).system;
    const { endMs, killedMs } = supervisionTimes;
    const longestMs = shutdownDelayMs + gracefulShutdownTimeoutMs + endMs + killedMs;
    expect(Number(service(gateway, 'TimeoutStopSec')) * 1000).toBeGreaterThan(longestMs);
  });

  it('is a socket that is passed to that service under the name of a listener', () => {
    expect(valueIn(socket, 'Socket', 'Service')).toBe('portcullis-gateway.service');
    expect(valueIn(socket, 'Socket', 'FileDescriptorName')).toBe('public');
    expect(socket.get('Socket')?.get('Accept')).toBeUndefined();
  });
});
