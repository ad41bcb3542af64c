import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../../../../src/domain/agent/configuration/agent-options-schema.js';
import type { GrpcAddress } from '../../../../../src/domain/configuration/network-addresses.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

const complete = (options: AgentOptions) => completeAgentOptions(options, new Map());
const errorsOf = (options: AgentOptions): string[] =>
  complete(options).problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);

const tcp = (host: string, port = 50_051): GrpcAddress => ({ kind: 'tcp', host, port });
const unix: GrpcAddress = { kind: 'unix', path: '/run/grpc.sock' };
const pair: AgentOptions = { grpcTlsCertFile: '/c.pem', grpcTlsKeyFile: '/k.pem' };

describe('the gRPC address of an agent', () => {
  it.each<readonly [string, AgentOptions, unknown]>([
    ['a loopback address', { grpcAddress: tcp('127.0.0.1') }, { address: tcp('127.0.0.1'), tls: null }],
    ['the loopback address of IPv6', { grpcAddress: tcp('::1') }, { address: tcp('::1'), tls: null }],
    ['localhost', { grpcAddress: tcp('localhost') }, { address: tcp('localhost'), tls: null }],
    ['a unix socket', { grpcAddress: unix }, { address: unix, tls: null }],
    [
      'any address with TLS',
      { grpcAddress: tcp('0.0.0.0'), ...pair },
      { address: tcp('0.0.0.0'), tls: { certificate: { certFile: '/c.pem', keyFile: '/k.pem' }, clientCaFile: null } },
    ],
    [
      'any address with certificates of gateways',
      { grpcAddress: tcp('::'), ...pair, grpcClientCaFile: '/ca.pem', grpcInsecure: false },
      { address: tcp('::'), tls: { certificate: { certFile: '/c.pem', keyFile: '/k.pem' }, clientCaFile: '/ca.pem' } },
    ],
    [
      'any address in the clear, when that is asked for',
      { grpcAddress: tcp('10.0.0.1'), grpcInsecure: true },
      { address: tcp('10.0.0.1'), tls: null },
    ],
  ])('can be %s', (_name, options, grpc) => {
    expect(complete(options).problems).toEqual([]);
    expect(complete(options).options?.grpc).toEqual(grpc);
  });

  const noLoopback =
    'error grpc-address: it is not a loopback address: it needs grpc-tls-cert-file and grpc-tls-key-file, or grpc-insecure';
  it.each<readonly [string, AgentOptions, readonly string[]]>([
    ['all addresses in the clear', { grpcAddress: tcp('0.0.0.0') }, [noLoopback]],
    ['a name in the clear', { grpcAddress: tcp('agent.example'), grpcInsecure: false }, [noLoopback]],
    [
      'TLS and none',
      { grpcAddress: tcp('0.0.0.0'), ...pair, grpcInsecure: true },
      ['error grpc-insecure: it contradicts grpc-tls-cert-file'],
    ],
    [
      'TLS on a unix socket',
      { grpcAddress: unix, ...pair },
      ['error grpc-address: a unix socket is served without TLS'],
    ],
    [
      'a certificate without its key',
      { grpcAddress: tcp('0.0.0.0'), grpcTlsCertFile: '/c.pem' },
      ['error grpc-tls-cert-file: it needs grpc-tls-key-file'],
    ],
    [
      'a key without its certificate',
      { grpcAddress: tcp('127.0.0.1'), grpcTlsKeyFile: '/k.pem' },
      ['error grpc-tls-key-file: it needs grpc-tls-cert-file'],
    ],
    [
      'authorities of gateways without TLS',
      { grpcAddress: tcp('127.0.0.1'), grpcClientCaFile: '/ca.pem' },
      ['error grpc-client-ca-file: it needs grpc-tls-cert-file and grpc-tls-key-file'],
    ],
    [
      'options of gRPC without gRPC',
      { ...pair, grpcClientCaFile: '/ca.pem', grpcInsecure: true },
      ['grpc-tls-cert-file', 'grpc-tls-key-file', 'grpc-client-ca-file', 'grpc-insecure'].map(
        (option) => `error ${option}: it has no effect without grpc-address`,
      ),
    ],
    [
      'the path of the other socket',
      { socket: '/run/grpc.sock', grpcAddress: unix },
      ['error grpc-address: socket has the same path; use a separate socket'],
    ],
    [
      'the path of the other socket by default',
      { grpcAddress: { kind: 'unix', path: '/tmp/gateway-auth.sock' } },
      ['error grpc-address: socket has the same path; use a separate socket'],
    ],
    [
      'the address of the metrics',
      { grpcAddress: tcp('LocalHost', 1), metricsAddress: { host: 'localhost', port: 1 } },
      ['error metrics-address: grpc-address is the same'],
    ],
  ])('cannot be %s', (_name, options, errors) => {
    expect(errorsOf(options)).toEqual(errors);
    expect(complete(options).options).toBeNull();
  });

  it('can be a free port beside another one', () => {
    const options = { grpcAddress: tcp('127.0.0.1', 0), metricsAddress: { host: '127.0.0.1', port: 0 } };
    expect(complete(options).options?.metricsAddress).toEqual({ host: '127.0.0.1', port: 0 });
  });
});

describe('the admin address of an agent', () => {
  const adminToken = new Secret('let-me-in');
  const local = { host: '127.0.0.1', port: 1 };

  it.each([local, { host: '::1', port: 1 }, { path: '/run/admin.sock' }])('can be %o', (adminAddress) => {
    expect(complete({ adminAddress, adminToken })).toMatchObject({
      problems: [],
      options: { admin: { address: adminAddress, token: adminToken } },
    });
  });

  it('can be reached by others, with a warning', () => {
    const { options, problems } = complete({ adminAddress: { host: '0.0.0.0', port: 1 }, adminToken });
    expect(options?.admin).not.toBeNull();
    expect(problems).toEqual([
      expect.objectContaining({ severity: 'warning', option: 'admin-address', id: 'agent-admin-in-the-clear' }),
    ]);
  });

  it.each<readonly [string, AgentOptions, string]>([
    ['without a token', { adminAddress: local }, 'admin-address: it needs admin-token'],
    ['a token alone', { adminToken }, 'admin-token: it has no effect without admin-address'],
    [
      'the socket',
      { adminAddress: { path: '/tmp/gateway-auth.sock' }, adminToken },
      'admin-address: socket is the same; use a separate address',
    ],
    [
      'the socket of gRPC',
      { adminAddress: { path: '/run/grpc.sock' }, adminToken, grpcAddress: unix },
      'admin-address: grpc-address is the same; use a separate address',
    ],
    [
      'the address of gRPC',
      { adminAddress: { host: 'LocalHost', port: 1 }, adminToken, grpcAddress: tcp('localhost', 1) },
      'admin-address: grpc-address is the same; use a separate address',
    ],
    [
      'the address of the metrics',
      { adminAddress: local, adminToken, metricsAddress: local },
      'admin-address: metrics-address is the same; use a separate address',
    ],
  ])('cannot be %s', (_name, options, error) => {
    expect(errorsOf(options)).toEqual([`error ${error}`]);
  });
});
