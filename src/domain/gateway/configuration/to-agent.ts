import { settingsToJson } from '../../configuration/setting/setting-json.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';
import type { AgentAdminFields, CircuitBreakerFields } from './agent-schema.js';
import type { AgentAdminConfiguration, AgentConfiguration, AgentTls, AgentTransport } from './gateway-configuration.js';
import type { GrpcFields } from './grpc-transport-schema.js';
import type { ReadAgent } from './read-gateway.js';

const toAgentTls = (fields: NonNullable<GrpcFields['tls']['value']>): AgentTls => {
  const [certFile, keyFile] = [fields['cert-file'].value, fields['key-file'].value];
  return {
    caCertFile: fields['ca-cert-file'].value,
    certificate: certFile === null || keyFile === null ? null : { certFile, keyFile },
    serverName: fields['server-name'].value,
  };
};

const toTransport = ({ fields }: ReadAgent): AgentTransport => {
  const written = fields.transport.value;
  const owner = fields['socket-owner'].value;
  if (written === null) return { kind: 'unix_socket', path: fields.socket.value ?? '', owner };
  if (written.kind === 'embedded') return { kind: 'embedded' };
  if (written.kind === 'unix_socket') return { kind: 'unix_socket', path: written.path, owner };
  const { address, tls } = written.fields;
  return { kind: 'grpc', address: address.value, owner, tls: tls.value === null ? null : toAgentTls(tls.value) };
};

/** Protocol version 1 allows one call at a time on a connection, so it needs more connections. */
const defaultConnections = (transport: AgentTransport, protocolVersion: 1 | 2): number => {
  if (transport.kind === 'embedded') return 0;
  return protocolVersion === 1 ? 16 : 4;
};

const toCircuitBreaker = (fields: CircuitBreakerFields): CircuitBreakerRules => ({
  failureThreshold: fields['failure-threshold'].value,
  openMs: fields['timeout-seconds'].value,
  probes: 1,
});

const toAdmin = ({ address, token }: AgentAdminFields): AgentAdminConfiguration => ({
  address: address.value,
  token: token.value,
});

/** Converts an agent block that has no errors. */
export const toAgent = (agent: ReadAgent): AgentConfiguration => {
  const { fields } = agent;
  const transport = toTransport(agent);
  const protocolVersion = fields['protocol-version'].value;
  const breaker = fields['circuit-breaker'].value;
  const admin = fields.admin.value;
  return {
    name: agent.name.value,
    transport,
    events: [...new Set(fields.events.value.map(({ value }) => value))],
    timeoutMs: fields['timeout-ms'].value,
    failureMode: fields['failure-mode'].value,
    protocolVersion,
    connections: fields.connections.value ?? defaultConnections(transport, protocolVersion),
    circuitBreaker: breaker === null ? null : toCircuitBreaker(breaker),
    admin: admin === null ? null : toAdmin(admin),
    config: fields.config.value === null ? null : settingsToJson(fields.config.value),
  };
};
