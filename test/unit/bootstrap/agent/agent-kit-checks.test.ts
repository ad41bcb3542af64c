import { describe, expect, it } from 'vitest';
import { allow } from '../../../../src/application/agent/agent-kit/agent-answers.js';
import { checkDefinition, checkOptions } from '../../../../src/bootstrap/agent/agent.js';
import { AgentOptionsError, resolveAddresses } from '../../../../src/bootstrap/agent/agent-serving-options.js';

const definition = { name: 'kit', version: '1.0.0', requestHeaders: () => allow() };

describe('the definition of an agent', () => {
  it('is accepted if valid', () => {
    expect(() => checkDefinition(definition)).not.toThrow();
  });

  it.each([
    ['no name', { ...definition, name: undefined as unknown as string }, 'name'],
    ['a name with a space', { ...definition, name: 'a b' }, 'name'],
    ['no version', { ...definition, version: '' }, 'version'],
    ['a misspelt method', { ...definition, requestHeader: () => allow() }, 'requestHeader: unknown event'],
  ])('is refused with %s', (_what, wrong, message) => {
    expect(() => checkDefinition(wrong)).toThrow(AgentOptionsError);
    expect(() => checkDefinition(wrong)).toThrow(message);
  });
});

describe('the options of an agent', () => {
  it('are accepted if valid', () => {
    const options = { maxConcurrency: 1, maxBodySize: 1, healthIntervalMs: 100, ownedHeaders: ['X-A', 'X-B-*'] };
    expect(() => checkOptions(options)).not.toThrow();
    expect(() => checkOptions({ socket: '/tmp/a.sock', signals: false, agentId: 'a' })).not.toThrow();
  });

  it.each([
    ['maxConcurrency', 0],
    ['maxConcurrency', Number.NaN],
    ['maxBodySize', -1],
    ['maxBodySize', 1.5],
    ['healthIntervalMs', 0],
    ['metricsIntervalMs', Number.POSITIVE_INFINITY],
    ['agentId', ''],
    ['ownedHeaders', ['bad name\r\n']],
    ['ownedHeaders', ['*']],
    ['ownedHeaders', 'X-A'],
    ['sockett', '/tmp/a.sock'],
  ])('are refused with %s %j', (name, value) => {
    expect(() => checkOptions({ [name]: value })).toThrow(AgentOptionsError);
    expect(() => checkOptions({ [name]: value })).toThrow(name);
  });
});

describe('the listening address of an agent', () => {
  it('is its socket by default, and only gRPC if only that is requested', () => {
    expect(resolveAddresses('kit', {}, {})).toEqual({ socket: '/tmp/kit.sock', grpc: null, metrics: null });
    expect(resolveAddresses('kit', { grpc: { address: '127.0.0.1:1' } }, {})).toMatchObject({
      socket: null,
      grpc: { address: { kind: 'tcp', host: '127.0.0.1', port: 1 }, tls: null },
    });
  });

  it('comes from the environment if the options do not set it', () => {
    const environment = {
      AGENT_SOCKET: '/run/a.sock',
      GRPC_ADDRESS: 'unix:/run/b.sock',
      METRICS_ADDRESS: '127.0.0.1:9',
    };
    expect(resolveAddresses('kit', {}, environment)).toMatchObject({
      socket: '/run/a.sock',
      grpc: { address: { kind: 'unix', path: '/run/b.sock' } },
      metrics: { host: '127.0.0.1', port: 9 },
    });
    expect(resolveAddresses('kit', { socket: '/run/c.sock' }, environment).socket).toBe('/run/c.sock');
  });

  it.each([
    ['an address that others can reach, in the clear', { grpc: { address: '0.0.0.0:1' } }, 'grpc.insecure'],
    [
      'half of TLS',
      { grpc: { address: '127.0.0.1:1', tls: { certFile: '/c', keyFile: undefined as never } } },
      'grpc.tls',
    ],
    ['no address', { grpc: { address: 'nowhere' } }, 'grpc.address'],
    ['an empty socket', { socket: '' }, 'socket'],
    ['one socket for both', { socket: '/run/a.sock', grpc: { address: 'unix:/run/a.sock' } }, 'grpc.address'],
  ])('is refused as %s', (_what, options, message) => {
    expect(() => resolveAddresses('kit', options, {})).toThrow(message);
  });
});
